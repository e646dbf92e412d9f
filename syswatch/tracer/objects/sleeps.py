"""The object of a call that sleeps: for how long it sleeps, as its arguments say."""

from collections.abc import Callable

from syswatch.model.objects import ObjectInfo
from syswatch.model.times import SECOND_NS

from . import describe
from .targets import target_of

_TIMER_ABSTIME = 1
_CLOCK_AND_FLAGS = 2


def sleep_of(
    name: str, number: Callable[[int], int], read: Callable[[int, int], bytes], word: int
) -> ObjectInfo:
    """
    Return the sleep of a call, whose name has no mark of 32-bit programs.

    `number` returns an argument, and `read` memory; `word` is the size of a pointer.
    """
    argument = target_of(name).argument
    if argument == _CLOCK_AND_FLAGS and number(1) & _TIMER_ABSTIME:
        return describe.sleep(None)
    size = 8 if name.endswith("_time64") else word
    data = read(number(argument), 2 * size)
    if len(data) < 2 * size:
        return describe.sleep(None)
    seconds, rest = data[:size], data[size:]
    duration_ns = int.from_bytes(seconds, "little") * SECOND_NS + int.from_bytes(rest, "little")
    return describe.sleep(duration_ns)
