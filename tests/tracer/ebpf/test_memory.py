"""Tests of the memory in a sample."""

import ctypes
import stat

import attrs
from twisted.trial.unittest import TestCase

from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.memory import Sampled, SampledMemory, sampled

_GIVEN = layout.GIVEN | layout.AT_ENTRY
_GIVEN_LATE = layout.GIVEN | layout.AT_EXIT
_RETURNED = layout.AT_EXIT


@attrs.frozen
class Piece:
    """A piece of memory that was read in one step."""

    address: int
    data: bytes
    kept: int
    form: int = layout.FORM_BYTES

    def raw(self) -> bytes:
        """Return the piece as the kernel writes it."""
        head = layout.Piece(
            address=self.address, length=len(self.data), form=self.form, kept=self.kept
        )
        return bytes(head) + self.data + bytes(-len(self.data) % 8)


def raw_sample(*pieces: Piece) -> bytes:
    """Return a sample as the kernel writes it."""
    data_at = layout.Sample.memory.offset + layout.Memory.data.offset
    return bytes(data_at + layout.ROOT) + b"".join(piece.raw() for piece in pieces)


def brought(*pieces: Piece) -> Sampled:
    """Return the memory of some pieces."""
    return sampled(raw_sample(*pieces))


def given(**links: tuple[int, int, bytes]) -> SampledMemory:
    """Return the links of some descriptors: mode, state and components."""
    sample = layout.Sample()
    for place, (mode, state, text) in enumerate(links.values()):
        link = sample.links[place]
        link.descriptor, link.mode, link.state, link.number = 3 + place, mode, state, 77
        link.length = len(text)
        ctypes.memmove(link.text, text, len(text))
    return sampled(bytes(sample)).before


class PieceTests(TestCase):
    """Pieces of memory."""

    def test_pieces(self) -> None:
        """Memory in the sample can be read from any address; other memory cannot."""
        memory = SampledMemory(((0x1000, b"/etc/hosts\0"), (0x2000, b"cut off")))
        self.assertEqual(b"/etc/hosts", memory.string(0x1000, 4096))
        self.assertEqual(b"hosts", memory.string(0x1005, 4096))
        self.assertEqual(b"cut", memory.string(0x2000, 3))
        self.assertEqual(b"cut", memory.read(0x2000, 3))
        self.assertIsNone(memory.string(0x3000, 4096))
        self.assertEqual(b"", memory.read(0xFFF, 2))

    def test_part(self) -> None:
        """A truncated text is not returned as if it were complete."""
        memory = brought(Piece(0x1000, b"x" * 64, _GIVEN_LATE)).before
        self.assertIsNone(memory.string(0x1000, 4096))
        self.assertEqual(b"x" * 33, memory.string(0x1000, 33))

    def test_before_and_after(self) -> None:
        """The same address has different content before and after the call."""
        memory = brought(Piece(0x1000, b"before", _GIVEN), Piece(0x1000, b"after", _RETURNED))
        self.assertEqual(b"before", memory.before.read(0x1000, 6))
        self.assertEqual(b"after", memory.after.read(0x1000, 6))

    def test_overwritten(self) -> None:
        """What was only read at the exit, from memory that the call wrote, is not an argument."""
        memory = brought(
            Piece(0x1000, b"0123456789", _GIVEN_LATE),
            Piece(0x2000, b"elsewhere", _GIVEN_LATE),
            Piece(0x1008, b"written", _RETURNED),
        )
        self.assertEqual(b"", memory.before.read(0x1000, 4))
        self.assertEqual(b"else", memory.before.read(0x2000, 4))

    def test_cut(self) -> None:
        """What did not fit at the entry is not known."""
        whole, cut = Piece(0x1000, b"whole", _GIVEN), Piece(0x2000, b"this is cut", _GIVEN)
        raw = raw_sample(whole, cut)
        memory = sampled(raw[:-8]).before
        self.assertEqual(b"whole", memory.read(0x1000, 5))
        self.assertEqual(b"", memory.read(0x2000, 5))

    def test_counted(self) -> None:
        """What was only counted cannot be read."""
        count = (9).to_bytes(8, "little")
        memory = brought(Piece(0x1000, count, _RETURNED, layout.FORM_ENTRIES)).after
        self.assertEqual(9, memory.counted(0x1000))
        self.assertIsNone(memory.counted(0x1001))
        self.assertEqual(b"", memory.read(0x1000, 8))


class LinkTests(TestCase):
    """Descriptors."""

    def test_paths(self) -> None:
        """A path is composed of its components, and marked if it is incomplete or deleted."""
        file, whole = stat.S_IFREG, layout.LINK_WHOLE
        memory = given(
            a=(file, whole, b"hosts\0etc\0"),
            b=(file, whole | layout.LINK_DELETED, b"x\0tmp\0"),
        )
        self.assertEqual(b"/etc/hosts", memory.link("fd/3"))
        self.assertEqual(b"/tmp/x (deleted)", memory.link("fd/4"))
        self.assertEqual(b"", memory.link("fd/5"))
        self.assertEqual(b".../er/deep", given(a=(file, 0, b"deep\0er\0")).link("fd/3"))
        self.assertEqual(b"/", given(a=(stat.S_IFDIR, whole, b"")).link("fd/3"))

    def test_unlinked(self) -> None:
        """Files without a directory are named as in /proc."""
        for magic, expected in (
            (0x534F434B, b"socket:[77]"),
            (0x50495045, b"pipe:[77]"),
            (0x09041934, b"anon_inode:[eventfd]"),
            (0x01021994, b"/[eventfd] (deleted)"),
            (0x12345678, b""),
        ):
            sample = layout.Sample()
            link = sample.links[0]
            link.descriptor, link.mode, link.number = 3, stat.S_IFIFO, 77
            link.state, link.file_system, link.length = layout.LINK_NOWHERE, magic, 10
            ctypes.memmove(link.text, b"[eventfd]\0", 10)
            self.assertEqual(expected, sampled(bytes(sample)).before.link("fd/3"))
