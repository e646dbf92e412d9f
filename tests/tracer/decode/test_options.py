"""Tests of the options that change how calls are printed."""

from twisted.trial.unittest import TestCase

from syswatch.base.redaction import RedactionError
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from .injected_calls import ARENA, ArenaMemory, Case

OPENED = Case("openat", ((1 << 64) - 100, ARENA, 0, 0), b"/home/ann/secret\xff.txt")


class NoMemory:
    """Memory that must not be read."""

    def link(self, name: str) -> bytes:
        """Fail the test."""
        raise AssertionError(f"{name} was looked at")

    def counted(self, address: int) -> int | None:  # noqa: ARG002  as decoding asks for it
        """Return None: nothing is counted."""
        return None

    def netlink(self, descriptor: int) -> int | None:
        """Fail the test."""
        raise AssertionError(f"descriptor {descriptor} was looked at")

    def read(self, address: int, length: int) -> bytes:
        """Fail the test."""
        raise AssertionError(f"{length} bytes read at {address:#x}")

    def string(self, address: int, limit: int) -> bytes | None:
        """Fail the test."""
        raise AssertionError(f"{limit} bytes read at {address:#x}")


class OptionTests(TestCase):
    """Each option on its own."""

    def test_path(self) -> None:
        """`shown_path` escapes a path."""
        formatter = Formatter(TraceOptions(), "x86_64")
        path = ArenaMemory(OPENED).string(OPENED.args[1], 4096) or b""
        self.assertEqual("/home/ann/secret\\xff.txt", formatter.shown_path(path))

    def test_redaction(self) -> None:
        """Text that matches a pattern is masked in the arguments and in the path."""
        formatter = Formatter(TraceOptions(redact=("ann", r"secret\S*?\.txt")), "x86_64")
        memory = ArenaMemory(OPENED)
        text = formatter.format("openat", OPENED.args, 3, False, memory)  # noqa: FBT003
        self.assertEqual('AT_FDCWD, "/home/[redacted]/[redacted]", O_RDONLY', text)
        path = memory.string(OPENED.args[1], 4096) or b""
        self.assertEqual("/home/[redacted]/[redacted]", formatter.shown_path(path))

    def test_redaction_at_the_cut(self) -> None:
        """A secret that begins before the cut and ends after it is masked as a whole."""
        formatter = Formatter(TraceOptions(redact=("k-[0-9]{8}", "ann")), "x86_64")
        shown = {
            b"k-12345678 of ann, who is not here": '"[redacted] of [redacted], who is not he"...',
            b"x" * 28 + b"k-12345678 and more": f'"{"x" * 28}[redacted]"...',
            b"x" * 28 + b"k-12345678": f'"{"x" * 28}[redacted]"...',
            b"\0" * 30 + b"k-12345678": '"' + r"\0" * 30 + '[redacted]"...',
            b"x" * 31 + b"k-1234": f'"{"x" * 31}k"...',
            b"x" * 33 + b"k-12345678": f'"{"x" * 32}"...',
        }
        for text, expected in shown.items():
            case = Case("write", (1, ARENA, len(text)), text)
            written = formatter.format("write", case.args, 1, False, ArenaMemory(case))  # noqa: FBT003
            self.assertEqual(f"1, {expected}, {len(text)}", written)
            case = Case("removexattr", (0, ARENA), text + b"\0")
            if b"\0" not in text:
                name = formatter.format("removexattr", case.args, 0, False, ArenaMemory(case))  # noqa: FBT003
                self.assertEqual(f"NULL, {expected}", name)

    def test_bad_pattern(self) -> None:
        """An invalid pattern is an error in one sentence."""
        for pattern, quoted in {"(": "(", "a*": "a*", "a\x1b\udcff": "a\\x1b\\xff"}.items():
            options = TraceOptions(redact=(pattern,))
            problem = self.assertRaises(RedactionError, Formatter, options, "x86_64")
            sentence = f"invalid pattern '{quoted}': "
            self.assertTrue(str(problem).startswith(sentence), problem)

    def test_no_arguments(self) -> None:
        """With --no-args, no memory is read."""
        formatter = Formatter(TraceOptions(read_arguments=False), "x86_64")
        memory = NoMemory()
        self.assertFalse(formatter.needs_entry("openat"))
        text = formatter.format("openat", OPENED.args, 3, False, memory)  # noqa: FBT003
        self.assertEqual("0xffffffffffffff9c, 0x10000000, 0, 0", text)
        self.assertEqual("3", formatter.result("openat", OPENED.args, 3, False, memory))  # noqa: FBT003

    def test_needs_entry(self) -> None:
        """Only memory that may change or be unmapped is read at the entry."""
        plain = Formatter(TraceOptions(), "x86_64")
        with_paths = Formatter(TraceOptions(descriptor_paths=True), "x86_64")
        for name in ("execve", "openat", "write", "connect", "accept", "poll"):
            self.assertTrue(plain.needs_entry(name), name)
        for name in ("read", "close", "fstat", "mmap", "getpid"):
            self.assertFalse(plain.needs_entry(name), name)
        self.assertTrue(with_paths.needs_entry("close"))

    def test_closed_descriptor(self) -> None:
        """A descriptor that a call closes is printed with the path that it had."""
        formatter = Formatter(TraceOptions(descriptor_paths=True), "x86_64")
        memory = ArenaMemory(Case("close", (3,)), {"fd/3": b"/dev/null"})
        captured = formatter.capture("close", (3,), memory)
        text = formatter.format("close", (3,), 0, False, NoMemory(), captured)  # noqa: FBT003
        self.assertEqual("3</dev/null>", text)

    def test_unknown_call(self) -> None:
        """A call that is not in the catalog is printed with all registers."""
        formatter = Formatter(TraceOptions(), "x86_64")
        text = formatter.format("new_call", (1, 2, 0, 0, 0, 0), 0, False, NoMemory())  # noqa: FBT003
        self.assertEqual("0x1, 0x2, 0, 0, 0, 0", text)
