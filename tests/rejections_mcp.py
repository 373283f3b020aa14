"""The rejection table, its part about MCP servers and approvals (sections A2, A5 and D).

Its rows are those of `rejections.py`, and say in the same way how their words are known.
"""

from course_lib.platform.app import Platform
from course_lib.standin import Scripted, call
from tests.mcp_servers import shop
from tests.rejections import (
    INFERRED,
    REPORTED,
    UNVERIFIED,
    Json,
    Row,
    answer,
    items,
    missing,
    not_among,
    reported,
    tools,
    unknown,
    user,
)

URL = "https://shop.example/mcp"
SHOP: Json = {"type": "mcp", "server_label": "shop", "server_url": URL}
BARE: Json = {"type": "mcp", "server_label": "shop"}
REQUEST: Json = {
    "type": "mcp_approval_request",
    "id": "mcpr_9",
    "server_label": "shop",
    "name": "cancel_order",
    "arguments": "{}",
}
YES: Json = {"type": "mcp_approval_response", "approval_request_id": "mcpr_9", "approve": True}


def pending(platform: Platform) -> str:
    """The id of a response that ends in a request for approval."""
    platform.state.mcp_servers[URL] = shop()
    platform.model = Scripted([call("cancel_order", {"order_id": "A-104"})])
    return str(answer(platform, tools(SHOP, model="gpt-5.4"))["id"])


def unanswered(platform: Platform) -> Json:
    return tools(SHOP, previous_response_id=pending(platform))


def answered_twice(platform: Platform) -> Json:
    twice = [YES | {"approval_request_id": "mcpr_1"}] * 2
    return tools(SHOP, input=twice, previous_response_id=pending(platform))


MCP: list[Row] = [
    missing("tools[0].server_label", tools({"type": "mcp", "server_url": URL}),
        reported("wandb/wandb-mcp-server#5")),
    Row("server without an address", "D", REPORTED, tools(BARE),
        "Missing mutually exclusive parameters: 'tools[0]'. Ensure you are providing exactly one "
        "of: 'server_url', 'connector_id', or 'tunnel_id'.", "tools[0]",
        "missing_mutually_exclusive_parameters"),
    Row("server with two addresses", "D", REPORTED,
        tools(SHOP | {"connector_id": "connector_gmail"}),
        "Mutually exclusive parameters: 'tools[0]'. Ensure you are only providing one of: "
        "'server_url' or 'connector_id'.", "tools[0]", "mutually_exclusive_parameters"),
    Row("connector without a token", "D", REPORTED,
        tools(BARE | {"connector_id": "connector_gmail"}),
        "Must specify 'authorization' parameter with 'connector_id'", "tools[0]"),
    not_among("tools[0].connector_id", "connector_fax",
        "'connector_dropbox', 'connector_gmail', 'connector_googlecalendar', "
        "'connector_googledrive', 'connector_microsoftteams', 'connector_outlookcalendar', "
        "'connector_outlookemail', and 'connector_sharepoint'",
        tools(BARE | {"connector_id": "connector_fax"}), INFERRED),
    not_among("tools[0].require_approval", "sometimes", "'always' and 'never'",
        tools(SHOP | {"require_approval": "sometimes"}), INFERRED),
    unknown("tools[0].require_approval.never.names",
        tools(SHOP | {"require_approval": {"never": {"names": []}}}), source=INFERRED),
    Row("tools allowed as a text", "D", INFERRED, tools(SHOP | {"allowed_tools": "all"}),
        "Invalid type for 'tools[0].allowed_tools': expected one of an array of strings or object, "
        "but got a string instead.", "tools[0].allowed_tools", "invalid_type"),
    Row("two servers of one label", "A5", UNVERIFIED, tools(SHOP, SHOP),
        "Two tools are named 'shop'. The name of a tool must be unique.", "tools", UNVERIFIED),
    Row("server elsewhere", "D", UNVERIFIED, tools(SHOP),
        f"The offline platform reaches no MCP server at '{URL}': it opens no connection that "
        "leaves this machine.", "tools", UNVERIFIED),
    Row("server that is not there", "A5", reported("agentgateway/agentgateway#383"),
        tools(SHOP | {"server_url": "http://127.0.0.1:9/mcp"}),
        "Error retrieving tool list from MCP server: 'shop'. Http status code: 424 (Failed "
        "Dependency)", "tools", "http_error", 424, "external_connector_error"),
    Row("choice of an absent server", "A2", INFERRED,
        tools(SHOP, tool_choice={"type": "mcp", "server_label": "bank"}),
        "Tool choice 'bank' not found in 'tools' parameter.", "tool_choice"),
    missing("tool_choice.server_label", tools(SHOP, tool_choice={"type": "mcp"}), INFERRED),
    Row("request for approval without an answer", "A3", REPORTED, unanswered,
        "The following MCP approval requests do not have an approval: mcpr_1", "input"),
    Row("answer to no request", "A3", REPORTED, items(user(), YES),
        "The following MCP approval requests have approval responses but weren't passed as input: "
        "mcpr_9", "input"),
    Row("request answered twice", "A3", UNVERIFIED, answered_twice,
        "The MCP approval request 'mcpr_1' is answered more than once.", "input", UNVERIFIED),
    Row("approved call without its server", "D", UNVERIFIED,
        items(user(), REQUEST, YES), "The approved call is one of the MCP server 'shop', which is "
        "not in tools.", "tools", UNVERIFIED),
    missing("input[1].approve", items(user(), {"type": YES["type"], "approval_request_id": "x"}),
        INFERRED),
]  # fmt: skip
