"""Reading which functions an executable or a library takes from other libraries."""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple


class _Layout(NamedTuple):
    """Where a file of some width, little-endian, has what is needed here."""

    # The start of the sections, the size of each and their number.
    sections_at: struct.Struct
    # The kind of a section, where its content is, its length, and the section it belongs to.
    section: struct.Struct
    # Where the name of a symbol is, its type, and the section that defines it.
    symbol: struct.Struct


_LAYOUTS: Final = {
    b"\x7fELF\x01\x01": _Layout(
        struct.Struct("<32xI10xHH"), struct.Struct("<4xI8xIII12x"), struct.Struct("<I8xBxH")
    ),
    b"\x7fELF\x02\x01": _Layout(
        struct.Struct("<40xQ10xHH"), struct.Struct("<4xI16xQQI20x"), struct.Struct("<IBxH16x")
    ),
}
_MAGIC_SIZE: Final = 6
_DYNAMIC_SYMBOLS: Final = 11  # SHT_DYNSYM
_UNDEFINED: Final = 0  # SHN_UNDEF
_FUNCTION: Final = 2  # STT_FUNC
_TYPE: Final = 0xF


def imported_functions(content: bytes) -> frozenset[str] | None:
    """
    Return the names of the functions; none for what is not an ELF file, or damaged.

    None is returned for a static program: it has no table of what it imports.
    """
    layout = _LAYOUTS.get(content[:_MAGIC_SIZE])
    if layout is None:
        return frozenset()
    try:
        tables = list(_tables(content, layout))
        return frozenset(name for each in tables for name in each) if tables else None
    except (struct.error, IndexError, ValueError):
        return frozenset()


def _tables(content: bytes, layout: _Layout) -> Iterator[list[str]]:
    """Yield the functions of each table of symbols."""
    start, size, count = layout.sections_at.unpack_from(content)
    sections = [layout.section.unpack_from(content, start + size * at) for at in range(count)]
    for kind, offset, length, link in sections:
        if kind == _DYNAMIC_SYMBOLS:
            yield [
                _name(content, sections[link][1] + name)
                for name, info, section in layout.symbol.iter_unpack(
                    content[offset : offset + length]
                )
                if section == _UNDEFINED and info & _TYPE == _FUNCTION
            ]


def _name(content: bytes, begin: int) -> str:
    return content[begin : content.index(b"\0", begin)].decode("ascii", "replace")
