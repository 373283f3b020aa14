"""The stand-in and tools that are no functions: loaded ones, custom ones, those of a known type."""

from typing import Any

import pytest
from agents import apply_diff

from course_lib.standin import StandIn
from course_lib.standin.prompt import Answer, Prompt
from tests.test_standin import calls, history, text, tool

Json = dict[str, Any]
WEATHER = tool("get_weather", "Get the weather of a city.", city=text())


def asked(request: str, tools: list[Json], *made: tuple[str, Json, Any], **fields: Any) -> Answer:
    return StandIn().respond(Prompt(None, history(request, *made), tools, **fields))


def sent(*context: Any, **fields: Any) -> list[tuple[str, Json]]:
    return calls(asked(*context, **fields).items)


# --- Who may call


def test_a_tool_that_only_programs_may_call_is_not_called() -> None:
    request = "What is the weather in Lisbon?"
    for callers in (["direct"], ["direct", "programmatic"], None):
        assert sent(request, [WEATHER | {"allowed_callers": callers}])
    assert sent(request, [WEATHER | {"allowed_callers": ["programmatic"]}]) == []


# --- Loading tools


PATHS = [
    {"path": "crm", "description": "Look up customers and update their contact details."},
    {"path": "billing", "description": "Invoices, payments and refunds of customers."},
    {"path": "refund_payment", "description": "Refund a payment to a customer."},
    {"path": "warehouse", "description": "Stock levels and the places of goods on the shelves."},
]
SEARCH: Json = {
    "type": "tool_search", "name": "tool_search", "description": "Load tools.", "deferred": PATHS,
    "parameters": {"type": "object", "properties": {"paths": {
        "type": "array", "items": {"type": "string", "enum": [each["path"] for each in PATHS]}
    }}, "required": ["paths"]},
}  # fmt: skip


@pytest.mark.parametrize(("request_", "paths"), [
    ("How many drills are in stock?", ["warehouse"]),
    ("Refund the payment of customer C-7.", ["billing", "refund_payment"]),
])  # fmt: skip
def test_what_fits_is_loaded_with_what_comes_near(request_: str, paths: list[str]) -> None:
    assert sent(request_, [WEATHER, SEARCH]) == [("tool_search", {"paths": paths})]


def test_nothing_is_loaded_when_a_tool_is_there_or_nothing_is_asked() -> None:
    fits = sent("What is the weather in Lisbon?", [WEATHER, SEARCH])
    assert fits == [("get_weather", {"city": "Lisbon"})]
    assert sent("Thank you very much!", [WEATHER, SEARCH]) == []


def test_what_was_loaded_is_called_and_not_loaded_again() -> None:
    stock = tool("get_stock", "Get the stock level of a product.", product=text())
    request = "How many units of product DRILL-8 are in stock?"
    loaded = ("tool_search", {"paths": ["warehouse"]}, {"tools": ["get_stock"]})
    assert sent(request, [SEARCH, stock], loaded) == [("get_stock", {"product": "DRILL-8"})]
    assert sent(request, [SEARCH], loaded) == []


def test_a_search_that_the_client_runs_is_filled_as_a_function() -> None:
    goal = {"type": "object", "properties": {"goal": text()}, "required": ["goal"]}
    search = {"type": "tool_search", "name": "tool_search", "parameters": goal,
              "description": "Find the tools that a task needs."}  # fmt: skip
    request = "Where is parcel PW-33 now?"
    ((name, arguments),) = sent(request, [WEATHER, search])
    assert (name, [*arguments]) == ("tool_search", ["goal"])
    assert "parcel PW-33" in arguments["goal"]
    assert sent(request, [WEATHER, search], (name, arguments, {"tools": []})) == []


# --- Tools of an MCP server


def test_a_tool_of_a_server_is_a_tool_like_any_other_and_may_be_refused() -> None:
    served = WEATHER | {"type": "mcp", "server_label": "meteo"}
    request = "What is the weather in Lisbon?"
    ((name, arguments),) = sent(request, [served])
    assert (name, arguments) == ("get_weather", {"city": "Lisbon"})
    denied = {"ok": False, "error": "The call was not approved."}
    (answer,) = asked(request, [served], (name, arguments, denied)).items
    assert "not approved" in answer["text"]


# --- Custom tools


def custom(**form: Any) -> Json:
    parameters = {"type": "object", "properties": {"input": text()}}
    about = "Run SQL, a query in the database."
    return {"type": "custom", "name": "run_sql", "description": about, "parameters": parameters,
            "format": form or {"type": "text"}}  # fmt: skip


@pytest.mark.parametrize(("request_", "sql"), [
    ("Run this query: SELECT id FROM orders", "SELECT id FROM orders"),
    ("Run the query `SELECT 1` in the database.", "SELECT 1"),
    ("Query the database for late parcels.", "Query the database for late parcels."),
])  # fmt: skip
def test_a_custom_tool_gets_what_is_said(request_: str, sql: str) -> None:
    assert sent(request_, [custom()]) == [("run_sql", {"input": sql})]


