"""Task 03.3: the guard that objects before a request is sent."""

from tests.answers import Right, Wrong

PRO = "the two pro models have no code interpreter"
OTHERS = "and have the other tools"
FORCED = "o3 and o3-pro are not forced beside a hosted tool"
FREE = "and may choose for themselves"
FUNCTIONS = "and are forced to a function where nothing is hosted"
DATED = "a dated name is the same model"
ALIKE = "a name that begins alike is another model"
NAMES = "an objection names the tool that stands in the way"

GUARD = """
import re

def objection(model, tools, tool_choice=None):
    name = re.sub(r"-\\d{4}-\\d\\d-\\d\\d$", "", model)
    hosted = [tool["type"] for tool in tools if tool["type"] != "function"]
    if name in ("gpt-5-pro", "gpt-5.2-pro") and "code_interpreter" in hosted:
        return f"{model} has no code_interpreter."
    if name in ("o3", "o3-pro") and hosted and tool_choice not in (None, "auto"):
        return f"Beside {hosted[0]}, {model} takes no tool_choice but 'auto'."
    return None
"""

RIGHT: dict[str, Right] = {
    "the_date_taken_off": GUARD,
    "two_patterns": """
import re

HOSTED = {"web_search", "file_search", "code_interpreter", "image_generation", "mcp"}

def objection(model, tools, tool_choice=None):
    types = {tool["type"] for tool in tools}
    date = r"(-\\d{4}-\\d{2}-\\d{2})?"
    if re.fullmatch(rf"gpt-5(\\.2)?-pro{date}", model) and "code_interpreter" in types:
        return "code_interpreter is not for " + model
    found = sorted(types & HOSTED)
    if re.fullmatch(rf"o3(-pro)?{date}", model) and found:
        if tool_choice is not None and tool_choice != "auto":
            return f"{model}: leave tool_choice out, because of {', '.join(found)}"
""",
    "the_two_families": """
def objection(model, tools, tool_choice=None):
    for family in ("o3-pro", "o3", "gpt-5-pro", "gpt-5.2-pro"):
        rest = model.removeprefix(family)
        if rest == model or (rest and not rest.startswith("-20")):
            continue
        for tool in tools:
            kind = tool["type"]
            if family.startswith("gpt") and kind == "code_interpreter":
                return f"{family} cannot run {kind}"
            if family.startswith("o3") and kind != "function":
                if (tool_choice or "auto") != "auto":
                    return f"{family} cannot be forced beside {kind}"
""",
    "by_its_snapshots": """
PRO = {"gpt-5-pro", "gpt-5-pro-2025-10-06", "gpt-5.2-pro", "gpt-5.2-pro-2025-12-11"}
ONLY_AUTO = {"o3", "o3-2025-04-16", "o3-pro", "o3-pro-2025-06-10"}

async def objection(model, tools, tool_choice=None):
    match [tool["type"] for tool in tools if tool["type"] != "function"]:
        case kinds if model in PRO and "code_interpreter" in kinds:
            return "Take code_interpreter out, or take another model."
        case [kind, *_] if model in ONLY_AUTO and tool_choice not in ("auto", None):
            return f"{model} chooses by itself where there is {kind}."
    return None
""",
}

