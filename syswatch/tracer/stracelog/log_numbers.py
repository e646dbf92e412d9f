"""Numbers in logs, of which a damaged line may have any."""

import re

# Python refuses to parse thousands of digits.
MOST_DIGITS = 20
_LARGEST = (1 << 63) - 1
_RESULT = re.compile(rb"0x[0-9a-f]+|-?\d+")
_SIGN = 1 << 63
_X = ord("x")


def whole_number(text: bytes) -> int:
    """Return a number, decimal or with `0x`; -1 if it is none, or none that a call can have."""
    if not text or len(text) > MOST_DIGITS:
        return -1
    number = int(text, 16 if _X in text else 10)
    return number if abs(number) <= _LARGEST else -1


def result_value(text: bytes) -> int:
    """Return the number with which a result begins, as a signed one; 0 if there is none."""
    match = _RESULT.match(text)
    if match is None:
        return 0
    if not match[0].startswith(b"0x"):
        return whole_number(match[0])
    number = int(match[0], 16) & (2 * _SIGN - 1)
    return number - 2 * _SIGN if number & _SIGN else number