def test_a_grammar_finds_its_piece_or_there_is_no_call() -> None:
    grammar = custom(type="grammar", syntax="regex", definition=r"SELECT \w+ FROM \w+")
    request = "Please run SELECT id FROM orders as a query."
    assert sent(request, [grammar]) == [("run_sql", {"input": "SELECT id FROM orders"})]
    assert sent("Please run a query.", [grammar]) == []


# --- What is told of the choice


def test_tools_of_a_known_type_are_listed_with_their_scores() -> None:
    web = {"type": "web_search", "name": "web_search", "description": "Search the web."}
    told = asked("What is the news about Lisbon?", [WEATHER, web, SEARCH]).explanation
    names = {each.tool for each in told.candidates}
    assert names == {"get_weather", "web_search", *(each["path"] for each in PATHS)}
    assert told.candidates[0].tool == "web_search"
    assert "news" in told.candidates[0].words


# --- Shell and patches


def shelled(*skills: Json) -> Json:
    parameters = {"type": "object", "properties": {"commands": {"type": "array"}}}
    return {"type": "shell", "name": "shell", "description": "Run commands in a container.",
            "parameters": parameters, "skills": [*skills]}  # fmt: skip


PATCH = {"type": "apply_patch", "name": "apply_patch", "description": "Patch a file."}


def ran(command: str, stdout: str) -> tuple[str, Json, Any]:
    outcome = {"type": "exit", "exit_code": 0}
    output = {"output": [{"stdout": stdout, "stderr": "", "outcome": outcome}]}
    return "shell", {"commands": [command]}, output


@pytest.mark.parametrize(("request_", "command"), [
    ("Run `sort -n numbers.txt | head -2` for me.", "sort -n numbers.txt | head -2"),
    ('Execute "python3 build.py --fast", please.', "python3 build.py --fast"),
    ("List the files.", "ls"),
    ("List the files in the working directory.", "ls"),
    ("Which files are in the reports folder? List them.", "ls reports"),
    ("Show me the contents of report.csv.", "cat report.csv"),
    ("What is in docs/guide.md?", "cat docs/guide.md"),
])  # fmt: skip
def test_a_shell_runs_what_is_quoted_lists_and_reads(request_: str, command: str) -> None:
    assert sent(request_, [WEATHER, shelled()]) == [("shell", {"commands": [command]})]
    (answer,) = asked(request_, [shelled()], ran(command, "one\ntwo\n")).items
    assert answer["text"] == "The shell printed:\n\none\ntwo"


def test_a_local_shell_is_sent_one_line_after_the_other_each_as_it_stands() -> None:
    local = {"type": "local_shell", "name": "local_shell", "description": "Run a command."}
    steps = [
        {"command": ["bash", "-lc", line]} for line in ("sort a.txt | head -2", "echo it's done")
    ]
    request = "Run `sort a.txt | head -2` and `echo it's done`."
    made: list[tuple[str, Json, Any]] = []
    for step in steps:
        assert sent(request, [local], *made) == [("local_shell", step)]
        made.append(("local_shell", step, "done"))
    (answer,) = asked(request, [local], *made).items
    assert answer["text"] == "The shell printed:\n\ndone"


def test_a_shell_composes_no_command() -> None:
    for request in ("What is the weather in Lisbon?", "Tell me a story.", "Delete old.log."):
        assert not [name for name, _ in sent(request, [WEATHER, shelled()]) if name == "shell"]


def test_a_skill_that_fits_is_read_and_its_commands_are_run() -> None:
    skill = {"name": "monthly-report", "path": "/skills/monthly-report",
             "description": "Make the monthly report of sales."}  # fmt: skip
    request = "Make the monthly sales report."
    read = "cat /skills/monthly-report/SKILL.md"
    assert sent(request, [shelled(skill)]) == [("shell", {"commands": [read]})]
    book = ran(read, "# Report\nRun this:\n```bash\npython report.py\ncat report.md\n```\n")
    (follows,) = sent(request, [shelled(skill)], book)
    assert follows == ("shell", {"commands": ["python report.py", "cat report.md"]})
    done = ("shell", follows[1], ran("", "Sales: 3")[2])
    (answer,) = asked(request, [shelled(skill)], book, done).items
    assert answer["text"] == "The shell printed:\n\nSales: 3"
    other = sent("What is in data.csv?", [shelled(skill)])
    assert other == [("shell", {"commands": ["cat data.csv"]})]


