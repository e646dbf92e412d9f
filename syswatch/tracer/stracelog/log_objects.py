"""
Credits the calls of a log to objects.

Rows come in the order of their lines.  The descriptor with which the arguments begin is the key to
the object, by a table for each process; calls of one name on one object are collected and counted
together.  Calls that begin with a path are collected by name, and their paths looked up when they
are counted, or before the working directory changes.  So most rows cost three look-ups.  Calls
whose object is elsewhere in the arguments, and those that change descriptors, have handlers, which
read the line.

Descriptors are followed as `syswatch.tracer.objects` does it, unless the log has the targets of
descriptors (`-y`), which then count.  What was opened before the log, or before the part of a large
log, begins is not known: such calls are credited to the object that stands for all other
descriptors.
"""

import operator
from collections.abc import Callable, Iterable, Sequence

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT, ObjectKind
from syswatch.tracer.objects.answers import RECEIVING
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.effects import closes_at_once
from syswatch.tracer.objects.known import KnownObjects
from syswatch.tracer.objects.socket_calls import SENDING, may_have_destinations
from syswatch.tracer.objects.targets import Way, target_of

from .grammar import LoggedCall, UnfinishedCall
from .line_format import BEGUN, FIRST, NAME, PATH, PID, Row, name_of, number
from .log_clock import duration_text, split_time
from .log_groups import LogGroups
from .log_handlers import LogHandlers
from .log_keys import ObjectCalls, Pids, Take
from .log_plans import Plan, plan_of
from .log_processes import LogProcesses, acts_at_once
from .log_targets import LogTargets, beginning_of, descriptor_in
from .log_text import LogText
from .logged_arguments import leading_number
from .row_loops import loops

# Of other calls, the object is known when they have returned.
_KNOWN_AT_ENTRY = frozenset(
    {Way.DESCRIPTOR, Way.PATH, Way.OPENED_PATH, Way.SLEEP, Way.CHILD, Way.SIGNAL}
)
# A damaged log may have any number of names.
_MOST_NAMES = 4096


