"""The arguments of system calls as text, the way strace writes them."""

from .formatter import Captured, Formatter
from .read_schedule import Access
from .read_specs import Form, Read
from .results import RETURN_DESCRIPTORS
from .signals import MASK_IN_FRAME
from .traced_call import Memory

__all__ = [
    "MASK_IN_FRAME",
    "RETURN_DESCRIPTORS",
    "Access",
    "Captured",
    "Form",
    "Formatter",
    "Memory",
    "Read",
]
