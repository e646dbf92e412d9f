"""The arguments of system calls as text, the way strace writes them."""

from .extents import Form, Read
from .formatter import Captured, Formatter
from .memory import Memory
from .plan import OPENED_PATH
from .reads import Moment
from .results import RETURN_DESCRIPTORS
from .signals import MASK_IN_FRAME

__all__ = [
    "MASK_IN_FRAME",
    "OPENED_PATH",
    "RETURN_DESCRIPTORS",
    "Captured",
    "Form",
    "Formatter",
    "Memory",
    "Moment",
    "Read",
]
