"""Task 02.4: a tool_choice for each situation."""

from tests.answers import Right, Wrong

CHAT = "chat: the model decides, question by question"
FORM = "form: get_order and nothing else, whatever the text says"
RESEARCH = "research: a call in any case, of whichever tool fits"
CLOSING = "closing: words alone, though the tools stay declared"


def choices(**other: str) -> str:
    right = {
        "chat": '"auto"',
        "form": '{"type": "function", "name": "get_order"}',
        "research": '"required"',
        "closing": '"none"',
    }
    members = ", ".join(f'"{name}": {value}' for name, value in (right | other).items())
    return f"choices = {{{members}}}"


RIGHT: dict[str, Right] = {
    "the_four_forms": choices(),
    "with_types_of_the_sdk": """
from openai.types.responses import ToolChoiceFunction, ToolChoiceFunctionParam

choices = dict(chat="auto", research="required", closing="none")
choices["form"] = ToolChoiceFunctionParam(type="function", name="get_order")
""",
    "with_tools_allowed": choices(
        chat='{"type": "allowed_tools", "mode": "auto", "tools": '
        '[{"type": "function", "name": name} for name in ("get_order", "get_stock")]}',
        form='{"type": "allowed_tools", "mode": "required", "tools": '
        '[{"type": "function", "name": "get_order"}]}',
    ),
    "more_than_were_asked_for": choices(other='"auto"'),
}

WRONG: dict[str, Wrong] = {
    "any_for_research": Wrong(
        choices(research='"any"'),
        (RESEARCH,),
        "the API refused: Invalid value: 'any'. Supported values are: 'none', 'auto', and "
        "'required'.",
        "['get_order']",
    ),
    "required_for_the_form": Wrong(
        choices(form='"required"'), (FORM,), "['get_stock'] (a list)", "['get_order']"
    ),
    "auto_for_the_form": Wrong(
        choices(form='"auto"'), (FORM,), "['get_stock'] (a list)", "['get_order']"
    ),
    "named_as_in_chat_completions": Wrong(
        choices(form='{"type": "function", "function": {"name": "get_order"}}'),
        (FORM,),
        "the API refused: Missing required parameter: 'tool_choice.name'.",
        "['get_order']",
    ),
    "the_name_alone": Wrong(
        choices(form='"get_order"'), (FORM,), "the API refused: Invalid value", "['get_order']"
    ),
    "a_tool_that_is_not_there": Wrong(
        choices(form='{"type": "function", "name": "find_order"}'),
        (FORM,),
        "the API refused: Tool choice 'find_order' not found in 'tools' parameter.",
        "['get_order']",
    ),
    "auto_for_research": Wrong(choices(research='"auto"'), (RESEARCH,), "[] (a list)", "a call"),
    "named_for_research": Wrong(
        choices(research='{"type": "function", "name": "get_order"}'),
        (RESEARCH,),
        "['get_order'] (a list)",
        "['get_stock']",
    ),
    "required_for_the_chat": Wrong(choices(chat='"required"'), (CHAT,), "(a list)", "[] (a list)"),
    "none_for_the_chat": Wrong(
        choices(chat='"none"'), (CHAT,), "[] (a list)", "['get_order'] (a list)"
    ),
    "auto_for_the_closing": Wrong(
        choices(closing='"auto"'), (CLOSING,), "['get_order'] (a list)", "[] (a list)"
    ),
    "auto_everywhere": Wrong(
        "choices = dict.fromkeys(['chat', 'form', 'research', 'closing'], 'auto')",
        (FORM, RESEARCH, CLOSING),
        "['get_stock'] (a list)",
        "['get_order']",
    ),
    "one_left_out": Wrong(
        choices() + "\ndel choices['closing']", (CLOSING,), "which has no 'closing'", "[] (a list)"
    ),
    "none_of_python": Wrong(
        choices(closing="None"), (CLOSING,), "['get_order'] (a list)", "[] (a list)"
    ),
}
