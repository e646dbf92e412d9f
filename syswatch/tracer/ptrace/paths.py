"""The objects of the paths that calls name, which are often used again."""

import os
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT, ObjectKind, kind_of_other
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.descriptors import Description, Descriptors, Found

from .abi import read_arguments, signed
from .calls import CallKind, Return
from .memory import LONGEST_PATH
from .threads import Thread

_AT_FDCWD = -100
_MOST_PATHS = 10_000
_SLASH = ord("/")
# The bit of O_TMPFILE that is not O_DIRECTORY: the path is that of the directory.
_TMPFILE = os.O_TMPFILE & ~os.O_DIRECTORY


@define
class Paths:
    """
    Finds the objects of paths.

    Reading a link in /proc takes as long as handling a stop, so the directories of threads, and
    what a process has opened by its real name, are kept until the next flush, or until a traced
    program changes what a path leads to.
    """

    descriptors: Descriptors
    # Whether memory of the target may be read.
    reads: bool = True
    numbers: dict[bytes, int] = attrs.field(factory=dict, init=False)
    # Whether these are all paths that have been named and are known.
    _has_all: bool = attrs.field(default=True, init=False)
    # By description, or by thread for its working directory.
    folders: dict[Description | int, bytes] = attrs.field(factory=dict, init=False)
    # By process and path.
    _opened: dict[tuple[int, bytes], Description] = attrs.field(factory=dict, init=False)

    def forget(self) -> None:
        """Forget what may have changed."""
        self.folders.clear()
        self._opened.clear()

    def forget_objects(self, numbers: AbstractSet[int]) -> None:
        """Forget objects, and what leads to them."""
        self.forget()
        self.numbers = {path: each for path, each in self.numbers.items() if each not in numbers}

    def named(self, thread: Thread, call: CallKind) -> int:
        """Return the object of the path that a call names."""
        arguments = read_arguments(thread.entry)
        text = thread.given if call.opens_path else None
        if text is None and self.reads:
            text = thread.memory.string(arguments[call.target.argument], LONGEST_PATH)
        if text:
            if text[0] == _SLASH and text in self.numbers:
                return self.numbers[text]
            return self.number_of(self._full(thread, call.target.directory, arguments, text))
        # AT_EMPTY_PATH, or unreadable.
        place = call.target.directory
        fd = signed(arguments[place]) if place >= 0 else -1
        description = thread.open.get(fd)
        if description is not None:
            return description.object
        return self.descriptors.object_of(thread.tid, fd) if fd >= 0 else NO_OBJECT

    def second(self, thread: Thread, call: CallKind) -> int:
        """Return the object of the second path that a call names, or none if it has no text."""
        arguments, target = read_arguments(thread.entry), call.target
        if not self.reads:
            return NO_OBJECT
        text = thread.memory.string(arguments[target.other_path], LONGEST_PATH)
        if not text:
            return NO_OBJECT
        return self.number_of(self._full(thread, target.other_directory, arguments, text))

    def opened(self, thread: Thread, call: CallKind, returned: Return) -> int:
        """Add the descriptor that open or openat has returned, if any; return its object."""
        if returned.failed:
            return self.named(thread, call)
        fd = returned.result
        arguments = read_arguments(thread.entry)
        flags = arguments[call.target.argument + 1]
        path, description = b"", None
        if thread.given and not flags & _TMPFILE:
            path = self._full(thread, call.target.directory, arguments, thread.given)
            description = self._opened.get((thread.process.pid, path))
        if description is None:
            found = self.descriptors.resolve(thread.tid, fd)
            if found is None:
                found = Found(describe.opened(describe.full_path(path or thread.given or b"")))
            description = self.descriptors.describe(found)
            if path and description.path == path:
                self._opened[thread.process.pid, path] = description
        table = self.descriptors.table(thread.tid)
        table.opened(fd, description, cloexec=bool(flags & os.O_CLOEXEC))
        return description.object

    def _full(self, thread: Thread, place: int, arguments: tuple[int, ...], text: bytes) -> bytes:
        """Return a path with the directory that it is relative to: an argument, unless negative."""
        if text[0] == _SLASH:
            return text
        directory = signed(arguments[place]) if place >= 0 else _AT_FDCWD
        key: Description | int | None = thread.tid
        if directory != _AT_FDCWD:
            key = thread.open.get(directory)
        folder = self.folders.get(key) if key is not None else None
        if folder is None:
            folder = thread.memory.link("cwd" if directory == _AT_FDCWD else f"fd/{directory}")
            if key is not None:
                self.folders[key] = folder
        return folder + b"/" + text

    def number_of(self, path: bytes) -> int:
        """Return the object of a whole path."""
        number = self.numbers.get(path)
        if number is not None:
            return number
        known = self.descriptors.known
        if known.is_full and self._is_new(path):
            return known.add_other(ObjectKind.PATH)
        number = known.add(describe.path(path))
        if kind_of_other(number) is None:
            if len(self.numbers) >= _MOST_PATHS:
                self.numbers.clear()
                self._has_all = False
            self.numbers[path] = number
        return number

    def _is_new(self, path: bytes) -> bool:
        """Return whether an object of this path, which has not been named, cannot be known."""
        is_plain = b"//" not in path and b"/." not in path and path[-1] != _SLASH
        return self._has_all and is_plain and not self.descriptors.knows_file(path)
