"""Task 01.1: declare get_stock, and ask one question with it."""

from tests.answers import Right, Wrong

FLAT = "the declaration is flat and names get_stock"
DESCRIPTION = "the description says when to call"
SCHEMA = "the schema asks for one text, sku, and nothing else"
ACCEPTED = "the API accepts the request"
SENT = "the question and the tool are sent"
CALLED = "the model asks for get_stock with the article's sku"
ANOTHER = "another question brings another sku"
UNRELATED = "a question it does not fit brings no call"

PARAMETERS = """
parameters = {
    "type": "object",
    "properties": {"sku": {"type": "string", "description": "Article number, e.g. TR-40"}},
    "required": ["sku"],
    "additionalProperties": False,
}
"""
TOOL = (
    PARAMETERS
    + """
stock_tool = {
    "type": "function",
    "name": "get_stock",
    "description": "Return how many units of an article are in stock. Use it for stock questions.",
    "strict": True,
    "parameters": parameters,
}
"""
)
IMPORT = "\nfrom course_lib import MODEL\n"
ASK = (
    IMPORT
    + """
def ask(client, question):
    return client.responses.create(model=MODEL, input=question, tools=[stock_tool])
"""
)

RIGHT: dict[str, Right] = {
    "as_in_the_solution": TOOL + ASK,
    "description_in_other_words": TOOL
    + "stock_tool['description'] = 'Looks up the stock level of one article by its sku.'"
    + ASK,
    "sku_without_an_example": TOOL + "parameters['properties'] = {'sku': {'type': 'string'}}" + ASK,
    "strict_left_out": TOOL + "del stock_tool['strict']" + ASK,
    "keyword_arguments": """
from course_lib import MODEL

sku = dict(description="The article", type="string")
parameters = dict(additionalProperties=False, required=("sku",), properties=dict(sku=sku))
stock_tool = dict(
    parameters=dict(type="object", **parameters),
    name="get_stock",
    description="Number of units in stock for an article",
    type="function",
    strict=True,
)

def ask(client, question):
    request = dict(tools=(stock_tool,), input=question, model=MODEL)
    return client.responses.create(**request)
""",
    "built_by_a_function": """
from course_lib import MODEL

def declare(name, description, **properties):
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "function", "name": name, "description": description,
        "strict": True, "parameters": parameters,
    }

stock_tool = declare(
    "get_stock", "Tells how many units of an article are in stock.",
    sku={"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
)
"""
    + ASK,
    "schema_of_pydantic": """
from course_lib import MODEL
from pydantic import BaseModel, ConfigDict, Field

class Stock(BaseModel):
    model_config = ConfigDict(extra="forbid")
    sku: str = Field(description="Article number, e.g. TR-40")

stock_tool = {
    "type": "function",
    "name": "get_stock",
    "description": "Return how many units of an article are in stock.",
    "strict": True,
    "parameters": Stock.model_json_schema(),
}
"""
    + ASK,
    "a_typed_dict": """
from openai.types.responses import FunctionToolParam
"""
    + PARAMETERS
    + """
stock_tool = FunctionToolParam(
    type="function", name="get_stock", parameters=parameters, strict=True,
    description="Return how many units of an article are in stock.",
)
"""
    + ASK,
    "input_as_a_list": TOOL
    + IMPORT
    + """
def ask(client, question):
    history = [
        {"role": "developer", "content": "You answer questions about a shop."},
        {"role": "user", "content": question},
    ]
    return client.responses.create(model=MODEL, input=history, tools=[stock_tool])
""",
    "instructions_and_no_store": TOOL
    + IMPORT
    + """
def ask(client, question, **options):
    return client.responses.create(
        model=MODEL, instructions="Be brief.", input=question, tools=[stock_tool],
        tool_choice="auto", store=False, **options
    )
""",
    "an_async_ask": TOOL
    + IMPORT
    + """
async def ask(client, question):
    return client.responses.create(model=MODEL, input=question, tools=[stock_tool])
""",
    "streamed_and_put_together": TOOL
    + IMPORT
    + """
def ask(client, question):
    with client.responses.stream(model=MODEL, input=question, tools=[stock_tool]) as stream:
        return stream.get_final_response()
""",
    "the_output_returned": TOOL
    + IMPORT
    + """
def ask(client, question):
    return client.responses.create(model=MODEL, input=question, tools=[stock_tool]).output
""",
}

_INNER = "inner = {key: value for key, value in stock_tool.items() if key != 'type'}\n"

