"""Reading which functions an executable or a library takes from other libraries."""

import struct
from collections.abc import Iterator
from typing import Final

_MAGIC: Final = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_SECTIONS_AT: Final = struct.Struct("<40xQ10xHH")
_SECTION: Final = struct.Struct("<4xI16xQQI12xQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS: Final = 11  # SHT_DYNSYM
_UNDEFINED: Final = 0  # SHN_UNDEF
_FUNCTION: Final = 2  # STT_FUNC
_TYPE: Final = 0xF


def imported_functions(content: bytes) -> frozenset[str]:
    """Return the names of the functions; none for what is not a 64-bit ELF file, or damaged."""
    if not content.startswith(_MAGIC):
        return frozenset()
    try:
        return frozenset(_functions(content))
    except (struct.error, IndexError, ValueError):
        return frozenset()


def _functions(content: bytes) -> Iterator[str]:
    start, size, count = _SECTIONS_AT.unpack_from(content)
    sections = [_SECTION.unpack_from(content, start + size * number) for number in range(count)]
    for kind, offset, length, link, _ in sections:
        if kind == _DYNAMIC_SYMBOLS:
            names_at = sections[link][1]
            table = content[offset : offset + length]
            for name, info, _, section, _, _ in _SYMBOL.iter_unpack(table):
                if section == _UNDEFINED and info & _TYPE == _FUNCTION:
                    begin = names_at + name
                    yield content[begin : content.index(b"\0", begin)].decode("ascii", "replace")
