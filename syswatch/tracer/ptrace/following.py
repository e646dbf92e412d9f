"""What follows objects and waits; it is imported only if they are followed."""

from syswatch.base.redaction import Redactor
from syswatch.model.catalog import can_wait
from syswatch.model.messages import TraceOptions
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.effects import (
    changes_tables_at_end,
    closes_at_once,
    commands_that_change_tables,
)
from syswatch.tracer.objects.hosts import HostNames, read_hosts
from syswatch.tracer.objects.known import KnownObjects
from syswatch.tracer.objects.live import LiveDescriptors
from syswatch.tracer.objects.masking import Masking
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved, Way

from .activity import Activity
from .calls import CallKind, Effect
from .subjects import Subjects
from .threads import Threads

# What a path leads to is different after these.
_MOVE_PATHS = frozenset(
    [
        *("chdir", "fchdir", "chroot", "pivot_root", "setns", "unshare"),
        *("mount", "move_mount", "umount", "umount2"),
        *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
    ]
)


def make_activity(options: TraceOptions, threads: Threads) -> Activity:
    """Return what collects the objects and waits of threads."""

    def owner_of(tid: int) -> Owner:
        thread = threads.by_tid.get(tid)
        if thread is None:
            return Owner(tid)
        return Owner(thread.process.pid, thread.process.comm)

    redact = Redactor(options.redact)
    known = KnownObjects(mask=Masking(options, redact), hosts=HostNames(read_hosts()))
    descriptors = Descriptors(known, LiveDescriptors(owner_of))
    return Activity(threads, Subjects(descriptors, threads, options.read_arguments), redact)


def add_object(call: CallKind) -> None:
    """Set what is needed to follow objects and waits."""
    call.bound_ns = 0
    call.target = target = target_of(call.plain_name)
    call.can_wait = can_wait(call.plain_name)
    call.changes_tables = changes_tables_at_end(call.plain_name)
    call.opens_path = call.plain_name in ("open", "openat")
    call.names_path = target.way is Way.PATH
    call.moves_paths = call.plain_name in _MOVE_PATHS
    call.closes_at_once = closes_at_once(call.plain_name)
    call.acts = target.way is not Way.NONE or call.effect is Effect.RESTART
    call.moves = target.moved in (Moved.IN, Moved.OUT)
    call.flags_at = target.flags
    # What connect acts on is its address.
    is_descriptor = target.way is Way.DESCRIPTOR and call.plain_name != "connect"
    call.on_descriptor = is_descriptor and target.argument == 0
    call.descriptor_at = target.argument if is_descriptor and not call.on_descriptor else -1
    call.found_at_entry = call.on_descriptor or call.closes_at_once
    call.closes_first = call.plain_name == "close"
    call.handled_at_entry |= call.closes_at_once and not call.closes_first
    moves_otherwise = bool(target.moved) and not call.moves
    call.commands = commands_that_change_tables(call.plain_name)
    changes_always = call.changes_tables and not call.commands
    call.handled_at_exit |= changes_always or call.moves_paths or moves_otherwise
