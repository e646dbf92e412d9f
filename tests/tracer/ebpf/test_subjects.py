"""Tests of where the program in the kernel finds the object of each call."""

from twisted.trial.unittest import TestCase

from syswatch.model.catalog import names
from syswatch.model.messages import TraceOptions
from syswatch.model.objects import ObjectKind
from syswatch.tracer.ebpf import activity_layout as layout
from syswatch.tracer.ebpf.relocated import OBJECT
from syswatch.tracer.ebpf.settings import settings_of
from syswatch.tracer.ebpf.subjects import subject_of
from syswatch.tracer.naming import machine


def subject(name: str, *, reads: bool = True, is_32_bit: bool = False) -> tuple[int, int, int, int]:
    """Return the fields of a subject."""
    found = subject_of(name, reads=reads, is_32_bit=is_32_bit)
    return found.rule, found.argument, found.other, found.bytes


class SubjectTests(TestCase):
    """The rules, by the arguments in the catalog."""

    def test_descriptors(self) -> None:
        """The first descriptor is the object, wherever it is among the arguments."""
        none = layout.NO_ARGUMENT
        self.assertEqual((layout.SUBJECT_FILE, 0, none, layout.BYTES_IN), subject("read"))
        self.assertEqual((layout.SUBJECT_FILE, 0, none, layout.BYTES_OUT), subject("pwritev2"))
        self.assertEqual((layout.SUBJECT_FILE, 4, none, 0), subject("mmap"))
        self.assertEqual((layout.SUBJECT_FILE, 0, none, 0), subject("fsync"))

    def test_paths(self) -> None:
        """A path is relative to the descriptor before it; what opens has two possible objects."""
        none = layout.NO_ARGUMENT
        self.assertEqual((layout.SUBJECT_PATH, 0, none, 0), subject("stat"))
        self.assertEqual((layout.SUBJECT_PATH, 1, 0, 0), subject("unlinkat"))
        self.assertEqual((layout.SUBJECT_PATH, 1, none, 0), subject("symlink"))
        self.assertEqual((layout.SUBJECT_PATH, 2, 1, 0), subject("symlinkat"))
        self.assertEqual((layout.SUBJECT_OPEN, 1, 0, 0), subject("openat"))
        self.assertEqual((layout.SUBJECT_EXECUTE, 0, none, 0), subject("execve"))
        self.assertEqual((layout.SUBJECT_EXECUTE, 1, 0, 0), subject("execveat"))
        self.assertEqual((layout.SUBJECT_NONE, none, none, 0), subject("execve", reads=False))
        self.assertEqual((layout.SUBJECT_NONE, none, none, 0), subject("stat", reads=False))
        self.assertEqual((layout.SUBJECT_CREATE, none, none, 0), subject("openat", reads=False))

    def test_none(self) -> None:
        """A call about nothing has no object."""
        none = layout.NO_ARGUMENT
        for name in ("getpid", "brk", "syscall_0x1ff"):
            self.assertEqual((layout.SUBJECT_NONE, none, none, 0), subject(name))

    def test_copies(self) -> None:
        """A copy goes from one descriptor to the other."""
        for name, source, sink in (
            ("sendfile", 1, 0),
            ("copy_file_range", 0, 2),
        ):
            self.assertEqual((layout.SUBJECT_COPY, source, sink, layout.BYTES_IN), subject(name))

    def test_uncounted(self) -> None:
        """What is spliced is not counted, as in /proc/PID/io."""
        for name in ("splice", "tee", "vmsplice"):
            self.assertEqual((layout.SUBJECT_FILE, 0, layout.NO_ARGUMENT, 0), subject(name))

    def test_messages(self) -> None:
        """The result of a call for several messages is not their length."""
        several = layout.BYTES_OF_MESSAGES
        self.assertEqual(layout.BYTES_IN | several, subject("recvmmsg")[3])
        self.assertEqual(layout.BYTES_OUT | several, subject("sendmmsg")[3])
        self.assertEqual(layout.BYTES_OUT, subject("sendmsg")[3])

    def test_short_times(self) -> None:
        """Only the older calls of 32-bit programs have short times."""
        self.assertEqual(layout.SHORT_TIME, subject("nanosleep", is_32_bit=True)[3])
        self.assertEqual(0, subject("clock_nanosleep_time64", is_32_bit=True)[3])
        self.assertEqual(0, subject("nanosleep")[3])

    def test_every_call(self) -> None:
        """Each rule has the arguments that it needs."""
        with_argument = range(layout.SUBJECT_FILE, layout.SUBJECT_EXECUTE + 1)
        without = {layout.SUBJECT_CREATE, layout.SUBJECT_SIGNAL}
        for name in names(machine()).values():
            rule, argument, other, _ = subject(name)
            # What vfork waits for is known when it returns.
            if rule in with_argument and rule not in without and name != "vfork":
                self.assertLess(argument, layout.ARGUMENTS, name)
            if rule in {layout.SUBJECT_COPY, layout.SUBJECT_FUTEX, layout.SUBJECT_POLL}:
                self.assertLess(other, layout.ARGUMENTS, name)

    def test_kinds(self) -> None:
        """The program numbers the kinds of objects as the model lists them."""
        header = OBJECT.with_name("object_layout.h").read_text()
        for place, kind in enumerate(ObjectKind):
            if kind is not ObjectKind.NONE:
                self.assertIn(f"#define KIND_{kind.name} {place}\n", header)

    def test_ports(self) -> None:
        """The ports of clients are a range."""
        settings = settings_of(TraceOptions())
        first, last = settings.first_port, settings.last_port
        self.assertLess(0, first)
        self.assertLessEqual(first, last)
        self.assertLess(last, 65536)
