"""The running example: a small shop and its carrier, as ordinary functions over packaged data.

Nothing here knows of models or of tools. A lesson turns these functions into tools.
"""

import json
from pathlib import Path
from typing import Any

TODAY = "2026-07-14"  # the day on which the course takes place
DOCUMENTS = Path(__file__).with_name("documents")  # what the shop tells its customers

_ORDERS, _PARCELS = (
    json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for name in ("orders.json", "parcels.json")
)


def get_order(order_id: str) -> dict[str, Any]:
    """The order's id and promised delivery date (ISO). KeyError for an unknown order."""
    return {"order_id": order_id, "promised_date": _ORDERS[order_id]["promised_date"]}


def owner_of(order_id: str) -> str:
    """The id of the customer whose order it is. KeyError for an unknown order."""
    return str(_ORDERS[order_id]["customer"])


def find_parcel(order_id: str) -> dict[str, Any]:
    """The parcel an order travels in; its id is None before the order is shipped."""
    return {"order_id": order_id, "parcel_id": _ORDERS[order_id]["parcel"]}


def track_parcel(parcel_id: str) -> dict[str, Any]:
    """Where the carrier last saw a parcel, when (ISO date), and its note. KeyError if unknown."""
    return {"parcel_id": parcel_id, **_PARCELS[parcel_id]}
