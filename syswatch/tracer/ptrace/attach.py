"""Attaching to running processes."""

import errno
import os
from collections import defaultdict

from syswatch.base.classes import define
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


@define
class Attacher:
    """Seizes every thread of some processes and of their descendants."""

    lifecycle: Lifecycle
    options: int
    follow_children: bool

    def attach(self, pids: tuple[int, ...]) -> None:
        """Attach to all of these processes; an AttachError if one of them cannot be traced."""
        for number in pids:
            identity = identify_target(number)
            if not self.lifecycle.main_pid:
                self.lifecycle.main_pid = identity.pid
            if identity.pid not in self.lifecycle.threads.processes:
                self._take(identity)
        if self.follow_children:
            self._take_descendants()

    def _take(self, identity: Identity) -> None:
        process = self._process(identity)
        try:
            self._seize_threads(process)
        except OSError as error:
            raise AttachError(explain(identity, error)) from error
        if process.pid not in self.lifecycle.threads.processes:
            raise AttachError(explain(identity, PermissionError(errno.EPERM, "it has ended")))

    def _process(self, identity: Identity) -> Process:
        if self.lifecycle.observer.recorder.evidence is not None:
            self.lifecycle.collector.note("unseen_starts")
        return self.lifecycle.new_process(
            identity.pid, identity.parent, identity.comm, is_new=False
        )

    def _take_descendants(self) -> None:
        """Attach to all descendants, including those created meanwhile."""
        looked_at: set[int] = set()
        while found := self._descendants() - looked_at:
            looked_at |= found
            for pid in found:
                identity = identify(pid)
                # A zombie stays in the table until its parent waits for it.
                if identity is None or all(map(has_ended, thread_ids(pid))):
                    continue
                if identity.tracer == os.getpid():
                    continue  # Created by a process that was traced by then: it will stop.
                try:
                    self._seize_threads(self._process(identity))
                except OSError:
                    self.lifecycle.collector.note("unfollowed_processes")

    def _descendants(self) -> set[int]:
        """Return the living descendants of what is traced that are not traced themselves."""
        children = _children()
        # Attaching to the shell that started syswatch must not include syswatch.
        known = set(self.lifecycle.threads.processes) | {os.getpid(), os.getppid()}
        found: set[int] = set()
        to_visit = list(self.lifecycle.threads.processes)
        while to_visit:
            born = children[to_visit.pop()] - known - found
            found |= born
            to_visit += born
        return found

    def _seize_threads(self, process: Process) -> None:
        """Seize threads until there are no new ones: a child of a seized one is reported."""
        seized: set[int] = set()
        while new := thread_ids(process.pid) - seized:
            for tid in new:
                if tid not in self.lifecycle.threads.by_tid:
                    self._seize_thread(tid, process)
            seized |= new

    def _seize_thread(self, tid: int, process: Process) -> None:
        call = call_in_progress(tid)
        try:
            seize(tid, self.options)
        except ProcessLookupError:
            return  # It has ended.
        except PermissionError:
            # A zombie is refused with the same error.
            if has_ended(tid):
                return
            raise
        thread = self.lifecycle.add(tid, process)
        if call is not None:
            thread.interrupted, thread.arguments = call
            thread.special = True
        # Calls are reported from the next stop on, so the thread must stop once.
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
