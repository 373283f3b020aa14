"""The model behind the offline platform: a deterministic stand-in, or a script.

It knows nothing of HTTP, of notebooks or of the shop. It sees a `Prompt` and gives an `Answer`.
"""

from .model import StandIn, propose
from .prompt import call, message, refusal
from .scripted import Scripted, ScriptError

__all__ = ["ScriptError", "Scripted", "StandIn", "call", "message", "propose", "refusal"]
