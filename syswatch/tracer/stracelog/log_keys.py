"""The tables in which the hot path of a log looks up what to do with a row."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.objects.descriptors import Description

from .line_format import Row

Take = Callable[[Row], None]
# Arguments that begin with a string share a key, the end of the string: strace may have cut it.
# Most paths occur once, so they are looked up when their calls are counted.
STRING_KEYS = (b'"', b".")
_MOST_FILES = 20_000


class ObjectCalls(dict[bytes, Take]):
    """What to do with a call of one process that begins with one key, by the name of the call."""

    def __init__(self, pid: int, found: int, key: bytes, start: "Start") -> None:
        super().__init__()
        self.pid = pid
        # The ID; -1 for strings, each of which has its own.
        self.object = found
        self.key = key
        self._start = start

    def __missing__(self, name: bytes) -> Take:
        take = self[name] = self._start(self, name)
        return take


Start = Callable[[ObjectCalls, bytes], Take]
Find = Callable[[int, bytes], int]


class OpenedFile(NamedTuple):
    """A file that a process has opened: what its descriptors lead to."""

    calls: ObjectCalls
    description: Description


class Keys(dict[bytes, ObjectCalls]):
    """The objects of one process, by the beginning of the arguments."""

    def __init__(self, pid: int, find: Find, start: Start) -> None:
        super().__init__()
        self.pid = pid
        # How the PID is written; with leading zeros in a damaged log.
        self.written: list[bytes] = []
        self._find = find
        self._start = start
        strings = ObjectCalls(pid, -1, STRING_KEYS[0], start)
        self._fixed = dict.fromkeys(STRING_KEYS, strings)
        self._fixed[b""] = ObjectCalls(pid, NO_OBJECT, b"", start)
        # Many descriptors lead to the same object in the course of time.
        self._of_object: dict[int, ObjectCalls] = {}
        # The files that were opened, by the path as it is quoted.
        self.files: dict[bytes, OpenedFile] = {}
        self.forget_descriptors()

    def __missing__(self, key: bytes) -> ObjectCalls:
        calls = self[key] = self.of_object(self._find(self.pid, key), key)
        return calls

    def of_object(self, found: int, key: bytes) -> ObjectCalls:
        """Return the calls on an object to which a key leads."""
        calls = self._of_object.get(found)
        if calls is None:
            calls = self._of_object[found] = ObjectCalls(self.pid, found, key, self._start)
        return calls

    def file(self, path: bytes, description: Description) -> OpenedFile:
        """Keep what a quoted path has opened, until the working directory changes."""
        if len(self.files) >= _MOST_FILES:
            self.files.clear()
        opened = self.files[path] = self.opened(description)
        return opened

    def opened(self, description: Description) -> OpenedFile:
        """Return what a file leads to that was just opened."""
        return OpenedFile(self.of_object(description.object, b"0"), description)

    def release(self) -> None:
        """Break the cycles, in which handlers have the keys that lead to them."""
        for calls in (*self._fixed.values(), *self._of_object.values()):
            calls.clear()
        self.clear()

    def forget_descriptors(self) -> None:
        """Forget what the descriptors refer to."""
        self.clear()
        self.update(self._fixed)


class Pids(dict[bytes, Keys]):
    """The keys of all processes, by the PID as it is written."""

    def __init__(self, meet: Callable[[bytes], int], find: Find, start: Start) -> None:
        super().__init__()
        self._meet = meet
        self._find = find
        self._start = start
        self._by_pid: dict[int, Keys] = {}

    def __missing__(self, digits: bytes) -> Keys:
        keys = self[digits] = self.keys_of(self._meet(digits))
        keys.written.append(digits)
        return keys

    def keys_of(self, pid: int) -> Keys:
        """Return the keys of a process."""
        keys = self._by_pid.get(pid)
        if keys is None:
            keys = self._by_pid[pid] = Keys(pid, self._find, self._start)
        return keys

    def end(self, pid: int) -> None:
        """Forget a process that has ended: there may be very many."""
        keys = self._by_pid.pop(pid, None)
        if keys is not None:
            keys.release()
            for digits in keys.written:
                del self[digits]

    def forget_descriptors(self, pid: int) -> None:
        """Forget what the descriptors of a process refer to."""
        keys = self._by_pid.get(pid)
        if keys is not None:
            keys.forget_descriptors()

    def forget_key(self, pids: Iterable[int], key: bytes) -> None:
        """Forget what one key of some processes leads to."""
        for pid in pids:
            keys = self._by_pid.get(pid)
            if keys is not None:
                keys.pop(key, None)

    def forget_all(self) -> None:
        """Forget everything."""
        for keys in self._by_pid.values():
            keys.release()
        self.clear()
        self._by_pid.clear()
