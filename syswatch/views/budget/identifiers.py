"""The IDs of objects as text, for addresses and JSON."""

from syswatch.model.objects import NO_OBJECT, ObjectKind, kind_of_other, other_object

_DIGITS = 13
_OTHER = "other-"
_NONE = "none"


def object_text(number: int) -> str:
    """
    Return the text of an ID: 13 hexadecimal digits.

    `other-KIND` stands for all objects of a kind without a row of their own, `none` for no object.
    """
    if number == NO_OBJECT:
        return _NONE
    kind = kind_of_other(number)
    return f"{number:0{_DIGITS}x}" if kind is None else f"{_OTHER}{kind.value}"


def object_number(text: str) -> int | None:
    """Return the ID that a text stands for, or None for any other text."""
    if text == _NONE:
        return NO_OBJECT
    if text.startswith(_OTHER):
        kind = next((each for each in ObjectKind if each.value == text.removeprefix(_OTHER)), None)
        return None if kind in (None, ObjectKind.NONE) else other_object(kind)
    try:
        number = int(text, 16)
    except ValueError:
        return None
    # One object has one address.
    return number if text == object_text(number) else None
