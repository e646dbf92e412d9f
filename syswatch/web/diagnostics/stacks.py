"""Stacks of Python threads."""

import sys
import threading
from collections.abc import Mapping
from types import FrameType

from .protobuf import Frame, Stack


def stack_of(frame: FrameType | None) -> Stack:
    """Return the stack from a frame on outwards."""
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append(Frame(code.co_qualname, code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return tuple(frames)


def all_stacks() -> Mapping[str, Stack]:
    """Return the stack of every thread, by its name."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return {
        f"{names.get(ident, 'unknown')} ({ident})": stack_of(frame)
        for ident, frame in sys._current_frames().items()  # noqa: SLF001  there is no other way
    }


def as_text(stack: Stack) -> str:
    """Return a stack as indented lines."""
    return "".join(f"    {frame.function}\n        {frame.file}:{frame.line}\n" for frame in stack)
