"""The arguments of system calls as text, the way strace writes them."""

from .formatter import Captured, Formatter
from .memory import Memory
from .plan import OPENED_PATH
from .results import RETURN_DESCRIPTORS

__all__ = ["OPENED_PATH", "RETURN_DESCRIPTORS", "Captured", "Formatter", "Memory"]