@define
class LogObjects:
    """Follows the calls of a log, and collects them by process, object and name."""

    admits: Callable[[str], bool]
    fallback_pid: int = 0
    admits_success: bool = True
    known: KnownObjects = attrs.field(factory=KnownObjects)
    is_part: bool = False
    processes: LogProcesses = attrs.field(init=False)
    groups: LogGroups = attrs.field(init=False)
    handlers: LogHandlers = attrs.field(init=False)
    _targets: LogTargets = attrs.field(init=False)
    _pids: Pids = attrs.field(init=False)
    _text: LogText = attrs.field(init=False)
    # Whether there are calls that leave in place what they have received.
    leaves_in_place: bool = attrs.field(default=False, init=False)
    # Whether calls of a name have to be noted when they begin, as far as they were met.
    _at_once: dict[bytes, bool] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Start without processes."""
        tables = Descriptors(self.known)
        self.processes = LogProcesses(self._forget, self._leave, tables, self.is_part)
        self._targets = LogTargets(self.processes)
        self._pids = Pids(self._meet, self._targets.of_key, self._start)
        self._text = LogText(self.processes, self.fallback_pid)
        self.groups = LogGroups(self.admits, self.processes, self._pids, self.admits_success)
        self.handlers = LogHandlers(
            self.groups, self.processes, self._targets, self._pids, self._text
        )

    # --- what is fed ---------------------------------------------------------------------------

    def feed_rows(
        self,
        rows: Sequence[Row],
        lines: Sequence[bytes],
        feed_other: Callable[[int], None],
    ) -> None:
        """Take rows; those that are neither calls nor first halves are left to `feed_other`."""
        pids = self._pids
        rest = iter(rows)
        self._text.lines, self._text.end, self._text.rest = lines, len(rows), rest
        places, at_once = self.processes.places, self._at_once
        while (row := loops.collect(rest, pids, places, at_once)) is not None:
            if row[NAME]:
                pids[row[PID]][row[FIRST] or row[PATH][-1:]][row[NAME]](row)
            elif row[BEGUN]:
                self._feed_begun(row)
            else:
                feed_other(len(rows) - operator.length_hint(rest) - 1)

    def _feed(self, row: Row) -> int:
        """Take one row; return its object."""
        self.handlers.found = -1
        calls = self._pids[row[PID]][row[FIRST] or row[PATH][-1:]]
        calls[row[NAME]](row)
        if self.handlers.found >= 0:
            return self.handlers.found
        return self._targets.path(calls.pid, row[PATH]) if calls.object < 0 else calls.object

    def feed_call(self, call: LoggedCall, began_ns: int | None, *, counted: bool) -> int:
        """Take a call that was parsed, and when it began; return its object."""
        second, fraction = (b"", b"") if began_ns is None else split_time(began_ns)
        path, first = beginning_of(call.name, call.args)
        row = Row(
            pid=b"%d" % call.pid if call.pid else b"",
            second=second,
            fraction=fraction,
            name=call.name.encode(),
            resumed=b"",
            arguments=b"",
            path=path,
            first=first,
            result=leading_number(call.ret),
            hexadecimal=b"",
            errno=call.errno.encode(),
            duration=b"" if call.duration_ns is None else duration_text(call.duration_ns),
        )
        return self.feed_text(row, call.args, call.ret, counted=counted)

    def feed_text(self, row: Row, args: bytes, ret: bytes = b"", *, counted: bool = True) -> int:
        """Take one row with the text of its arguments and result; return its object."""
        self._text.args, self._text.ret = args, ret
        try:
            # Calls that the filter leaves out by their name are followed, and not collected.
            if counted or not self.admits(name_of(row.name)):
                return self._feed(row)
            self.handlers.follow(row)
            return NO_OBJECT
        finally:
            self._text.args, self._text.ret = None, b""

    def _feed_begun(self, row: Row) -> None:
        """Take the row of a first half."""
        text, pid = row[BEGUN], number(row[PID])
        raw_name = text[: text.index(b"(")]
        name = name_of(raw_name)
        if len(self._at_once) >= _MOST_NAMES:
            self._at_once.clear()
        acts = self._at_once[raw_name] = acts_at_once(name)
        if acts:
            self.feed_first_half(UnfinishedCall(pid, b"", name, text[len(raw_name) + 1 :]))
        else:
            self.processes.meet(pid or self.fallback_pid)

    def feed_first_half(self, half: UnfinishedCall) -> None:
        """Take the first half of a call, which may close descriptors before the second half."""
        pid = half.pid or self.fallback_pid
        self.processes.meet(pid)
        if half.name == "close" and (fd := descriptor_in(half.text)):
            # Most need not be parsed.
            self.handlers.begin_close(pid, fd)
        # The others change descriptors when they return.
        elif acts_at_once(half.name):
            call = self._text.call(pid, half.name, half.text, 0)
            if closes_at_once(half.name):
                self.handlers.begun[pid] = half.name, self._targets.descriptor(call, 0)
            self.processes.began(call)

    def begun_object(self, call: LoggedCall) -> int:
        """Return the object of a call that has not returned, as far as it is known."""
        target = target_of(call.name)
        if target.way is Way.FUTEX:
            return self._targets.of_key(call.pid, beginning_of(call.name, call.args)[1])
        arguments = self._text.call(call.pid, call.name, call.args, 0)
        if target.way is Way.EPOLL:
            return self._targets.descriptor(arguments, 0)
        if target.way in _KNOWN_AT_ENTRY:
            return self._targets.find(arguments, target, b"")
        return NO_OBJECT

    def end_process(self, pid: int) -> None:
        """Forget a process that has ended."""
        self.processes.ended(pid)
        self.handlers.begun.pop(pid, None)
        self._pids.end(pid)

    def path_in(self, directory: bytes, quoted: bytes) -> int:
        """Return the object of a path that is relative to a directory."""
        return self._targets.path_in(directory, quoted)

    def drop_groups(self) -> None:
        """Forget all groups, which have been counted."""
        self.groups.clear()
        self.processes.pending.settle_all()
        self._pids.forget_all()

    # --- how the object of a row is found ------------------------------------------------------

    def _meet(self, digits: bytes) -> int:
        pid = number(digits) or self.fallback_pid
        self.processes.meet(pid)
        return pid

    def _forget(self, pids: Iterable[int]) -> None:
        for pid in pids:
            self._pids.forget_descriptors(pid)

    def _leave(self, pid: int) -> None:
        self.groups.end_paths(pid)

    def _start(self, calls: ObjectCalls, raw_name: bytes) -> Take:
        """Return what to do with calls of a name that begin in the same way."""
        name = name_of(raw_name)
        if calls.object < 0:
            self._find_directory(calls.pid, raw_name)
        plan, handlers = plan_of(name, calls.key[:1]), self.handlers
        if plan is Plan.WITHOUT:
            take = self.groups.of(calls.pid, NO_OBJECT, name)
            return take if calls.object == NO_OBJECT else handlers.without_object(take)
        if plan in (Plan.READ, Plan.DIRECTORY):
            return handlers.parser(calls.pid, name, plan)
        if calls.object < 0:
            take = self.groups.of_paths(calls.pid, name)
        else:
            take = self.groups.of(calls.pid, calls.object, name)
        if name in RECEIVING and not self._is_file(calls.object):
            take = handlers.receiver(take, self._targets.socket(calls.pid, calls.key))
        if name in SENDING and may_have_destinations(self._targets.socket(calls.pid, calls.key)):
            take = handlers.named.sender(name, take)
        if self.leaves_in_place and target_of(name).flags >= 0:
            take = handlers.looker(calls.object, name, take)
        if plan is Plan.CHANGE:
            return handlers.changer(calls.pid, name, take)
        if plan is Plan.AT_DIRECTORY:
            read = handlers.parser(calls.pid, name, plan)
            take = handlers.at_directory(calls.pid, name, take, read)
        return handlers.named.namer(calls.pid, name, take)

    def _find_directory(self, pid: int, raw_name: bytes) -> None:
        """Note the working directory of a process that was there before the log, if it is named."""
        place = self.processes.place(pid)
        if place.directory.startswith(b"/"):
            return
        if directory := self._text.current_directory(raw_name):
            # Objects of earlier calls may have been shown.
            self._leave(pid)
            place.directory = directory

    def _is_file(self, found: int) -> bool:
        info = self.known.info(found)
        return info is not None and info.kind is ObjectKind.FILE
