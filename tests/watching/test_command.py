"""Tests of watching commands, with each backend."""

from typing import ClassVar

from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

from .scripts import ScriptCase

_RUN = """
def run(*words, **options):
    return watching.run(words, backend=backend, **options)
done = run("sh", "-c", "cat; echo to stderr >&2; cat /nonexistent/file 2>&-; exit 3",
           input="hello", capture_output=True, text=True)
tell(
    output=[done.stdout, done.stderr, done.returncode],
    args=done.args,
    programs=dict(done.programs),
    failed=done.failed_paths.get("/nonexistent/file"),
    exact=[done.is_exact, done.doubts, done.backend],
)
done = run("env", env={"A": "1"}, cwd="/", stdout=subprocess.PIPE)
tell(env=done.stdout.decode(), killed=run("sh", "-c", "kill -9 $$").returncode)
scripts = [
    watching.run("echo $0 ran", shell=True, backend=backend, stdout=subprocess.PIPE),
    watching.run(["echo $0", "me"], shell=True, backend=backend, stdout=subprocess.PIPE),
    watching.run("/bin/echo", backend=backend, stdout=subprocess.PIPE),
]
tell(scripts=[each.stdout.decode() for each in scripts])
read, write = os.pipe()
run("sh", "-c", f"echo passed >&{write}", pass_fds=[write])
os.close(write)
tell(passed=os.read(read, 100).decode())
"""
_FAILURES = """
def kind_of(*words, **options):
    try:
        watching.run(words, backend=backend, **options)
    except Exception as error:
        return [type(error).__name__, str(error)]
read, write = os.pipe()
tell(
    missing=kind_of("nonexistent-command"),
    directory=kind_of("/etc"),
    executable=kind_of("true", executable="/bin/false"),
    timeout=kind_of("sleep", "1000", timeout=0.5, pass_fds=[write]),
    check=kind_of("false", check=True),
    backend=watching.errors.WatchError.__name__,
)
try:
    watching.run(["true"], backend="strace")
except watching.WatchError as error:
    tell(backend=str(error))
os.close(write)
# Only when no process is left that holds the other end, this returns.
tell(left=os.read(read, 1).decode())
"""
_EXACT = """
text = "import ctypes; l = ctypes.PyDLL(None); [l.syscall(%d) for _ in range(1000)]" % number
tell(counts=[watching.run([sys.executable, "-c", text], backend=backend).calls["getppid"]
             for _ in range(2)])
"""


class CommandContract(ScriptCase):
    """Commands run as by subprocess, and their calls are seen."""

    def test_run(self) -> None:
        """Input, output, status, directory, variables and descriptors are as without watching."""
        told = self.tell(_RUN)
        self.assertEqual(["hello", "to stderr\n", 3], told["output"])
        self.assertEqual("sh", told["args"][0])
        self.assertEqual(3, sum(told["programs"].values()), told["programs"])
        self.assertEqual(1, told["failed"])
        self.assertEqual([True, [], self.backend], told["exact"])
        self.assertEqual(("A=1\n", -9), (told["env"], told["killed"]))
        self.assertEqual("passed\n", told["passed"])
        self.assertEqual(["/bin/sh ran\n", "me\n", "\n"], told["scripts"])

    def test_exact(self) -> None:
        """Every call is counted."""
        self.assertEqual([1000, 1000], self.tell(_EXACT)["counts"])

    def test_failures(self) -> None:
        """Errors are those of subprocess.run, and no command is left."""
        told = self.tell(_FAILURES)
        self.assertEqual("FileNotFoundError", told["missing"][0])
        self.assertIn("nonexistent-command", told["missing"][1])
        self.assertEqual("PermissionError", told["directory"][0])
        self.assertEqual("TypeError", told["executable"][0])
        self.assertEqual("TimeoutExpired", told["timeout"][0])
        self.assertIn("'sleep', '1000'", told["timeout"][1])
        self.assertEqual("CalledProcessError", told["check"][0])
        self.assertIn("invalid backend 'strace' (choose from auto, ebpf, ptrace)", told["backend"])
        self.assertEqual("", told["left"])


class EbpfCommandTests(CommandContract):
    """With eBPF."""

    backend: ClassVar[str] = "ebpf"
    require = staticmethod(require_ebpf)


class PtraceCommandTests(CommandContract):
    """With ptrace."""

    backend: ClassVar[str] = "ptrace"
    require = staticmethod(require_tracing)


del CommandContract
