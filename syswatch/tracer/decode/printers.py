"""All printers, by the kind of argument."""

from collections.abc import Iterable, Mapping
from itertools import chain

from syswatch.model.catalog import ArgumentKind as Kind

from . import (
    bpf,
    capabilities,
    clocks,
    clone,
    descriptors,
    fcntl_command,
    files,
    futex,
    io_uring,
    ioctls,
    iovecs,
    ipc,
    mounts,
    names_files,
    names_memory,
    names_misc,
    names_processes,
    names_signals,
    names_socket_options,
    names_sockets,
    netlink,
    number_pointers,
    numbers,
    perf,
    polls,
    processes,
    sandboxing,
    scheduling,
    signals,
    sockaddr,
    socket_option_values,
    strings,
    times,
)
from .traced_call import Printer, SaveAtEntry, by_value

_ALL = (
    bpf.PRINTERS,
    capabilities.PRINTERS,
    clocks.PRINTERS,
    clone.PRINTERS,
    descriptors.PRINTERS,
    fcntl_command.PRINTERS,
    files.PRINTERS,
    futex.PRINTERS,
    io_uring.PRINTERS,
    ioctls.PRINTERS,
    iovecs.PRINTERS,
    ipc.PRINTERS,
    mounts.PRINTERS,
    names_files.PRINTERS,
    names_memory.PRINTERS,
    names_misc.PRINTERS,
    names_processes.PRINTERS,
    names_signals.PRINTERS,
    names_socket_options.PRINTERS,
    names_sockets.PRINTERS,
    netlink.PRINTERS,
    number_pointers.PRINTERS,
    numbers.PRINTERS,
    perf.PRINTERS,
    polls.PRINTERS,
    processes.PRINTERS,
    sandboxing.PRINTERS,
    scheduling.PRINTERS,
    signals.PRINTERS,
    sockaddr.PRINTERS,
    socket_option_values.PRINTERS,
    strings.PRINTERS,
    times.PRINTERS,
)


def _merged(parts: Iterable[Mapping[Kind, Printer]]) -> Mapping[Kind, Printer]:
    return dict(chain.from_iterable(part.items() for part in parts))


# At the exit, memory that the caller has filled may be changed or unmapped, and a descriptor may
# be closed.
AT_ENTRY = _merged(each.at_entry for each in _ALL)
DESCRIPTORS = _merged(each.descriptors for each in _ALL)
AT_EXIT = _merged(each.at_exit for each in _ALL)
REGISTERS = {
    **_merged(each.registers for each in _ALL),
    **{kind: by_value(text_of) for each in _ALL for kind, text_of in each.numbers.items()},
}
ALL: Mapping[Kind, Printer] = {**REGISTERS, **DESCRIPTORS, **AT_ENTRY, **AT_EXIT}
SAVED_AT_ENTRY: Mapping[Kind, SaveAtEntry] = dict(
    chain.from_iterable(each.saved_at_entry.items() for each in _ALL)
)
