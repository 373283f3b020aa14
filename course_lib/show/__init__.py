"""What happened, drawn. `show` reads, and changes nothing."""

from .views import calls, choice, context, error, sequence, trace

__all__ = ["calls", "choice", "context", "error", "sequence", "trace"]
