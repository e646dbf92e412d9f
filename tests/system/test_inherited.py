"""Tests that a traced command inherits what it would inherit from the shell."""

import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.inherited import inherited
from tests.system.servers import SYSWATCH, TWISTD
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

# The state left by nohup, background jobs, `<(...)`, ulimit and sandboxing parents.
_SHELL = """
import ctypes, os, resource, signal, sys
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGCHLD, signal.SIGRTMIN + 3):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR2, signal.SIGWINCH, signal.SIGTERM))
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 600))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.umask(0o027)
os.chdir("/usr")
os.nice(3)
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
libc = ctypes.CDLL(None)
PR_SET_TIMERSLACK, PR_SET_THP_DISABLE, ADDR_NO_RANDOMIZE = 29, 41, 0x0040000
libc.prctl(PR_SET_TIMERSLACK, 70_000, 0, 0, 0)
libc.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
libc.personality(ADDR_NO_RANDOMIZE)
open("/proc/self/oom_score_adj", "w").write("300")
open("/proc/self/coredump_filter", "w").write("0x11")
for number in (3, 4, 7, 63):
    os.dup2(os.open("/etc/passwd", os.O_RDONLY), number)
    os.lseek(number, number, os.SEEK_SET)
os.environ.clear()
os.environ.update(HUE="red", LC_CTYPE="C", PATH="/usr/bin:/bin", PYTHONPATH=sys.argv.pop(1))
os.execv("/bin/sh", sys.argv[1:])
"""
# The C library leaves its internal signals ignored when it starts a program this way.
_SPAWN = """
import os, sys
words = sys.argv[1:]
defaults = range(1, 32)
pid = os.posix_spawnp(words[0], words, os.environ, setsigdef=defaults)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
# The session leader of a new terminal.
_TERMINAL = """
import os, pty, signal, sys
pid, screen = pty.fork()
if pid == 0:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while os.read(screen, 4096):
        pass
except OSError:
    pass
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
_PYTHON = (sys.executable, "-c")
_ODD = (*_PYTHON, _SHELL, str(Path(__file__).parents[2]))
_SPAWNED = (*_PYTHON, _SPAWN)
_ON_TERMINAL = (*_PYTHON, _TERMINAL)
# So that the CPU affinity is the command's own when it reads it in /proc.
_RUN = ("run", "--summary", "--output", "/dev/null", "--no-colocate", "--backend")
_SERVED = ("--serve", "127.0.0.1:0", "--exit-with-target")
_STRACE = ("strace", "-f", "-o", "/dev/null")
# What a seccomp filter changes in the status of a command.
_FILTERED = frozenset({"status Seccomp", "status Seccomp_filters"})


class InheritanceTests(SynchronousTestCase):
    """A command untraced, under strace, and with each backend."""

    def assert_same(
        self,
        *prefixes: Sequence[str],
        setup: Sequence[str] = (),
        redirections: str = "",
        but: frozenset[str] = frozenset(),
    ) -> None:
        """Compare an untraced program with the same program behind prefixes."""
        alone = inherited((), setup, redirections)
        for prefix in prefixes:
            watched = inherited(prefix, setup, redirections)
            differing = {
                what: (alone.get(what), watched.get(what))
                for what in (alone.keys() | watched.keys()) - but
                if alone.get(what) != watched.get(what)
            }
            self.assertEqual({}, differing, prefix)

    def both(self, *options: str) -> list[tuple[str, ...]]:
        """Return the prefixes that trace a command with each backend."""
        require_tracing()
        require_ebpf()
        return [(*SYSWATCH, *_RUN, backend, *options, "--") for backend in ("ptrace", "ebpf")]

    def test_odd_state(self) -> None:
        """Signals, descriptors, limits, working directory and credentials are the same."""
        self.assert_same(_STRACE, *self.both(), *self.both(*_SERVED), setup=_ODD)

    def test_filtered(self) -> None:
        """A call filter changes two lines of /proc/PID/status and nothing else."""
        ptrace, ebpf = self.both("-e", "trace=openat")
        self.assert_same(ptrace, setup=_ODD, but=_FILTERED)
        self.assert_same(ebpf, setup=_ODD)

    def test_own_session(self) -> None:
        """A command on a terminal has that terminal, its group and its session."""
        self.assert_same(_STRACE, *self.both(), *self.both(*_SERVED), setup=_ON_TERMINAL)

    def test_closed(self) -> None:
        """A closed standard stream is closed for the command, too."""
        for redirections in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            prefixes = self.both() if len(redirections) < 5 else self.both(*_SERVED)
            self.assert_same(_STRACE, *prefixes, redirections=redirections)

    def test_signals_of_the_library(self) -> None:
        """Internal signals of the C library stay ignored if they were."""
        self.assert_same(_STRACE, *self.both(), setup=_SPAWNED)

    def test_twistd(self) -> None:
        """The same holds for the command of a twistd service in the foreground."""
        ptrace, _ = self.both()
        twistd = (*TWISTD, "-n", "--pidfile=", "syswatch", *ptrace[len(SYSWATCH) :])
        self.assert_same(twistd, setup=_ODD)
