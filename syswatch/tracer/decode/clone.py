"""clone and clone3, which create processes and threads."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind

from .names_processes import CLONE_FLAGS, clone_flags
from .names_signals import signal_name
from .numbers import hexadecimal
from .traced_call import Printers, TracedCall, UnreadableError, address_text, follow

# struct clone_args in its first version.
_CLONE_ARGS = struct.Struct("<8Q")
_PARENT_TID_OFFSET = 24
_WORD_BYTES = 8
_PIDFD, _SETTLS = CLONE_FLAGS["CLONE_PIDFD"], CLONE_FLAGS["CLONE_SETTLS"]
_PARENT_SETTID = CLONE_FLAGS["CLONE_PARENT_SETTID"]
_CHILD_TID = CLONE_FLAGS.mask("CLONE_CHILD_SETTID CLONE_CHILD_CLEARTID")


def clone(call: TracedCall, _texts: list[str]) -> list[str]:
    """Print the arguments with their names, since their order depends on the architecture."""
    flag_bits = call.argument(0)
    tls, child_tid = (4, 3) if call.settings.architecture == "x86_64" else (3, 4)
    shown = [f"child_stack={address_text(call.argument(1))}", f"flags={clone_flags(flag_bits)}"]
    if flag_bits & (_PARENT_SETTID | _PIDFD):
        shown.append(f"parent_tid={_tid(call, call.argument(2))}")
    if flag_bits & _SETTLS:
        shown.append(f"tls={address_text(call.argument(tls))}")
    if flag_bits & _CHILD_TID:
        shown.append(f"child_tidptr={address_text(call.argument(child_tid))}")
    return shown


def clone3(call: TracedCall, texts: list[str]) -> list[str]:
    """Add the thread ID that the kernel has written to an address in the structure."""
    if call.failed or not texts[0].startswith("{"):
        return texts
    address = call.argument(0)
    try:
        flag_bits = call.integer(address, _WORD_BYTES)
        parent_tid = call.integer(address + _PARENT_TID_OFFSET, _WORD_BYTES, signed=False)
    except UnreadableError:
        return texts
    if not flag_bits & _PARENT_SETTID:
        return texts
    return [f"{texts[0]} => {{parent_tid={_tid(call, parent_tid)}}}", *texts[1:]]


def _tid(call: TracedCall, address: int) -> str:
    if call.failed or not address:
        return address_text(address)
    try:
        return f"[{call.integer(address)}]"
    except UnreadableError:
        return f"{address:#x}"


def _clone_args(call: TracedCall, index: int, address: int) -> str:
    size = call.argument(index + 1)
    if size < _CLONE_ARGS.size:
        raise UnreadableError
    flag_bits, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls = call.unpack(
        _CLONE_ARGS, address
    )
    parts = [f"flags={CLONE_FLAGS(flag_bits)}"]
    if flag_bits & _PIDFD:
        parts.append(f"pidfd={address_text(pidfd)}")
    if flag_bits & _CHILD_TID:
        parts.append(f"child_tid={address_text(child_tid)}")
    if flag_bits & _PARENT_SETTID:
        parts.append(f"parent_tid={address_text(parent_tid)}")
    parts.append(f"exit_signal={signal_name(exit_signal)}")
    parts.append(f"stack={address_text(stack)}")
    parts.append(f"stack_size={hexadecimal(stack_size)}")
    if flag_bits & _SETTLS:
        parts.append(f"tls={address_text(tls)}")
    return f"{{{', '.join(parts)}}}"


PRINTERS = Printers(
    at_entry={Kind.CLONE_ARGS_IN: follow(_clone_args)},
)
