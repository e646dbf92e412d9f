"""How threads and processes begin, change and end."""

import os
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import exists, has_thread, identify
from syswatch.model.messages import Ended, TraceOptions
from syswatch.model.process import describe_ending
from syswatch.tracer.collector import Collector

from .abi import detach
from .calls import Effect
from .observer import Observer
from .placement import Placement
from .stops import Report, Stop
from .threads import Process, Thread, Threads

if TYPE_CHECKING:
    from .activity import Activity


@define
class Lifecycle:
    """Keeps the table of threads up to date."""

    options: TraceOptions
    threads: Threads
    collector: Collector
    observer: Observer
    placement: Placement
    # None if objects, waits and threads are not followed.
    activity: "Activity | None" = None
    # The command, or the first process that was attached to; 0 when it has ended, because its PID
    # may be reused.
    main_pid: int = 0
    ending: Ended = attrs.field(factory=Ended, init=False)
    # Threads that have stopped before the kernel reported their creation.
    _unreported: set[int] = attrs.field(factory=set, init=False)

    def begin(self, pid: int) -> Thread:
        """Add the process that becomes the command."""
        self.main_pid = pid
        return self._add(pid, self.new_process(pid, os.getpid(), ""), None, is_new=False)

    def adopt(self, tid: int) -> Thread | None:
        """Add a thread that stopped before it was reported; None if it is not to be traced."""
        identity = identify(tid)
        if identity is None:
            return None
        process = self.threads.processes.get(identity.pid)
        if process is None:
            if not self.options.follow_children:
                detach(tid, 0)
                return None
            process = self.new_process(identity.pid, identity.parent, identity.comm)
        parent = self.threads.by_tid.get(identity.parent)
        self._unreported.add(tid)
        return self._add(tid, process, parent, self._creator(process, parent))

    def new_process(self, pid: int, parent: int, comm: str, *, is_new: bool = True) -> Process:
        """Add a process; it is not new if it began before the trace."""
        self.collector.begin(pid, parent=parent, comm=comm)
        process = Process(pid, parent, comm)
        events = self.observer.recorder.events
        if events is not None:
            events.lives.begun(process, is_new=is_new)
        return process

    def born(self, thread: Thread, tid: int) -> None:
        """Add a child that the kernel reports."""
        thread.child_reported = True
        if tid in self._unreported:
            # It may even have ended: /proc lists it until its parent, which is stopped, has waited.
            self._unreported.remove(tid)
            return
        if tid in self.threads.by_tid:
            return
        # Neither the event nor the exit signal shows whether it is a thread or a process: only
        # CLONE_THREAD decides.
        if has_thread(thread.process.pid, tid):
            process = thread.process
        elif not self.options.follow_children or not exists(tid):
            return
        else:
            process = self.new_process(tid, thread.process.pid, thread.process.comm)
        self._add(tid, process, thread, thread)

    def executed(self, tid: int, former_tid: int) -> Thread:
        """Rename the thread that called execve: it becomes the leader."""
        thread = self.threads.by_tid.get(former_tid)
        if thread is None:
            raise LookupError(f"unknown thread {former_tid} called execve")
        leader = self.threads.by_tid.get(tid)
        if leader is not None and leader is not thread:
            # Its end is not reported.
            self._left(leader, late_ns=0)
        self.threads.rename(thread, tid)
        if self.activity is not None:
            self.activity.executed(thread, former_tid)
        self.observer.update_name(thread.process)
        events = self.observer.recorder.events
        if events is not None and former_tid != tid:
            events.renamed(thread)
        return thread

    def ended(self, tid: int, report: Report, late_ns: int) -> None:
        """Remove a thread that has ended, at most `late_ns` ago."""
        thread = self.threads.remove(tid)
        if thread is None:
            return
        killed = report.stop is Stop.KILLED
        evidence = self.observer.recorder.evidence
        if killed and evidence is not None:
            evidence.killed(thread, report.number)
        if tid == thread.process.pid:
            words = describe_ending(-report.number if killed else report.number)
            self.collector.describe(tid, ending=words)
            events = self.observer.recorder.events
            if events is not None:
                events.lives.ended(tid, report.number, killed=killed)
        self._left(thread, late_ns)
        if tid == self.main_pid:
            self.main_pid = self.observer.recorder.main_pid = 0
            self.ending = (
                Ended(exit_signal=report.number) if killed else Ended(exit_code=report.number)
            )

    def _left(self, thread: Thread, late_ns: int) -> None:
        """Close what is known of a thread that has ended."""
        if thread.call is not None and thread.call.effect is not Effect.EXIT:
            self.observer.show_unfinished(thread, thread.call)
        if self.activity is not None:
            self.activity.ended(thread, late_ns)

    def add(self, tid: int, process: Process) -> Thread:
        """Add a thread that exists already."""
        return self._add(tid, process, None, is_new=False)

    def _creator(self, process: Process, parent: Thread | None) -> Thread | None:
        """Return the thread that has most likely created another one, which was not reported."""
        family = parent.process if parent is not None else process
        if any(thread.process is process for thread in self.threads):
            family = process
        candidates = [thread for thread in self.threads if thread.process is family]
        cloning = (each for each in candidates if each.call and each.call.effect is Effect.CLONE)
        return next(cloning, next(iter(candidates), None))

    def _add(
        self,
        tid: int,
        process: Process,
        parent: Thread | None,
        creator: Thread | None = None,
        *,
        is_new: bool = True,
    ) -> Thread:
        thread = self.threads.add(tid, process)
        events = self.observer.recorder.events
        if events is not None:
            events.add_thread(thread)
        if is_new:
            self.placement.inherit(thread, parent)
        if self.activity is not None:
            self.activity.add_thread(thread, creator, is_new=is_new)
        return thread
