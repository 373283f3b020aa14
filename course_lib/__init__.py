"""The few names a notebook uses. Everything else in the course is the real libraries."""

from . import show
from .live import connect, connect_agents, connect_async, model_name

MODEL = model_name()

__all__ = ["MODEL", "connect", "connect_agents", "connect_async", "show"]
