"""The arguments of system calls as text, the way strace writes them."""

from .formatter import Captured, Formatter
from .memory import Memory
from .plan import OPENED_PATH
from .results import RETURN_DESCRIPTORS
from .signals import MASK_IN_FRAME

__all__ = ["MASK_IN_FRAME", "OPENED_PATH", "RETURN_DESCRIPTORS", "Captured", "Formatter", "Memory"]
