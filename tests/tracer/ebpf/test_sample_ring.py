"""Tests of taking samples from their ring, with a ring in ordinary memory."""

import mmap
import os
import struct
from typing import cast

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.program import Program
from syswatch.tracer.ebpf.sample_ring import SampleRing

_PAGE = mmap.PAGESIZE
_SIZE = 1 << 20
_BUSY = 1 << 31
_ALL = 1000


class FakeProgram:
    """A ring as the kernel has it, except that its data are not mapped twice by themselves."""

    def __init__(self) -> None:
        self.file_fd = os.memfd_create("ring")
        os.ftruncate(self.file_fd, 2 * _PAGE + 2 * _SIZE)
        self.mapped: list[int] = []
        self.memory = mmap.mmap(self.file_fd, 0)
        self.positions = memoryview(self.memory)[: 2 * _PAGE].cast("Q")

    def mapped_part(self, _: str, at: int, size: int, *, is_writable: bool = False) -> mmap.mmap:
        """Map a part, as the program does."""
        self.mapped.append(size)
        access = mmap.PROT_READ | mmap.PROT_WRITE * is_writable
        return mmap.mmap(self.file_fd, -(-size // _PAGE) * _PAGE, prot=access, offset=at)

    @property
    def read(self) -> int:
        """Up to where the samples were read."""
        return self.positions[0]

    def begin_at(self, position: int) -> None:
        """Begin with a ring of which everything was read."""
        self.positions[0] = self.positions[_PAGE // 8] = position

    def write(self, sample: bytes, bits: int = 0) -> int:
        """Write a sample; return the position of its header."""
        begin = self.positions[_PAGE // 8]
        data = struct.pack("II", len(sample) | bits, 0) + sample
        data += bytes(-len(data) % 8)
        for at, byte in enumerate(data, begin):
            for copy in (0, _SIZE):
                self.memory[2 * _PAGE + copy + at % _SIZE] = byte
        self.positions[_PAGE // 8] = begin + len(data)
        return begin

    def complete(self, position: int) -> None:
        """Complete a sample."""
        at = 2 * _PAGE + position % _SIZE
        (length,) = struct.unpack_from("I", self.memory, at)
        struct.pack_into("I", self.memory, at, length & ~_BUSY)


class SampleRingTests(SynchronousTestCase):
    """Samples are taken once, whole and in order."""

    def setUp(self) -> None:
        """Create an empty ring."""
        self.program = FakeProgram()
        self.addCleanup(os.close, self.program.file_fd)
        self.ring = SampleRing(cast("Program", self.program), _SIZE)

    def test_empty(self) -> None:
        """Of an empty ring, nothing is mapped but the positions."""
        self.assertEqual([], self.ring.take(_ALL))
        self.assertEqual([_PAGE, _PAGE], self.program.mapped)

    def test_samples(self) -> None:
        """Samples of any length are taken, and others can be written in their place."""
        samples = [bytes([length]) * length for length in (1, 8, 13, 200)]
        for sample in samples:
            self.program.write(sample)
        self.assertEqual(samples, self.ring.take(_ALL))
        self.assertEqual(self.program.positions[_PAGE // 8], self.program.read)
        self.assertEqual([], self.ring.take(_ALL))

    def test_around_the_end(self) -> None:
        """A sample at the end of the ring continues at its beginning."""
        self.program.begin_at(5 * _SIZE - 16)
        samples = [b"begins before the end", b"behind"]
        for sample in samples:
            self.program.write(sample)
        self.assertEqual(samples, self.ring.take(_ALL))

    def test_incomplete(self) -> None:
        """Samples behind one that is not complete wait for it."""
        self.program.write(b"first")
        position = self.program.write(b"second", _BUSY)
        self.program.write(b"third")
        self.assertEqual([[b"first"], []], [self.ring.take(_ALL) for _ in range(2)])
        self.assertEqual(position, self.program.read)
        self.program.complete(position)
        self.assertEqual([b"second", b"third"], self.ring.take(_ALL))

    def test_most(self) -> None:
        """No more are taken than were asked for; the others stay."""
        for number in range(3):
            self.program.write(bytes([number]))
        self.assertEqual([b"\0", b"\1"], self.ring.take(2))
        self.assertEqual([b"\2"], self.ring.take(2))

    def test_many(self) -> None:
        """Many samples are mapped in parts; one that is in two of them is taken with the second."""
        self.program.begin_at(3000)
        samples = [bytes([number]) * 10_000 for number in range(60)]
        for sample in samples:
            self.program.write(sample)
        taken = []
        while part := self.ring.take(_ALL):
            taken += part
        self.assertEqual(samples, taken)
        self.assertLess(max(self.program.mapped), _SIZE // 2)
