"""Which kind of argument is printed by what, and when it has to be read."""

from collections.abc import Mapping

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
    names_rare,
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
from .traced_call import Printer, SaveAtEntry

# Printed from the registers alone.
FROM_REGISTERS: Mapping[Kind, Printer] = {
    **numbers.PRINTERS,
    **futex.PRINTERS,
    **ipc.PRINTERS,
    **fcntl_command.PRINTERS,
    **ioctls.PRINTERS,
    **bpf.PRINTERS,
    **names_files.PRINTERS,
    **names_memory.PRINTERS,
    **names_misc.PRINTERS,
    **names_processes.PRINTERS,
    **names_rare.PRINTERS,
    **names_signals.PRINTERS,
    **names_socket_options.PRINTERS,
    **names_sockets.PRINTERS,
}
# Printed from the registers, or with a path that may be gone after the call.
OF_DESCRIPTORS: Mapping[Kind, Printer] = descriptors.PRINTERS
# Printed from memory that the caller has filled; after the call it may be gone or changed.
AT_ENTRY: Mapping[Kind, Printer] = {
    **bpf.AT_ENTRY,
    **capabilities.AT_ENTRY,
    **clocks.AT_ENTRY,
    **clone.AT_ENTRY,
    **mounts.AT_ENTRY,
    **perf.AT_ENTRY,
    **ipc.AT_ENTRY,
    **sandboxing.AT_ENTRY,
    **scheduling.AT_ENTRY,
    **io_uring.AT_ENTRY,
    **socket_option_values.AT_ENTRY,
    **files.AT_ENTRY,
    **iovecs.AT_ENTRY,
    **netlink.AT_ENTRY,
    **polls.AT_ENTRY,
    **processes.AT_ENTRY,
    **signals.AT_ENTRY,
    **number_pointers.AT_ENTRY,
    **sockaddr.AT_ENTRY,
    **strings.AT_ENTRY,
    **times.AT_ENTRY,
}
# Printed from memory that the kernel has filled.
AT_EXIT: Mapping[Kind, Printer] = {
    **capabilities.AT_EXIT,
    **clocks.AT_EXIT,
    **mounts.AT_EXIT,
    **ipc.AT_EXIT,
    **scheduling.AT_EXIT,
    **io_uring.AT_EXIT,
    **socket_option_values.AT_EXIT,
    **fcntl_command.AT_EXIT,
    **files.AT_EXIT,
    **iovecs.AT_EXIT,
    **netlink.AT_EXIT,
    **polls.AT_EXIT,
    **processes.AT_EXIT,
    **signals.AT_EXIT,
    **number_pointers.AT_EXIT,
    **sockaddr.AT_EXIT,
    **strings.AT_EXIT,
    **times.AT_EXIT,
}
# Of these, the kernel overwrites something that is printed, too.
SAVE_AT_ENTRY: Mapping[Kind, SaveAtEntry] = {
    **mounts.SAVE_AT_ENTRY,
    **iovecs.SAVE_AT_ENTRY,
    **number_pointers.SAVE_AT_ENTRY,
    **sockaddr.SAVE_AT_ENTRY,
}
PRINTERS: Mapping[Kind, Printer] = {**FROM_REGISTERS, **OF_DESCRIPTORS, **AT_ENTRY, **AT_EXIT}