WRONG: dict[str, Wrong] = {
    "nested_as_in_chat_completions": Wrong(
        TOOL + _INNER + "stock_tool = {'type': 'function', 'function': inner}" + ASK,
        (FLAT, DESCRIPTION, SCHEMA, ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "{'type': 'function', 'function': {'name': 'get_stock'",
        "side by side",
    ),
    "nested_by_the_sdk_helper": Wrong(
        """
import openai
from pydantic import BaseModel

class get_stock(BaseModel):
    '''Return how many units of an article are in stock.'''
    sku: str

stock_tool = openai.pydantic_function_tool(get_stock)
"""
        + ASK,
        (FLAT, DESCRIPTION, SCHEMA, ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "'function': {'name': 'get_stock'",
        "side by side",
    ),
    "another_name": Wrong(
        TOOL + "stock_tool['name'] = 'stock'" + ASK,
        (FLAT, CALLED, ANOTHER),
        "'name': 'stock'",
        '"name": "get_stock"',
    ),
    "no_type": Wrong(
        TOOL + "del stock_tool['type']" + ASK,
        (FLAT, ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "{'name': 'get_stock'",
        '"type": "function"',
    ),
    "an_empty_description": Wrong(
        TOOL + "stock_tool['description'] = ''" + ASK,
        (DESCRIPTION,),
        "'' (a string)",
        "even a tool named tool_1",
    ),
    "a_vague_description": Wrong(
        TOOL + "stock_tool['description'] = 'Looks things up in the shop.'" + ASK,
        (DESCRIPTION,),
        "'Looks things up in the shop.' (a string)",
        "even a tool named tool_1",
    ),
    "a_description_of_three_words": Wrong(
        TOOL + "stock_tool['description'] = 'x x x'" + ASK,
        (DESCRIPTION,),
        "'x x x' (a string)",
        "even a tool named tool_1",
    ),
    "no_additional_properties": Wrong(
        TOOL + "del parameters['additionalProperties']" + ASK,
        (SCHEMA, ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "'required': ['sku']} (a dict)",
        "additionalProperties false",
    ),
    "no_additional_properties_and_not_strict": Wrong(
        TOOL + "del parameters['additionalProperties'], stock_tool['strict']" + ASK,
        (SCHEMA,),
        "'required': ['sku']} (a dict)",
        "additionalProperties false",
    ),
    "nothing_required": Wrong(
        TOOL + "del parameters['required']" + ASK,
        (SCHEMA, ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "'additionalProperties': False} (a dict)",
        'required ["sku"]',
    ),
    "an_argument_of_another_name": Wrong(
        TOOL + "parameters.update(properties={'id': {'type': 'string'}}, required=['id'])" + ASK,
        (SCHEMA, CALLED, ANOTHER),
        "{'id': {'type': 'string'}}",
        "properties with sku",
    ),
    "sku_as_a_number": Wrong(
        TOOL + "parameters['properties'] = {'sku': {'type': 'integer'}}" + ASK,
        (SCHEMA, CALLED, ANOTHER),
        "{'sku': {'type': 'integer'}}",
        "sku of type string",
    ),
    "the_tool_is_forgotten": Wrong(
        TOOL
        + IMPORT
        + """
def ask(client, question):
    return client.responses.create(model=MODEL, input=question)
""",
        (SENT, CALLED, ANOTHER),
        "'tools': None",
        "tools=[stock_tool]",
    ),
    "the_tool_is_not_in_a_list": Wrong(
        TOOL + ASK.replace("[stock_tool]", "stock_tool"),
        (ACCEPTED, SENT, CALLED, ANOTHER, UNRELATED),
        "BadRequestError: Error code: 400 - Invalid type for 'tools'",
        "accepted by the API",
    ),
    "the_question_is_hard_coded": Wrong(
        TOOL + ASK.replace("input=question", "input='How many units of TR-40 are in stock?'"),
        (ANOTHER, UNRELATED),
        "'arguments': {'sku': 'TR-40'}",
        '{"sku": "AX-200"}',
    ),
    "the_question_is_ignored": Wrong(
        TOOL + ASK.replace("input=question", "input='What is in stock?'"),
        (SENT, CALLED, ANOTHER),
        "'input': 'What is in stock?'",
        "How many units of TR-40",
    ),
    "the_call_is_forced": Wrong(
        TOOL + ASK.replace("tools=", "tool_choice='required', tools="),
        (UNRELATED,),
        "'type': 'function_call', 'name': 'get_stock'",
        "no function_call",
    ),
    "the_call_is_forced_in_the_older_way": Wrong(
        TOOL
        + ASK.replace(
            "tools=",
            "tool_choice={'type': 'function', 'function': {'name': 'get_stock'}}, tools=",
        ),
        (ACCEPTED, CALLED, ANOTHER, UNRELATED),
        "BadRequestError",
        "accepted by the API",
    ),
    "the_call_is_forbidden": Wrong(
        TOOL + ASK.replace("tools=", "tool_choice='none', tools="),
        (CALLED, ANOTHER),
        "'type': 'message'",
        'one function_call: get_stock with {"sku": "TR-40"}',
    ),
    "the_response_is_not_returned": Wrong(
        TOOL + ASK.replace("return ", "response = "),
        (CALLED, ANOTHER, UNRELATED),
        "None (nothing: is a return missing?)",
        "the response, with one function_call",
    ),
    "the_response_is_printed": Wrong(
        TOOL + ASK.replace("return client", "print(client").replace("tool])", "tool]))"),
        (CALLED, ANOTHER, UNRELATED),
        "None (nothing: is a return missing?)",
        "the response, with one function_call",
    ),
    "only_the_text_is_returned": Wrong(
        TOOL + ASK.replace("[stock_tool])", "[stock_tool]).output_text"),
        (CALLED, ANOTHER, UNRELATED),
        "'' (a string)",
        "the response, with one function_call",
    ),
    "a_client_of_its_own": Wrong(
        "from course_lib import connect\n"
        + TOOL
        + ASK.replace("return client", "return connect()"),
        (ACCEPTED, SENT),
        "no request came through the client it was given",
        "accepted by the API",
    ),
    "chat_completions": Wrong(
        TOOL
        + IMPORT
        + """
def ask(client, question):
    return client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": question}], tools=[stock_tool]
    )
""",
        (ACCEPTED, SENT, CALLED, ANOTHER, UNRELATED),
        "BadRequestError",
        "accepted by the API",
    ),
    "the_older_parameter_names": Wrong(
        TOOL + ASK.replace("input=question", "messages=[question]"),
        (ACCEPTED, SENT, CALLED, ANOTHER, UNRELATED),
        "TypeError",
        "accepted by the API",
    ),
    "a_made_up_response": Wrong(
        TOOL
        + """
def ask(client, question):
    call = {"type": "function_call", "name": "get_stock", "arguments": '{"sku": "TR-40"}'}
    return {"output": [call]}
""",
        (ACCEPTED, SENT, ANOTHER, UNRELATED),
        "no request came through the client it was given",
        "accepted by the API",
    ),
}
