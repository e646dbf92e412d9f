"""The tables in which the hot path of a log looks up what to do with a row."""

from collections.abc import Callable, Iterable

from .line_format import Row

Take = Callable[[Row], None]


class ObjectCalls(dict[bytes, Take]):
    """What to do with a call of one process that begins with one key, by the name of the call."""

    def __init__(self, pid: int, found: int, key: bytes, start: "Start") -> None:
        super().__init__()
        self.pid = pid
        # The ID; -1 if it was not needed yet.
        self.object = found
        self.key = key
        self._start = start

    def __missing__(self, name: bytes) -> Take:
        take = self[name] = self._start(self, name)
        return take


class Keys(dict[bytes, ObjectCalls]):
    """The objects of one process, by the beginning of the arguments."""

    def __init__(self, pid: int, find: "Find") -> None:
        super().__init__()
        self.pid = pid
        self._find = find
        # The keys that are descriptors.
        self._descriptors: list[bytes] = []
        # Many descriptors lead to the same object over time.
        self._of_object: dict[int, ObjectCalls] = {}

    def __missing__(self, key: bytes) -> ObjectCalls:
        calls = self[key] = self._find(self, key)
        return calls

    def of_descriptor(self, key: bytes, found: int, make: Callable[[], ObjectCalls]) -> ObjectCalls:
        """Return the calls on the object of a descriptor, or make them."""
        self._descriptors.append(key)
        calls = self._of_object.get(found)
        if calls is None:
            calls = self._of_object[found] = make()
        return calls

    def forget_descriptors(self) -> None:
        """Forget what the descriptors refer to."""
        for key in self._descriptors:
            self.pop(key, None)
        self._descriptors.clear()


Start = Callable[[ObjectCalls, bytes], Take]
Find = Callable[[Keys, bytes], ObjectCalls]


class Pids(dict[bytes, Keys]):
    """The keys of all processes, by the PID as it is written."""

    def __init__(self, meet: Callable[[bytes], int], find: Find) -> None:
        super().__init__()
        self._meet = meet
        self._find = find
        self._by_pid: dict[int, Keys] = {}

    def __missing__(self, digits: bytes) -> Keys:
        pid = self._meet(digits)
        keys = self._by_pid.get(pid)
        if keys is None:
            keys = self._by_pid[pid] = Keys(pid, self._find)
        self[digits] = keys
        return keys

    def forget_descriptors(self, pid: int) -> None:
        """Forget what the descriptors of a process refer to."""
        keys = self._by_pid.get(pid)
        if keys is not None:
            keys.forget_descriptors()

    def forget_paths(self, pid: int) -> None:
        """Forget everything of a process, since relative paths mean something else now."""
        keys = self._by_pid.get(pid)
        if keys is not None:
            keys.clear()

    def forget_key(self, pids: Iterable[int], key: bytes) -> None:
        """Forget what one key of some processes leads to."""
        for pid in pids:
            keys = self._by_pid.get(pid)
            if keys is not None:
                keys.pop(key, None)

    def forget_all(self) -> None:
        """Forget everything."""
        self.clear()
        self._by_pid.clear()
