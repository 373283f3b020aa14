"""The examples of openai-agents-python, unmodified, against `course serve`.

    git clone https://github.com/openai/openai-agents-python
    python -m venv judge && judge/bin/pip install -r requirements/learner.txt \\
        aiosqlite sqlalchemy greenlet cryptography fastapi redis litellm
    .venv/bin/python -m tests.judges.agents_examples openai-agents-python [WORD] \\
        --python judge/bin/python

Each is run on its own, with a key of its own, in the mode its authors made for runs without a
person (`EXAMPLES_INTERACTIVE_MODE=auto`), and has run when it ends with exit code 0. Those of `mcp`
need `npx` and `uv`, and give the servers they start three seconds: on a busy machine they come too
early. WORD picks the examples that have it in their name.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.loopback import served

FOLDERS = "agent_patterns basic handoffs hosted_mcp mcp memory tools".split()
PARTS = {"app", "mcp_server", "server"}  # of other examples, which start them
# One that runs twice over one client, in two event loops, which the client does not bear: once.
ANSWERED = {"examples.basic.previous_response_id": "y\n"}
TIME = 120  # seconds for one


def examples(clone: Path) -> list[str]:
    """The names of the modules that can be run."""
    files = [file for each in FOLDERS for file in sorted((clone / "examples" / each).rglob("*.py"))]
    return [
        ".".join(file.relative_to(clone).with_suffix("").parts)
        for file in files
        if file.stem not in PARTS and '__name__ == "__main__"' in file.read_text(encoding="utf-8")
    ]


def run(clone: Path, python: str, module: str, url: str) -> str:
    """Run one; the last line of its error, or nothing when it ended well."""
    environment = os.environ | {
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": module,
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "EXAMPLES_INTERACTIVE_MODE": "" if module in ANSWERED else "auto",
        "NO_PROXY": "127.0.0.1,localhost",
        "PYTHONPATH": str(clone),
        "PATH": f"{Path(python).absolute().parent}{os.pathsep}{os.environ['PATH']}",
        "UV_NO_SYNC": "1",  # `uv run` takes the environment that is there
        "UV_PROJECT_ENVIRONMENT": str(Path(python).absolute().parents[1]),
    }
    try:
        ended = subprocess.run(
            [str(Path(python).absolute()), "-m", module],
            cwd=clone,
            env=environment,
            input=ANSWERED.get(module, ""),
            capture_output=True,
            text=True,
            timeout=TIME,
        )
    except subprocess.TimeoutExpired:
        return f"it ran for more than {TIME} seconds"
    if ended.returncode == 0:
        return ""
    return (ended.stderr.strip() or f"exit code {ended.returncode}").splitlines()[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the Agents SDK's examples.")
    parser.add_argument("clone", type=Path, help="a clone of openai/openai-agents-python")
    parser.add_argument("word", nargs="?", default="", help="run those with it in their name")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs them")
    options = parser.parse_args()
    chosen = [each for each in examples(options.clone) if options.word in each]
    if not chosen:
        parser.error(f"{options.clone} is no clone of openai-agents-python, or none has that word")
    failed = 0
    with served() as url:
        for module in chosen:
            error = run(options.clone.absolute(), options.python, module, url)
            failed += bool(error)
            print("no " if error else "yes", module.removeprefix("examples."), error, flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
