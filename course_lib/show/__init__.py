"""What happened, drawn. `show` reads, and changes nothing."""

from .response import calls, choice, error
from .run import context, sequence, trace

__all__ = ["calls", "choice", "context", "error", "sequence", "trace"]
