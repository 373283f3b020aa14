"""What happened, drawn. `show` reads, and changes nothing."""

from .calls import calls
from .choice import choice
from .context import context
from .error import error
from .sequence import sequence
from .trace import trace

__all__ = ["calls", "choice", "context", "error", "sequence", "trace"]
