"""How much of recorded real traffic the platform answers in the same structure.

The recordings and their judge lie beside the checkout, in `../shared/replay`; without them this
is skipped. The core are 156 exchanges that need no hosted tool. Two of them are older than the
way tools are echoed today (they came back as sent, now they are normalised). The others are
chosen by feature. The servers that the MCP ones name are mounted, with the tools they listed.
"""

import re
import subprocess
import sys

import pytest

from course_lib.platform.app import Platform
from course_lib.platform.state import State
from tests import ROOT
from tests.loopback import served
from tests.mcp_servers import recorded

REPLAY = ROOT.parent / "shared" / "replay"
AT_LEAST = 0.95
CORE, MCP = "the core", "mcp"
EXCHANGES = {
    CORE: 156,
    "embeddings,files,vector_stores": 65,
    "chat,conversations,conversation,compact,background,responses_retrieve,input_items": 112,
    "context_management,compaction_replay": 7,
    MCP: 10,
    "file_search,web_search,code_interpreter,image_generation": 26,
}


@pytest.mark.skipif(not REPLAY.is_dir(), reason="the recordings are not on this machine")
@pytest.mark.parametrize("features", EXCHANGES)
def test_recorded_exchanges_are_answered_in_their_structure(features: str) -> None:
    if features == CORE:
        chosen = ["--ids", (REPLAY / "core_ids.txt").read_text(encoding="utf-8").strip()]
    else:
        chosen = ["--features", features]
    state = State()
    if features == MCP:
        state.mcp_servers |= recorded(REPLAY / "corpus.jsonl")
    with served(Platform(state=state)) as base_url:
        done = subprocess.run(
            [sys.executable, REPLAY / "judge.py", "--base-url", base_url, *chosen],
            capture_output=True,
            text=True,
            timeout=300,
        )
    found = re.search(r"fidelity: (\d+)/(\d+) exchanges pass", done.stdout)
    assert found, done.stdout + done.stderr
    passed, total = map(int, found.groups())
    print(found[0])
    assert total == EXCHANGES[features]
    assert passed / total >= AT_LEAST, done.stdout
