"""A program on V8: what it finds around it, that a second run does the same, and every bomb."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from course_lib.platform import child
from course_lib.platform.hosted import programs
from course_lib.platform.hosted.programs import Progress

TOOLS = ["stock", "price"]


def run(code: str, *answers: dict[str, Any], now: int = 1_000) -> Progress:
    return programs.play(code, TOOLS, list(answers), now)


def answered(index: int, value: Any, **more: Any) -> dict[str, Any]:
    return {"index": index, "value": value, **more}


# --- What it finds around it


def test_what_is_emitted_is_text_in_order() -> None:
    program = run("text('a'); text({ b: [1] }); image('data:image/png;base64,AA=='); text(2)")
    assert program == Progress([], ["a", '{"b":[1]}', "data:image/png;base64,AA==", "2"], True)


def test_calls_that_are_awaited_together_are_made_together() -> None:
    code = """
        const [stock, price] = await Promise.all([tools.stock({ sku: 1 }), tools.price()]);
        text(stock.units * price);
    """
    calls = [("stock", {"sku": 1}), ("price", {})]
    assert run(code) == Progress(calls, [], False)
    assert run(code, answered(1, 2)) == Progress(calls, [], False)
    assert run(code, answered(1, 2), answered(0, '{"units":21}')) == Progress(calls, ["42"], True)


def test_an_answer_leads_to_the_next_call() -> None:
    code = "for (const n of [1, 2]) { text(await tools.stock({ n })) }"
    calls = [("stock", {"n": 1}), ("stock", {"n": 2})]
    assert run(code, answered(0, "one")) == Progress(calls, ["one"], False)
    assert run(code, answered(0, "one"), answered(1, "two")) == Progress(
        calls, ["one", "two"], True
    )


def test_a_program_is_not_over_before_every_call_is_answered() -> None:
    code = "tools.stock().then(text)"
    assert not run(code).ended
    assert run(code, answered(0, 3)) == Progress([("stock", {})], ["3"], True)


def test_answers_are_given_in_the_order_they_came() -> None:
    code = "text(await Promise.race([tools.stock(), tools.price()]))"
    assert run(code, answered(1, "price"), answered(0, "stock")).emitted == ["price"]


def test_a_call_that_failed_throws() -> None:
    refused = answered(0, "no such thing", failed=True)
    assert run("try { await tools.stock() } catch (e) { text(e.message) }", refused).emitted == [
        "no such thing"
    ]
    assert run("await tools.stock()", refused).error == "Error: no such thing"


def test_the_clock_and_chance_are_the_same_again() -> None:
    code = "text(new Date().toISOString()); text(Date.now()); text(Date()); text(Math.random())"
    assert run(code) == run(code)
    assert run(code).emitted[:2] == ["1970-01-01T00:16:40.000Z", "1000001"]
    assert run("while (Date.now() < 1_001_000); text('a second later')").ended


def test_nothing_of_a_program_is_left_to_the_next() -> None:
    run("globalThis.left = 1; Array.prototype.push = null; Object.prototype.toJSON = () => 1")
    assert run("text(typeof left)").emitted == ["undefined"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("const one = 1;\nnull.x", "Cannot read properties of null (reading 'x') (line 2)"),
        ("let a = ;", "SyntaxError: Unexpected token ';'"),
        ("throw { code: 1 }", 'Uncaught {"code":1}'),
        (
            "tools.colour()",
            "The tool colour cannot be called by a program. These are: stock, price.",
        ),
        ("tools.stock(1)", "tools.stock takes one object with its arguments."),
        ("tools.stock({ a: 1n })", "Do not know how to serialize a BigInt"),
        ("console.log(1)", "console is not defined"),
        ("fetch('https://example.com')", "fetch is not defined"),
        ("require('fs')", "require is not defined"),
        ("await import('fs')", "Not supported"),
        ("setTimeout(() => {}, 1)", "setTimeout is not a function"),
        ("new WebAssembly.Memory({ initial: 1 })", "WebAssembly is not defined"),
        ("Atomics.wait(new Int32Array(8), 0, 0)", "Atomics is not defined"),
        ("await new Promise(() => {})", "The program waits for something that never comes."),
        ("})(); (async () => {", "SyntaxError"),
        ("for (;;) tools.stock()", "A program may make 128 calls."),
        ("for (;;) text('x'.repeat(1000))", "The program writes too much."),
        ("tools.stock({ a: 'x'.repeat(2 ** 21) })", "The program writes too much."),
        ("Object.prototype.toJSON = () => 1", "The program broke what it runs on."),
        ("Object.prototype.toJSON = () => { throw 1 }", "The program broke what it runs on."),
    ],
)
def test_what_it_throws_is_told_in_a_sentence(code: str, error: str) -> None:
    program = run(code)
    assert error in (program.error or "")
    assert "Traceback" not in str(program) and ".py" not in str(program)


def test_a_call_too_many_still_leaves_those_that_were_made() -> None:
    assert len(run("for (;;) tools.stock()").calls) == programs.MOST_CALLS


# --- Bombs


@pytest.mark.parametrize(
    "code",
    [
        "for (;;);",
        "for (;;) await null",
        "/(a+)+$/.test('a'.repeat(60) + 'b')",
        "const a = []; for (;;) a.push(new Array(1000).fill(1))",
        "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(2 ** 20) + i)",
        "const o = {}; for (let i = 0; ; i++) o['k' + i] = { i }",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})",
        "new Array(2 ** 32 - 1).fill(0)",
        "const a = []; for (;;) a.push(new Float64Array(2 ** 20).fill(1))",
        "const a = []; for (;;) a.push(new ArrayBuffer(2 ** 22, { maxByteLength: 2 ** 25 }))",
    ],
)
def test_a_bomb_is_stopped(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "SECONDS", 1)
    program = run(code)
    assert program.ended and program.error and program.error.startswith("Stopped: it ")
    assert run("text('the next one runs')").emitted == ["the next one runs"]


def test_typed_arrays_are_stopped_for_the_memory_they_take() -> None:
    """V8 does not count them (measured: 2 GB under a limit of 64 MB)."""
    bomb = "const a = []; for (;;) a.push(new Uint8Array(2 ** 24).fill(1))"
    assert run(bomb).error == "Stopped: it takes more than 400 MB."


@pytest.mark.parametrize("code", ["let s = 'x'; for (;;) s += s", "2n ** (2n ** 30n)", "f()"])
def test_what_v8_refuses_itself_is_thrown(code: str) -> None:
    assert "RangeError" in (run(f"function f() {{ f() }}; {code}").error or "")


# --- The process


def test_a_process_that_behaved_is_used_again_and_a_killed_one_is_replaced() -> None:
    run("text(1)")
    (*_, first) = programs._idle
    run("text(1)")
    assert programs._idle[-1] is first
    first.process.kill()
    first.process.wait()
    assert run("text(2)").emitted == ["2"]
    assert first not in programs._idle


def test_many_programs_at_once_share_few_processes() -> None:
    with ThreadPoolExecutor(12) as pool:
        found = list(
            pool.map(lambda n: run(f"text(await tools.stock({{ n: {n} }}))").calls, range(60))
        )
    assert found == [[("stock", {"n": n})] for n in range(60)]
    assert len(programs._idle) <= programs.AT_ONCE


@pytest.mark.skipif(sys.platform != "linux", reason="only the Linux kernel confines")
def test_the_process_has_given_up_its_rights() -> None:
    run("text(1)")
    pid = programs._idle[-1].process.pid
    status = Path(f"/proc/{pid}/status").read_text()
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    assert b"PATH=" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_without_v8_the_program_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_idle", [])
    monkeypatch.setattr(child, "SCRIPT", Path("nowhere.py"))
    assert "mini-racer" in (run("text(1)").error or "")
