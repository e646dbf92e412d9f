"""Which kind of argument is printed by what, and when it has to be read."""

from collections.abc import Mapping

from syswatch.model.catalog import ArgumentKind as Kind

from . import (
    bpf,
    capabilities,
    choices,
    clocks,
    descriptors,
    files,
    messages,
    mounts,
    netlink,
    numbers,
    perf,
    polls,
    processes,
    queues,
    sandboxes,
    scheduling,
    signals,
    small,
    sockaddr,
    texts,
    times,
    uring,
    words_files,
    words_memory,
    words_other,
    words_processes,
    words_rare,
    words_signals,
    words_socket_options,
    words_sockets,
)
from .call import Printer, Remember

# Printed from the registers alone.
FROM_REGISTERS: Mapping[Kind, Printer] = {
    **numbers.PRINTERS,
    **choices.PRINTERS,
    **words_files.PRINTERS,
    **words_memory.PRINTERS,
    **words_other.PRINTERS,
    **words_processes.PRINTERS,
    **words_rare.PRINTERS,
    **words_signals.PRINTERS,
    **words_socket_options.PRINTERS,
    **words_sockets.PRINTERS,
}
# Printed from the registers, or with a path that may be gone after the call.
OF_DESCRIPTORS: Mapping[Kind, Printer] = descriptors.PRINTERS
# Printed from memory that the caller has filled; after the call it may be gone or changed.
AT_ENTRY: Mapping[Kind, Printer] = {
    **bpf.AT_ENTRY,
    **capabilities.AT_ENTRY,
    **clocks.AT_ENTRY,
    **mounts.AT_ENTRY,
    **perf.AT_ENTRY,
    **queues.AT_ENTRY,
    **sandboxes.AT_ENTRY,
    **scheduling.AT_ENTRY,
    **uring.AT_ENTRY,
    **choices.AT_ENTRY,
    **files.AT_ENTRY,
    **messages.AT_ENTRY,
    **netlink.AT_ENTRY,
    **polls.AT_ENTRY,
    **processes.AT_ENTRY,
    **signals.AT_ENTRY,
    **small.AT_ENTRY,
    **sockaddr.AT_ENTRY,
    **texts.AT_ENTRY,
    **times.AT_ENTRY,
}
# Printed from memory that the kernel has filled.
AT_EXIT: Mapping[Kind, Printer] = {
    **capabilities.AT_EXIT,
    **clocks.AT_EXIT,
    **mounts.AT_EXIT,
    **queues.AT_EXIT,
    **scheduling.AT_EXIT,
    **uring.AT_EXIT,
    **choices.AT_EXIT,
    **files.AT_EXIT,
    **messages.AT_EXIT,
    **netlink.AT_EXIT,
    **polls.AT_EXIT,
    **processes.AT_EXIT,
    **signals.AT_EXIT,
    **small.AT_EXIT,
    **sockaddr.AT_EXIT,
    **texts.AT_EXIT,
    **times.AT_EXIT,
}
# Of these, the kernel overwrites something that is printed, too.
REMEMBER: Mapping[Kind, Remember] = {
    **mounts.REMEMBER,
    **messages.REMEMBER,
    **small.REMEMBER,
    **sockaddr.REMEMBER,
}
PRINTERS: Mapping[Kind, Printer] = {**FROM_REGISTERS, **OF_DESCRIPTORS, **AT_ENTRY, **AT_EXIT}
