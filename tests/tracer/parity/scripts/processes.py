"""Use child processes, limits and priorities."""

import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress

first = subprocess.Popen(["echo", "hello"], stdout=subprocess.PIPE)
subprocess.run(["cat"], stdin=first.stdout, capture_output=True, check=True)
first.wait()
with suppress(OSError):
    subprocess.run(["/no/such/program"], check=True)
subprocess.run(["sh", "-c", "exit 3"], check=False, start_new_session=True)
for code in (3, -9):
    child = os.fork()
    if not child:
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    os.waitpid(child, 0)
child = os.fork()
if not child:
    os._exit(5)
os.waitid(os.P_PID, child, os.WEXITED)
os.posix_spawn("/bin/true", ["true", "x" * 100], {})
os.wait3(0)
resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_CORE, (0, 1024 * 1024))
resource.getrusage(resource.RUSAGE_SELF)
os.sched_getaffinity(0)
os.sched_getscheduler(0)
os.getpriority(os.PRIO_PROCESS, 0)
os.nice(1)
os.uname()
os.getgroups()
os.getresuid()
os.times()
os.umask(0o22)
os.getsid(0)
os.pidfd_open(os.getpid())
signal.raise_signal(signal.SIGCHLD)
sys.exit(7)
