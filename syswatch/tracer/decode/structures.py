"""Structures of the kernel's interface, printed field by field."""

import struct
from collections.abc import Callable

import attrs

from .traced_call import PointerPrinter, TracedCall

# What makes text of the number in a field.
Text = Callable[[int], str]


@attrs.frozen
class Structure:
    """Where the fields of a structure are, and how each is printed."""

    layout: struct.Struct
    fields: tuple[tuple[str, Text], ...]

    @property
    def size(self) -> int:
        """How many bytes there are."""
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
    """Describe a structure; the names of the fields are those of the kernel."""
    return Structure(struct.Struct(layout), tuple(fields.items()))


def listed(
    call: TracedCall, address: int, count: int, size: int, text: Callable[[bytes], str]
) -> str:
    """Return the elements of an array, as many as are shown."""
    limit = call.settings.string_limit
    shown = [text(call.read(address + at * size, size)) for at in range(min(count, limit))]
    if count > limit:
        shown.append("...")
    return f"[{', '.join(shown)}]"


def counted_behind(element: Structure) -> PointerPrinter:
    """PointerPrinter an array of structures, whose number is the argument that follows."""

    def show(call: TracedCall, index: int, address: int) -> str:
        count = call.argument(index + 1)
        return listed(call, address, count, element.size, element.text)

    return show
