"""Task 03.1: who runs each tool."""

from tests.answers import Right, Wrong

NAMES = (
    "web_search",
    "file_search",
    "code_interpreter",
    "image_generation",
    "mcp",
    "function",
    "shell_container",
    "shell_local",
)
LABELS = {name: f"{name} runs where you say" for name in NAMES}
YOURS = ("function", "shell_local")


def where(**other: str) -> str:
    right = dict.fromkeys(NAMES, "the vendor")
    right |= {"mcp": "another server"} | dict.fromkeys(YOURS, "your process")
    return f"where = {right | other!r}"


def all_but(*names: str) -> tuple[str, ...]:
    return tuple(LABELS[name] for name in NAMES if name not in names)


RIGHT: dict[str, Right] = {
    "one_by_one": where(),
    "the_rule_and_its_exceptions": """
where = dict.fromkeys(
    ["web_search", "file_search", "code_interpreter", "image_generation", "shell_container"],
    "the vendor",
)
where.update(mcp="another server", function="your process", shell_local="your process")
""",
    "turned_round": """
runs = {
    "your process": ["function", "shell_local"],
    "another server": ["mcp"],
    "the vendor": [
        "code_interpreter", "file_search", "image_generation", "shell_container", "web_search"
    ],
}
where = {name: place for place, names in runs.items() for name in names}
""",
    "more_and_spaced_otherwise": where(
        apply_patch="your process", mcp="Another server ", function=" YOUR process"
    ),
}

WRONG: dict[str, Wrong] = {
    "everything_hosted_is_at_the_vendors": Wrong(
        where(mcp="the vendor"),
        (LABELS["mcp"],),
        "'the vendor'",
        "'another server', for in the response the mcp_call has its output, and names a server",
    ),
    "a_shell_is_always_yours": Wrong(
        where(shell_container="your process"),
        (LABELS["shell_container"],),
        "'your process'",
        "'the vendor', for in the response the shell_call_output is followed by the answer",
    ),
    "a_shell_is_never_yours": Wrong(
        where(shell_local="the vendor"),
        (LABELS["shell_local"],),
        "'the vendor'",
        "'your process', for in the response the shell_call comes last, and waits for an output",
    ),
    "the_model_runs_the_function": Wrong(
        where(function="the vendor"),
        (LABELS["function"],),
        "'the vendor'",
        "'your process', for in the response the function_call comes last",
    ),
    "code_runs_with_you": Wrong(
        where(code_interpreter="your process"),
        (LABELS["code_interpreter"],),
        "'your process'",
        "'the vendor', for in the response the code_interpreter_call is followed by the answer",
    ),
    "a_store_is_a_server": Wrong(
        where(file_search="another server", web_search="another server"),
        (LABELS["web_search"], LABELS["file_search"]),
        "'another server'",
        "the web_search_call is followed by the answer",
    ),
    "the_vendor_everywhere": Wrong(
        f"where = dict.fromkeys({NAMES}, 'the vendor')",
        (LABELS["mcp"], LABELS["function"], LABELS["shell_local"]),
        "'the vendor'",
        "'another server'",
    ),
    "your_process_everywhere": Wrong(
        f"where = dict.fromkeys({NAMES}, 'your process')",
        all_but(*YOURS),
        "'your process'",
        "'the vendor'",
    ),
    "one_left_out": Wrong(
        where() + "\ndel where['shell_local']",
        (LABELS["shell_local"],),
        "which has no 'shell_local'",
        "'your process'",
    ),
    "a_set_of_names": Wrong(
        f"where = {set(YOURS)!r}",
        all_but(),
        "(a set), which has no 'web_search'",
        "'the vendor'",
    ),
    "true_and_false": Wrong(
        where().replace("'your process'", "True").replace("'the vendor'", "False"),
        all_but("mcp"),
        "False (a bool)",
        "'the vendor'",
    ),
}
