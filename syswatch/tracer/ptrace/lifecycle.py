"""How threads and processes begin, change and end."""

import os

import attrs

from syswatch.machine.proc import exists, has_thread, identify
from syswatch.model.endings import ending
from syswatch.model.messages import Ended, TraceOptions
from syswatch.tracer.collector import Collector

from .abi import detach
from .calls import Duty
from .observer import Observer
from .placement import Placement
from .stops import Report, Stop
from .threads import Process, Thread, Threads


@attrs.define
class Lifecycle:
    """Keeps the table of threads true."""

    options: TraceOptions
    threads: Threads
    collector: Collector
    observer: Observer
    placement: Placement
    # The command that was started, or the first process that was attached to; 0 when it has
    # ended, since the number may be another's then.
    main_pid: int = 0
    ending: Ended = attrs.field(factory=Ended, init=False)
    # Those that have stopped before they were announced.
    _unannounced: set[int] = attrs.field(factory=set, init=False)

    def begin(self, pid: int) -> Thread:
        """Take in the process that is to become the command."""
        self.main_pid = pid
        return self._take_in(pid, self.new_process(pid, os.getpid(), ""), None)

    def adopt(self, tid: int) -> Thread | None:
        """Take in a thread that stopped before it was announced; None when it is not ours."""
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
        self._unannounced.add(tid)
        return self._take_in(tid, process, parent)

    def new_process(self, pid: int, parent: int, comm: str) -> Process:
        """Take note of a process."""
        self.collector.begin(pid, parent=parent, comm=comm)
        return Process(pid, parent, comm)

    def born(self, thread: Thread, tid: int) -> None:
        """Take in what the kernel announces as made by a thread."""
        thread.announced = True
        if tid in self._unannounced:
            # It may even have ended: /proc shows it until its parent, which is stopped, notices.
            self._unannounced.remove(tid)
            return
        if tid in self.threads.by_tid:
            return
        # Neither the event nor the flags of the call say for sure whether it is a thread or a
        # process: CLONE_THREAD goes with any exit signal, and decides alone.
        if has_thread(thread.process.pid, tid):
            process = thread.process
        elif not self.options.follow_children or not exists(tid):
            return
        else:
            process = self.new_process(tid, thread.process.pid, thread.process.comm)
        self._take_in(tid, process, thread)

    def executed(self, tid: int, former_tid: int) -> Thread:
        """Give the thread that called execve the place of the leader."""
        thread = self.threads.by_tid.get(former_tid)
        if thread is None:
            raise LookupError(f"thread {former_tid} executed a program without being known")
        self.threads.rename(thread, tid)
        self.observer.name_anew(thread.process)
        return thread

    def ended(self, tid: int, report: Report) -> None:
        """Take note of an end."""
        thread = self.threads.remove(tid)
        if thread is None:
            return
        if thread.call is not None and thread.call.duty is not Duty.ENDS:
            self.observer.cut_short(thread, thread.call)
        killed = report.stop is Stop.KILLED
        if tid == thread.process.pid:
            words = ending(-report.number if killed else report.number)
            self.collector.describe(tid, ending=words)
        if tid == self.main_pid:
            self.main_pid = self.observer.recorder.main_pid = 0
            self.ending = (
                Ended(exit_signal=report.number) if killed else Ended(exit_code=report.number)
            )

    def _take_in(self, tid: int, process: Process, parent: Thread | None) -> Thread:
        thread = self.threads.add(tid, process)
        self.placement.inherit(thread, parent)
        return thread
