"""What the options of a trace make of the text."""

from twisted.trial.unittest import TestCase

from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from syswatch.tracer.redaction import RedactionError

from .probe import ARENA, ArenaMemory, Case

OPENED = Case("openat", ((1 << 64) - 100, ARENA, 0, 0), b"/home/ann/secret\xff.txt")


class NoMemory:
    """A memory that nobody may look at."""

    def link(self, name: str) -> bytes:
        """Fail the test."""
        raise AssertionError(f"{name} was looked at")

    def read(self, address: int, length: int) -> bytes:
        """Fail the test."""
        raise AssertionError(f"{length} bytes read at {address:#x}")

    def string(self, address: int, limit: int) -> bytes | None:
        """Fail the test."""
        raise AssertionError(f"{limit} bytes read at {address:#x}")


class OptionTests(TestCase):
    """Each option alone."""

    def test_path(self) -> None:
        """The path of a call that opens a file is known, as text that is safe to show."""
        formatter = Formatter(TraceOptions(), "x86_64")
        path = formatter.path("openat", OPENED.args, ArenaMemory(OPENED))
        self.assertEqual("/home/ann/secret\\xff.txt", path)
        self.assertIsNone(formatter.path("stat", OPENED.args, ArenaMemory(OPENED)))
        self.assertIsNone(formatter.path("openat", (0, 0), ArenaMemory(OPENED)))

    def test_redaction(self) -> None:
        """What a pattern matches leaves neither in the arguments nor in the path."""
        formatter = Formatter(TraceOptions(redact=("ann", r"secret\S*?\.txt")), "x86_64")
        memory = ArenaMemory(OPENED)
        text = formatter.format("openat", OPENED.args, 3, False, memory)  # noqa: FBT003
        self.assertEqual('AT_FDCWD, "/home/[redacted]/[redacted]", O_RDONLY', text)
        path = formatter.path("openat", OPENED.args, memory)
        self.assertEqual("/home/[redacted]/[redacted]", path)

    def test_bad_pattern(self) -> None:
        """A pattern that cannot work is refused with one sentence."""
        for pattern in ("(", "a*"):
            options = TraceOptions(redact=(pattern,))
            problem = self.assertRaises(RedactionError, Formatter, options, "x86_64")
            self.assertIn(pattern, str(problem))
            self.assertTrue(str(problem).endswith("."))

    def test_no_arguments(self) -> None:
        """Without arguments nothing is read, neither early nor late."""
        formatter = Formatter(TraceOptions(read_arguments=False), "x86_64")
        memory = NoMemory()
        self.assertFalse(formatter.needs_entry("openat"))
        text = formatter.format("openat", OPENED.args, 3, False, memory)  # noqa: FBT003
        self.assertEqual("0xffffffffffffff9c, 0x10000000, 0, 0", text)
        self.assertEqual("3", formatter.result("openat", OPENED.args, 3, False, memory))  # noqa: FBT003
        self.assertIsNone(formatter.path("openat", OPENED.args, memory))

    def test_needs_entry(self) -> None:
        """Only what may change or vanish is read before a call runs."""
        plain = Formatter(TraceOptions(), "x86_64")
        with_paths = Formatter(TraceOptions(descriptor_paths=True), "x86_64")
        for name in ("execve", "openat", "write", "connect", "accept", "poll"):
            self.assertTrue(plain.needs_entry(name), name)
        for name in ("read", "close", "fstat", "mmap", "getpid"):
            self.assertFalse(plain.needs_entry(name), name)
        self.assertTrue(with_paths.needs_entry("close"))

    def test_closed_descriptor(self) -> None:
        """A descriptor that a call closes is shown with the path that it had."""
        formatter = Formatter(TraceOptions(descriptor_paths=True), "x86_64")
        memory = ArenaMemory(Case("close", (3,)), {"fd/3": b"/dev/null"})
        captured = formatter.capture("close", (3,), memory)
        text = formatter.format("close", (3,), 0, False, NoMemory(), captured)  # noqa: FBT003
        self.assertEqual("3</dev/null>", text)

    def test_unknown_call(self) -> None:
        """A call that nobody has described is shown by its registers."""
        formatter = Formatter(TraceOptions(), "x86_64")
        text = formatter.format("new_call", (1, 2, 0, 0, 0, 0), 0, False, NoMemory())  # noqa: FBT003
        self.assertEqual("0x1, 0x2, 0, 0, 0, 0", text)
