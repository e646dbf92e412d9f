"""
Prints system calls as strace does, from registers and memory.

The catalog (`syswatch.model.catalog`) says of which kind each argument of a call is, and
`printers` maps each kind to a printer: a function of the call and the index of the argument.
Printers are defined in modules by topic (`signals`, `sockaddr`, `netlink`, ...), which describe
structures of the kernel as data.  Tables of names are in `names_*` and are looked up through
`symbols`.  Calls whose list of arguments depends on its values (`ioctl`, `futex`, `prctl`, ...)
have a function in `special_calls` that corrects the list, and `results` prints return values.

`call_plan` puts the printers of a call together once, `Formatter` applies them.  Input is printed
at the entry of a call, output at its exit.  A tracer in the kernel cannot wait for printers to ask
for memory: `read_specs` and `read_schedule` tell it in advance what to copy, and when.
"""

from .formatter import Captured, Formatter
from .memory_reads import Form, Read
from .read_schedule import Access
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
