"""Task 01.5: three tools that only their descriptions tell apart."""

from tests.answers import Right, Wrong

FORM = "three flat, strict tools that take one text, customer"
ACCEPTED = "the API accepts the catalogue"
ORDERS = "questions for search_orders go there"
COMPLAINTS = "questions for search_complaints go there"
INVOICES = "questions for search_invoices go there"

GIVEN = """
customer = {
    "type": "object",
    "properties": {"customer": {"type": "string", "description": "Customer number, e.g. C-7"}},
    "required": ["customer"],
    "additionalProperties": False,
}

def tool(name, description, **more):
    return {
        "type": "function", "name": name, "description": description, "strict": True,
        "parameters": customer, **more,
    }
"""
NAMES = ("search_orders", "search_complaints", "search_invoices")


def catalogue(*descriptions: str) -> str:
    tools = [f"tool({name!r}, {text!r})" for name, text in zip(NAMES, descriptions, strict=True)]
    return f"{GIVEN}\ncatalogue = [{', '.join(tools)}]\n"


GOOD = (
    "List what a customer has ordered.",
    "List what a customer has complained about.",
    "List the invoices a customer has not paid.",
)

RIGHT: dict[str, Right] = {
    "one_sentence_each": catalogue(*GOOD),
    "nouns": catalogue(
        "A customer's orders.",
        "A customer's complaints.",
        "A customer's unpaid invoices: what they have to pay.",
    ),
    "with_their_uses": catalogue(
        "Orders of a customer, newest first. Use it for questions about orders and purchases.",
        "Complaints of a customer, with the article. Use it for questions about complaints.",
        "Unpaid invoices of a customer. Use it for questions about what is not paid yet.",
    ),
    "with_their_bounds": catalogue(
        "Return the orders a customer has placed. Do not use it for complaints or invoices.",
        "Return the complaints a customer has made. Do not use it for orders.",
        "Return the invoices that a customer still has to pay.",
    ),
    "in_another_order_as_a_tuple": GIVEN
    + f"""
catalogue = (
    tool("search_invoices", {GOOD[2]!r}),
    tool("search_orders", {GOOD[0]!r}),
    tool("search_complaints", {GOOD[1]!r}),
)
""",
}

WRONG: dict[str, Wrong] = {
    "the_same_for_all": Wrong(
        catalogue(*["Everything about a customer: orders, complaints and invoices."] * 3),
        (COMPLAINTS, INVOICES),
        "[['search_orders', {'customer': 'C-7'}]] (a list)",
        "one call, of search_complaints",
    ),
    "vague": Wrong(
        catalogue("Customer data.", "More customer data.", "Other customer data."),
        (COMPLAINTS, INVOICES),
        "(a list)",
        "one call, of search_complaints",
    ),
    "two_interchanged": Wrong(
        catalogue(GOOD[1], GOOD[0], GOOD[2]),
        (ORDERS, COMPLAINTS),
        "[['search_complaints', {'customer': 'C-7'}]] (a list)",
        "one call, of search_orders",
    ),
    "nested": Wrong(
        catalogue(*GOOD)
        + "catalogue = [{'type': 'function', 'function': each} for each in catalogue]",
        (FORM, ACCEPTED, ORDERS, COMPLAINTS, INVOICES),
        "'function': {'type': 'function', 'name': 'search_orders'",
        "a list of search_orders, search_complaints, search_invoices",
    ),
    "one_missing": Wrong(
        catalogue(*GOOD) + "del catalogue[1]",
        (FORM, COMPLAINTS),
        "'name': 'search_orders'",
        "a list of search_orders, search_complaints, search_invoices",
    ),
    "by_name_instead_of_a_list": Wrong(
        catalogue(*GOOD) + "catalogue = {each['name']: each for each in catalogue}",
        (FORM, ACCEPTED, ORDERS, COMPLAINTS, INVOICES),
        "{'search_orders': {'type': 'function'",
        "a list of search_orders, search_complaints, search_invoices",
    ),
    "an_argument_of_its_own_each": Wrong(
        catalogue(*GOOD)
        + """
for tool in catalogue:
    name = tool["name"].removeprefix("search_")
    properties = {name: {"type": "string", "description": "Customer number, e.g. C-7"}}
    tool["parameters"] = {**customer, "properties": properties, "required": [name]}
""",
        (FORM,),
        "'name': 'search_orders'",
        "each with customer alone",
    ),
    "not_strict": Wrong(
        catalogue(*GOOD) + "for tool in catalogue: tool['strict'] = False",
        (FORM,),
        "'strict': False",
        "each strict",
    ),
    "not_closed": Wrong(
        catalogue(*GOOD) + "del customer['additionalProperties']",
        (FORM, ACCEPTED, ORDERS, COMPLAINTS, INVOICES),
        "'name': 'search_orders'",
        "each strict",
    ),
}
