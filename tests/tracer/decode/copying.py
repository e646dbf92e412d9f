"""Copies memory as the eBPF program does, so that printers can read nothing else."""

from collections.abc import Iterable, Iterator

from syswatch.tracer.decode import Access, Form, Memory, Read
from syswatch.tracer.ebpf.memory import SampledMemory

_PAGE = 4096
_REGISTERS = 6
_ENTRY_LENGTH_AT = 16


def copied(
    memory: Memory,
    args: tuple[int, ...],
    ret: int,
    reads: Iterable[tuple[Access, Read]],
    moments: frozenset[Access],
) -> SampledMemory:
    """Copy what is read for some kinds of access."""
    registers = (*args, *[0] * _REGISTERS)[:_REGISTERS]
    root = b"".join(value.to_bytes(8, "little") for value in (*registers, max(ret, 0)))
    pieces: list[tuple[int, bytes]] = []
    counts: dict[int, int] = {}
    waiting = [(root, read) for moment, read in reads if moment in moments]
    for outer, read in waiting:
        for address, limit in _pointers(outer, read):
            if read.form in {Form.POINTERS, Form.ENTRIES}:
                counts[address] = _count(memory, address, limit, read)
            else:
                data = _data(memory, address, limit, read)
                pieces.append((address, data))
                waiting += [(data, each) for each in read.within]
    return SampledMemory(tuple(pieces), counts=counts)


def _pointers(outer: bytes, read: Read) -> Iterator[tuple[int, int | None]]:
    """Yield the addresses that a read follows, each with its limit."""
    for number in range(read.count):
        at = read.pointer + number * read.stride
        address = int.from_bytes(outer[at : at + read.width], "little")
        if at + read.width > len(outer):
            return
        limit = None
        if read.limit:
            at = read.limit.at + number * read.stride
            units = int.from_bytes(outer[at : at + read.limit.width], "little")
            limit = units * read.limit.scale
        if address >= _PAGE:
            yield address, limit


def _data(memory: Memory, address: int, limit: int | None, read: Read) -> bytes:
    size = read.size if limit is None else min(read.size, limit)
    data = memory.read(address, size)
    if read.form is Form.TEXT:
        text, nul, _ = data.partition(b"\0")
        return text + nul
    if read.form is Form.LIST:
        end = next(
            (at for at in range(0, len(data), read.unit) if not any(data[at : at + read.unit])),
            len(data),
        )
        return data[: end + read.unit]
    return data


def _count(memory: Memory, address: int, left: int | None, read: Read) -> int:
    count = 0
    while left is None or left > 0:
        if read.form is Form.POINTERS:
            length = read.unit if any(memory.read(address, read.unit)) else 0
        else:
            length = int.from_bytes(memory.read(address + _ENTRY_LENGTH_AT, 2), "little")
        if not length:
            break
        count, address = count + 1, address + length
        left = None if left is None else left - length
    return count
