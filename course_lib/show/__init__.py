"""What happened, drawn. `show` reads, and changes nothing."""

from .calls import calls
from .choice import choice
from .error import error

__all__ = ["calls", "choice", "error"]
