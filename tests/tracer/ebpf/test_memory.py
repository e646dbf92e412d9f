"""What a sample has brought along."""

import ctypes
import stat

from twisted.trial.unittest import TestCase

from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.memory import SampledMemory


def given(**links: tuple[int, int, bytes]) -> SampledMemory:
    """Return what is known of some descriptors: mode, state and parts."""
    sample = layout.Sample()
    for place, (mode, state, text) in enumerate(links.values()):
        link = sample.given.links[place]
        link.descriptor, link.mode, link.state, link.number = 3 + place, mode, state, 77
        link.length = len(text)
        ctypes.memmove(link.text, text, len(text))
    return SampledMemory.before(bytes(sample))


class PieceTests(TestCase):
    """Pieces of memory."""

    def test_pieces(self) -> None:
        """What was brought is there, from any address within; nothing else is."""
        memory = SampledMemory(((0x1000, b"/etc/hosts\0"), (0x2000, b"cut off")))
        self.assertEqual(b"/etc/hosts", memory.string(0x1000, 4096))
        self.assertEqual(b"hosts", memory.string(0x1005, 4096))
        self.assertEqual(b"cut", memory.string(0x2000, 3))
        self.assertEqual(b"cut", memory.read(0x2000, 3))
        self.assertIsNone(memory.string(0x3000, 4096))
        self.assertEqual(b"", memory.read(0xFFF, 2))

    def test_part(self) -> None:
        """Of a text that has been cut nothing is shown as if it were the whole."""
        sample = layout.Sample()
        text = b"x" * (layout.CHUNK - 1) + b"\0"
        sample.given.memory.chunks[0].address, sample.given.memory.chunks[0].length = (
            0x1000,
            len(text),
        )
        ctypes.memmove(sample.given.memory.chunks[0].bytes, text, len(text))
        memory = SampledMemory.before(bytes(sample))
        self.assertIsNone(memory.string(0x1000, 4096))
        self.assertEqual(b"x" * 33, memory.string(0x1000, 33))


class LinkTests(TestCase):
    """Descriptors."""

    def test_paths(self) -> None:
        """A path is put together from its parts, and told when it is not whole or not there."""
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

    def test_nowhere(self) -> None:
        """What is in no folder is called as /proc calls it."""
        for magic, expected in (
            (0x534F434B, b"socket:[77]"),
            (0x50495045, b"pipe:[77]"),
            (0x09041934, b"anon_inode:[eventfd]"),
            (0x01021994, b"/[eventfd] (deleted)"),
            (0x12345678, b""),
        ):
            sample = layout.Sample()
            link = sample.given.links[0]
            link.descriptor, link.mode, link.number = 3, stat.S_IFIFO, 77
            link.state, link.file_system, link.length = layout.LINK_NOWHERE, magic, 10
            ctypes.memmove(link.text, b"[eventfd]\0", 10)
            self.assertEqual(expected, SampledMemory.before(bytes(sample)).link("fd/3"))
