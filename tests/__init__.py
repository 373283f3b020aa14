"""The course's tests. `python3 start.py test` runs them all, and the notebooks with them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
