"""openai-python's own tests of the API, against the platform.

    git clone https://github.com/openai/openai-python
    python -m venv judge && judge/bin/pip install -r requirements/learner.txt \\
        pytest pytest-asyncio pytest-xdist aiohttp
    .venv/bin/python -m tests.judges.openai_python openai-python --python judge/bin/python

They are written from the OpenAPI description, for a mock that answers by it, so the platform is
the one of `described.py`. Each test that fails is told, with the reason where there is one.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.judges.described import DescribedPlatform
from tests.loopback import served

SUITES = """
chat conversations responses vector_stores test_conversations.py test_embeddings.py test_files.py
test_models.py test_responses.py test_vector_stores.py
""".split()
# The API refuses what these tests ask for, or its replies are not of the SDK's strict types.
CONTRADICTIONS = {
    r"test_embeddings\.py.*_create\[(strict|aiohttp)": "asks for base64, and has no type for it",
    r"chat/test_completions\.py.*all_params": "the older `functions`, which are left out here",
    r"(conversations\.py|test_items\.py).*all_params": "`phase` on a message of a user",
    r"test_file_batches\.py.*all_params": "`file_ids` together with `files`",
    r"test_responses\.py.*_create_.*all_params": "a schema that is none, in a strict function",
    r"test_input_tokens\.py.*all_params": "`personality`, and a model that does not exist",
    r"test_responses\.py.*compact_.*all_params": "a cache in memory for a model without one",
}


def literal_ids(folder: Path) -> set[str]:
    """Every text in the tests that names something: `"conv_123"`, `"batch_id"`, `"ft:…"`."""
    texts = (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    named = r'"((?:[a-z]+[_-][A-Za-z0-9_]+|ft:[^"]+|string))"'
    return {found for text in texts for found in re.findall(named, text)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path, help="a clone of openai/openai-python")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs them")
    options = parser.parse_args()
    tests = options.clone / "tests" / "api_resources"
    if not tests.is_dir():
        parser.error(f"{options.clone} is no clone of openai-python: it has no tests/api_resources")
    with served(DescribedPlatform(literal_ids(tests))) as url:
        command = [options.python, "-m", "pytest", "-q", "-n", "0", "-rf", "-p", "no:cacheprovider"]
        ran = subprocess.run(
            [*command, "--no-header", *(f"tests/api_resources/{each}" for each in SUITES)],
            cwd=options.clone,
            env={"TEST_API_BASE_URL": url, "NO_PROXY": "127.0.0.1", "COLUMNS": "500"},
            capture_output=True,
            text=True,
        )
    lines = ran.stdout.splitlines()
    told = Counter[str]()
    for line in lines:
        if line.startswith("FAILED "):
            reasons = (why for what, why in CONTRADICTIONS.items() if re.search(what, line))
            told[next(reasons, f"NOT EXPLAINED: {line.removeprefix('FAILED ')}")] += 1
    for reason, count in told.most_common():
        print(f"{count:4}  {reason}")
    print(lines[-1] if lines else ran.stderr)
    return int(any(reason.startswith("NOT EXPLAINED") for reason in told))


if __name__ == "__main__":
    sys.exit(main())
