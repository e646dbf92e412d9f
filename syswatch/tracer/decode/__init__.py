"""The arguments of system calls as text, the way strace writes them."""

from .formatter import Captured, Formatter
from .memory import Memory

__all__ = ["Captured", "Formatter", "Memory"]