WRONG: dict[str, Wrong] = {
    "never_objects": Wrong(
        "def objection(model, tools, tool_choice=None):\n    return None",
        (PRO, FORCED, DATED, NAMES),
        "nothing: is a return missing?",
        "a sentence, for the API refuses: Hosted tool 'code_interpreter' is not supported with "
        "gpt-5-pro-2025-10-06.",
    ),
    "always_objects": Wrong(
        "def objection(model, tools, tool_choice=None):\n    return 'web_search? Better not.'",
        (OTHERS, FREE, FUNCTIONS, DATED, ALIKE, NAMES),
        "'web_search? Better not.' (a string)",
        "None, for the API takes this request",
    ),
    "no_hosted_tool_for_the_pro_models": Wrong(
        GUARD.replace('"code_interpreter" in hosted', "hosted"),
        (OTHERS, DATED),
        "has no code_interpreter.' (a string)",
        "None, for the API takes this request",
    ),
    "one_pro_model_alone": Wrong(
        GUARD.replace(', "gpt-5.2-pro")', ",)"),
        (PRO, DATED, NAMES),
        "nothing",
        "is not supported with gpt-5.2-pro-2025-12-11.",
    ),
    "the_first_tool_alone": Wrong(
        GUARD.replace('"code_interpreter" in hosted', 'tools[0]["type"] == "code_interpreter"'),
        (PRO, OTHERS, NAMES),
        "nothing",
        "a sentence, for the API refuses: Hosted tool 'code_interpreter'",
    ),
    "no_dates": Wrong(
        GUARD.replace('re.sub(r"-\\d{4}-\\d\\d-\\d\\d$", "", model)', "model"),
        (DATED, NAMES),
        "nothing",
        "is not supported with gpt-5-pro-2025-10-06.",
    ),
    "by_the_beginning_of_the_name": Wrong(
        GUARD.replace('name in ("o3", "o3-pro")', 'model.startswith("o3")').replace(
            'name in ("gpt-5-pro", "gpt-5.2-pro")', 'model.startswith("gpt-5")'
        ),
        (ALIKE,),
        "'gpt-5 has no code_interpreter.' (a string)",
        "None, for the API takes this request",
    ),
    "o3_mini_as_well": Wrong(
        GUARD.replace('name in ("o3", "o3-pro")', 'model.startswith("o3")'),
        (ALIKE,),
        "Beside web_search, o3-mini takes",
        "None, for the API takes this request",
    ),
    "o3_pro_forgotten": Wrong(
        GUARD.replace('("o3", "o3-pro")', '("o3",)'),
        (FORCED, DATED, NAMES),
        "nothing",
        "o3-pro-2025-06-10 supports only tool_choice 'auto'.",
    ),
    "functions_count_as_hosted": Wrong(
        GUARD.replace(' if tool["type"] != "function"', ""),
        (FUNCTIONS, NAMES),
        "Beside function, o3 takes",
        "None, for the API takes this request",
    ),
    "required_alone_is_stopped": Wrong(
        GUARD.replace('tool_choice not in (None, "auto")', 'tool_choice == "required"'),
        (FORCED, DATED, NAMES),
        "nothing",
        "o3-2025-04-16 supports only tool_choice 'auto'.",
    ),
    "a_choice_left_out_is_stopped": Wrong(
        GUARD.replace('not in (None, "auto")', '!= "auto"'),
        (FREE,),
        "Beside web_search, o3 takes",
        "None, for the API takes this request",
    ),
    "a_picture_is_not_hosted": Wrong(
        GUARD.replace('!= "function"', 'not in ("function", "image_generation")'),
        (FORCED, NAMES),
        "nothing",
        "With hosted tool 'image_generation', o3-pro-2025-06-10 supports only tool_choice 'auto'.",
    ),
    "a_server_is_not_hosted": Wrong(
        GUARD.replace('!= "function"', 'not in ("function", "mcp")'),
        (FORCED, NAMES),
        "nothing",
        "With hosted tool 'mcp', o3-pro-2025-06-10 supports only tool_choice 'auto'.",
    ),
    "true_and_false": Wrong(
        GUARD.replace("def objection", "def sentence")
        + "\ndef objection(*given):\n    return sentence(*given) is not None",
        (PRO, OTHERS, FORCED, FREE, FUNCTIONS, DATED, ALIKE, NAMES),
        "True (a bool)",
        "a sentence, for the API refuses",
    ),
    "it_raises": Wrong(
        GUARD.replace("return f", "raise ValueError(f").replace('."\n', '.")\n'),
        (PRO, FORCED, DATED, NAMES),
        "your code raised ValueError: gpt-5-pro has no code_interpreter.",
        "a sentence, for the API refuses",
    ),
    "a_sentence_that_says_nothing": Wrong(
        GUARD.replace("{hosted[0]}", "that").replace("code_interpreter.", "such thing."),
        (NAMES,),
        "'gpt-5-pro has no such thing.' (a string)",
        "a sentence with the type of the hosted tool in it",
    ),
}
