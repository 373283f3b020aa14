"""What happened, drawn: `show.calls` and `show.choice`. It reads, and changes nothing."""

from .calls import calls
from .choice import choice

__all__ = ["calls", "choice"]