def test_a_patch_changes_what_was_seen() -> None:
    request = 'Replace "colour" by "color" in docs/guide.md.'
    assert sent(request, [PATCH]) == []
    tools = [shelled(), PATCH]
    assert sent(request, tools) == [("shell", {"commands": ["cat docs/guide.md"]})]
    text = "The colour is red.\nIt fits.\nNo colour fades.\n"
    ((name, arguments),) = sent(request, tools, ran("cat docs/guide.md", text))
    operation = arguments["operation"]
    assert (name, operation["type"], operation["path"]) == (
        "apply_patch", "update_file", "docs/guide.md",
    )  # fmt: skip
    assert apply_diff(text, operation["diff"]) == text.replace("colour", "color")
    patched = ("apply_patch", arguments, {"status": "completed"})
    (answer,) = asked(request, tools, ran("cat docs/guide.md", text), patched).items
    assert answer["text"].startswith("The shell printed:\n\nThe colour is red.")


def test_a_patch_creates_and_deletes_the_file_that_is_named() -> None:
    for request in (
        "Create the file todo.md: buy milk",
        "Write a file todo.md with the text buy milk.",
    ):
        ((_, created),) = sent(request, [PATCH])
        assert created["operation"]["type"] == "create_file"
        assert apply_diff("", created["operation"]["diff"], mode="create") == "buy milk"
    deleted = {"type": "delete_file", "path": "old/log.txt"}
    assert sent("Delete old/log.txt", [PATCH]) == [("apply_patch", {"operation": deleted})]


# --- What is said of a search for tools


def test_a_search_for_tools_is_no_source() -> None:
    loaded = ("tool_search", {"paths": ["warehouse"]}, {"tools": ["get_stock"]})
    stock = tool("get_stock", "Get the stock level of a product.", product=text("Product number"))
    request = "How many units of product DRILL-8 are in stock?"
    got = ("get_stock", {"product": "DRILL-8"}, {"units": 4})
    (answer,) = asked(request, [SEARCH, stock], loaded, got).items
    assert answer["text"] == "According to get_stock: units 4."
    (question,) = asked("Get the stock level of a product.", [SEARCH, stock], loaded).items
    assert "product" in question["text"]


# --- What no tool may take long over


@pytest.mark.parametrize("piece", ["a/", "1 ", "5% ", "use ", "over 1 ", "\n", "is (1+", '"'])
def test_a_long_text_is_read_in_part(piece: str) -> None:
    named = ("web_search", "file_search", "code_interpreter", "image_generation")
    tools = [{"type": name, "name": name, "description": "Do it."} for name in named]
    told = piece * (100_000 // len(piece))
    tools += [WEATHER, SEARCH, shelled(), PATCH, custom()]
    prompt = Prompt(told, history(told), tools)
    assert StandIn().respond(prompt).items  # with a pattern that goes back and forth it never ends


# --- Instructions


def instructed(request: str, tools: list[Json], told: str) -> list[tuple[str, Json]]:
    as_field = StandIn().respond(Prompt(told, history(request), tools)).items
    first = [{"role": "developer", "content": told}, *history(request)]
    assert StandIn().respond(Prompt(None, first, tools)).items == as_field
    return calls(as_field)


def test_what_instructions_say_of_a_tool_counts_as_its_description_does() -> None:
    vague = tool("op_b", "Runs b.", v=text())
    request = "Is it warm enough for a swim at Bondi?"
    assert sent(request, [vague]) == []
    told = "Use op_b for any question on swimming or the beach."
    assert instructed(request, [vague], told) == [("op_b", {"v": "Bondi"})]
    check = tool("verify_caller", "Check who is calling.", phone=text("Phone number"))
    close = tool("close_account", "Close an account.", account=text("Account number, e.g. AC-12"))
    request = "Close account AC-12. My phone is +49 30 1234567."
    assert [name for name, _ in sent(request, [check, close])] == ["close_account"]
    told = "Be polite. Before you use close_account, call verify_caller first."
    assert [name for name, _ in instructed(request, [check, close], told)] == ["verify_caller"]


def test_a_sentence_about_two_tools_tells_them_apart() -> None:
    one, two = (tool(name, "Runs.", v=text()) for name in ("op_a", "op_b"))
    request = "Is it warm enough for a swim at Bondi?"
    for told in (
        "Use op_a to repair bicycles and op_b for swimming and beaches.",
        "Use op_a to repair bicycles; for swimming and the beach use op_b.",
        "Do not use op_a for swimming: use op_b for swimming and beaches.",
    ):
        assert [name for name, _ in instructed(request, [one, two], told)] == ["op_b"], told


def test_what_instructions_state_is_taken_for_what_was_not_said() -> None:
    told = "You are a helpful assistant. The user's city is Rome."
    assert instructed("What is the weather?", [WEATHER], told) == [
        ("get_weather", {"city": "Rome"})
    ]
    other = instructed("What is the weather in Oslo?", [WEATHER], told)
    assert other == [("get_weather", {"city": "Oslo"})]
    assert instructed("What is the weather?", [WEATHER], "You help people in Berlin.") == []
