"""Taking hold of processes that run already."""

import errno
import os
from collections import defaultdict

import attrs

from syswatch.machine.capabilities import read_facts, read_target
from syswatch.machine.doctor import explain_ptrace_denied
from syswatch.machine.proc import (
    Identity,
    call_in_progress,
    has_ended,
    identify,
    pids,
    read_stat,
    thread_ids,
)
from syswatch.tracer.errors import AttachError
from syswatch.tracer.subject import ZOMBIE, cannot_trace, identify_target

from .abi import interrupt, seize
from .lifecycle import Lifecycle
from .threads import Process


@attrs.define
class Attacher:
    """Seizes every thread of some processes, and of the processes they have started."""

    lifecycle: Lifecycle
    options: int
    follow_children: bool

    def attach(self, pids: tuple[int, ...]) -> None:
        """Take hold of processes that the user has named: all of them, or it is an error."""
        for number in pids:
            identity = identify_target(number)
            if not self.lifecycle.main_pid:
                self.lifecycle.main_pid = identity.pid
            if identity.pid not in self.lifecycle.threads.processes:
                self._take(identity)
        if self.follow_children:
            self._take_descendants()

    def _take(self, identity: Identity) -> None:
        process = self.lifecycle.new_process(identity.pid, identity.parent, identity.comm)
        try:
            self._seize_threads(process)
        except OSError as error:
            raise AttachError(explain(identity, error)) from error
        if process.pid not in self.lifecycle.threads.processes:
            raise AttachError(explain(identity, PermissionError(errno.EPERM, "it has ended")))

    def _take_descendants(self) -> None:
        """Look until there is nobody new: while we look, processes make others."""
        looked_at: set[int] = set()
        while found := self._descendants() - looked_at:
            looked_at |= found
            for pid in found:
                identity = identify(pid)
                # One that has ended stays in the table until its parent notices, if it ever does.
                if identity is None or all(map(has_ended, thread_ids(pid))):
                    continue
                if identity.tracer == os.getpid():
                    continue  # Somebody made it who was ours by then: it is ours, and will stop.
                try:
                    self._seize_threads(
                        self.lifecycle.new_process(pid, identity.parent, identity.comm)
                    )
                except OSError:
                    self.lifecycle.collector.note("unfollowed_processes")

    def _descendants(self) -> set[int]:
        """Return the living descendants of what is traced that are not traced themselves."""
        children = _children()
        # Who attaches to the shell that we were started from does not ask for us.
        known = set(self.lifecycle.threads.processes) | {os.getpid(), os.getppid()}
        found: set[int] = set()
        to_visit = list(self.lifecycle.threads.processes)
        while to_visit:
            born = children[to_visit.pop()] - known - found
            found |= born
            to_visit += born
        return found

    def _seize_threads(self, process: Process) -> None:
        """Seize threads until no new ones turn up: those seized cannot make any unseen."""
        seized: set[int] = set()
        while new := thread_ids(process.pid) - seized:
            for tid in new:
                if tid not in self.lifecycle.threads.by_tid:
                    self._seize_thread(tid, process)
            seized |= new

    def _seize_thread(self, tid: int, process: Process) -> None:
        number = call_in_progress(tid)
        try:
            seize(tid, self.options)
        except ProcessLookupError:
            return  # It has ended since it was listed.
        except PermissionError:
            # A thread that has ended but is not reaped yet is refused like a forbidden one.
            if has_ended(tid):
                return
            raise
        thread = self.lifecycle.threads.add(tid, process)
        if number is not None:
            thread.interrupted = number
            thread.special = True
        # Calls are traced from the next stop on, so there has to be one.
        interrupt(tid)


def explain(identity: Identity, error: OSError) -> str:
    """Return why a process cannot be attached to, and what helps."""
    if has_ended(identity.pid):
        return cannot_trace(identity, ZOMBIE)
    if error.errno != errno.EPERM:
        return cannot_trace(identity, error.strerror or str(error))
    return explain_ptrace_denied(identity.pid, read_facts(), read_target(identity.pid))


def _children() -> defaultdict[int, set[int]]:
    children: defaultdict[int, set[int]] = defaultdict(set)
    for pid in pids():
        if stat := read_stat(pid):
            children[stat.parent].add(pid)
    return children
