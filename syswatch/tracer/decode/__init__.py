"""The arguments of system calls as text, the way strace writes them."""

from .formatter import Captured, Formatter
from .memory import Memory
from .results import RETURN_DESCRIPTORS

__all__ = ["RETURN_DESCRIPTORS", "Captured", "Formatter", "Memory"]
