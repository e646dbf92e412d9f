"""Tells the program which paths calls must have to do with, to be counted."""

import os
from collections.abc import Sequence

from .program import Program


def select_paths(program: Program, paths: Sequence[str]) -> None:
    """
    Ask for some paths, by what they are called and by what they are.

    A call that names one of them is known by the text.  One that has a descriptor is known by
    the file, which the program must be shown once: it looks at what we hold open.  What is
    opened later under a wanted name it learns by itself.
    """
    for name in {*paths, *map(os.path.realpath, paths)}:
        program.want(os.fsencode(name))
        try:
            descriptor = os.open(name, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        program.show(descriptor)
        os.close(descriptor)
