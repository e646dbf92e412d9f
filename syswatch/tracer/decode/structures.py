"""Structures and arrays that the kernel takes and returns, printed field by field."""

import struct
from collections.abc import Callable

from syswatch.base.classes import frozen

from .traced_call import PointerPrinter, TracedCall, UnreadableError

# Formats the number in a field.
Text = Callable[[int], str]


@frozen
class Structure:
    """The layout of a structure, and the names and printers of its fields."""

    layout: struct.Struct
    fields: tuple[tuple[str, Text], ...]

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.layout.size

    def parts(self, data: bytes) -> list[str]:
        """Return each field with its name."""
        numbers = self.layout.unpack_from(data)
        pairs = zip(self.fields, numbers, strict=True)
        return [f"{name}={text(number)}" for (name, text), number in pairs]

    def text(self, data: bytes) -> str:
        """Return the structure in braces."""
        return f"{{{', '.join(self.parts(data))}}}"

    def show(self, call: TracedCall, _index: int, address: int) -> str:
        """Return the structure at an address."""
        return self.text(call.read(address, self.size))


def structure(layout: str, **fields: Text) -> Structure:
    """Describe a structure; the fields have the names that the kernel gives them."""
    return Structure(struct.Struct(layout), tuple(fields.items()))


def readable_elements(
    call: TracedCall,
    address: int,
    count: int,
    layout: struct.Struct,
    text: Callable[..., str],
) -> str:
    """Return the elements of an array, up to the string limit or to unreadable memory."""
    texts: list[str] = []
    for at in range(
        address, address + min(count, call.settings.string_limit) * layout.size, layout.size
    ):
        try:
            element = call.unpack(layout, at)
        except UnreadableError:
            if not texts:
                raise
            return f"[{', '.join([*texts, f'... /* {at:#x} */'])}]"
        texts.append(text(*element))
    if count > call.settings.string_limit:
        texts.append("...")
    return f"[{', '.join(texts)}]"


# What SO_PEERCRED and SCM_CREDENTIALS pass.
UCRED = structure("<iII", pid=str, uid=str, gid=str)


def listed(
    call: TracedCall, address: int, count: int, size: int, text: Callable[[bytes], str]
) -> str:
    """Return the elements of an array, up to the string limit."""
    limit = call.settings.string_limit
    shown = [text(call.read(address + at * size, size)) for at in range(min(count, limit))]
    if count > limit:
        shown.append("...")
    return f"[{', '.join(shown)}]"


def counted_by_next(element: Structure) -> PointerPrinter:
    """Print an array of structures, of which the next argument is the number."""

    def show(call: TracedCall, index: int, address: int) -> str:
        count = call.argument(index + 1)
        return listed(call, address, count, element.size, element.text)

    return show
