"""Finds the object of a call of a log in the text of its arguments."""

import re
from collections import defaultdict
from collections.abc import Sequence

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT, ObjectKind, kind_of_other, other_object
from syswatch.model.times import SECOND_NS
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import SocketFacts
from syswatch.tracer.objects.effect import descriptor
from syswatch.tracer.objects.socket_calls import peer_of
from syswatch.tracer.objects.targets import Target, Way
from syswatch.tracer.objects.ways import bytes_moved

from .decorations import find_in_text
from .grammar import DECORATION, FIRST_ARGUMENT
from .log_numbers import whole_number
from .log_processes import LogProcesses
from .logged_arguments import LoggedArguments, decorated, leading_number, string_of

_FIRST_ARGUMENT = re.compile(FIRST_ARGUMENT)
_END_OF_PLAIN = re.compile(rb".*(?=\) += )", re.DOTALL)
_NUMBERED = re.compile(rb"-?\d+(?:<.*>(?:\(deleted\))?)?", re.DOTALL)
_TIME = re.compile(rb"tv_sec=(\d{1,12}), tv_nsec=(\d{1,9})")
_READY = re.compile(rb"\[(?:\{fd=)?(\d+)")
_EVENT = re.compile(rb"\bu64=(0x[0-9a-f]+|\d+)")
_MAPPED = re.compile(rb"MAP_[^,]*, (-?\d{1,7}(?:<[^<>]*>)?), (?:0|0x[0-9a-f]+)\) +=")
_MESSAGE = re.compile(rb"\bmsg_len=(\d+)")
_MOST_PATHS = 20_000
_OTHER_DESCRIPTOR = other_object(ObjectKind.DESCRIPTOR)
# The text without which a call changes no descriptor, if the log has names at all.
NEEDED: dict[str, Sequence[bytes]] = {
    "fcntl": (b"F_DUPFD", b"F_SETFD", b", 0x"),
    "fcntl64": (b"F_DUPFD", b"F_SETFD", b", 0x"),
    "ioctl": (b"FIOCLEX", b"FIONCLEX", b", 0x"),
    "recvmsg": (b"SCM_RIGHTS",),
}


def is_needed(needed: Sequence[bytes], args: bytes) -> bool:
    """Return whether a call may change a descriptor."""
    return any(text in args for text in needed)


def beginning_of(name: str, args: bytes) -> tuple[bytes, bytes]:
    """Return the string, or else the descriptor, with which the arguments of a call begin."""
    # The expression looks at the name, too.
    before = name.encode() + b"("
    match = _FIRST_ARGUMENT.match(before + args + b")", len(before))
    return (match[1] or b"", match[2] or b"") if match else (b"", b"")


def arguments_of_line(line: bytes, name: bytes) -> bytes:
    """Return the arguments on a plain line."""
    text = line.partition(name + b"(")[2]
    match = _END_OF_PLAIN.match(text)
    return match[0] if match else text


def descriptor_in(text: bytes) -> bytes:
    """Return a text if it is that of a descriptor that may be open, else nothing."""
    return text if text[:1].isdigit() and _NUMBERED.fullmatch(text) else b""


@define
class LogTargets:
    """Finds objects, and gives them their IDs."""

    processes: LogProcesses
    # The objects of paths, as they are quoted, by working directory.
    _paths: dict[bytes, dict[bytes, int]] = attrs.field(
        factory=lambda: defaultdict(dict), init=False
    )
    _path_count: int = attrs.field(default=0, init=False)
    # The objects of files that the log names, by what follows the descriptor.
    _files: dict[bytes, int] = attrs.field(factory=dict, init=False)

    def of_key(self, pid: int, key: bytes) -> int:
        """Return the object of a descriptor, or the address of a futex, as it is written."""
        if not key:
            return NO_OBJECT
        if key.startswith(b"0x"):
            owner = self.processes.owner(pid)
            return self.processes.known.add(describe.futex(int(key, 16), None, owner))
        return self._written(pid, key)

    def socket(self, pid: int, text: bytes) -> SocketFacts | None:
        """Return what is known of the socket behind a descriptor, as it is written."""
        found = find_in_text(text, self.processes.owner(pid), self.processes.listening)
        if found is not None:
            return found.socket
        description = self.processes.table(pid).open.get(
            whole_number(leading_number(text) or b"-1")
        )
        return description.socket if description is not None else None

    def descriptor(self, call: LoggedArguments, index: int) -> int:
        """Return the object of an argument that is a descriptor."""
        text = call.argument(index)
        return self._written(call.pid, text) if _NUMBERED.fullmatch(text) else NO_OBJECT

    def _written(self, pid: int, text: bytes) -> int:
        """Return the object of a descriptor; what the log says counts more than what is known."""
        digits, has_name, name = text.partition(b"<")
        if has_name:
            found = self._files.get(name)
            if found is None:
                found = self._named(pid, text, name)
            if found is not None:
                return found
        fd = whole_number(digits)
        if fd < 0:
            return NO_OBJECT
        description = self.processes.table(pid).open.get(fd)
        return _OTHER_DESCRIPTOR if description is None else description.object

    def _named(self, pid: int, text: bytes, name: bytes) -> int | None:
        """Return the object that the log names with a descriptor; None if it names none."""
        owner = self.processes.owner(pid)
        found = find_in_text(text, owner, self.processes.listening)
        if found is None:
            return None
        number = self.processes.known.add(found.info)
        # A file is the same for all processes and descriptors.  What is not kept is counted.
        if name.startswith(b"/") and kind_of_other(number) is None:
            if len(self._files) >= _MOST_PATHS:
                self._files.clear()
            self._files[name] = number
        return number

    def path(self, pid: int, quoted: bytes) -> int:
        """Return the object of a path that is relative to the working directory."""
        return self.path_in(self.processes.place(pid).directory, quoted)

    def path_at(self, pid: int, fd: bytes, quoted: bytes) -> int:
        """Return the object of a path that is relative to the directory of a descriptor."""
        return self.path_in(self.processes.directory(pid, fd), quoted)

    def path_in(self, directory: bytes, quoted: bytes) -> int:
        """Return the object of a path that is relative to a directory."""
        found = self._paths[directory].get(quoted)
        if found is None:
            found = self._path(string_of(quoted), directory)
            if self._path_count >= _MOST_PATHS:
                self._paths.clear()
                self._path_count = 0
            self._paths[directory][quoted] = found
            self._path_count += 1
        return found

    def _path(self, text: bytes, base: bytes) -> int:
        return self.processes.known.add(describe.path(text, base)) if text else NO_OBJECT

    def find(self, call: LoggedArguments, target: Target, ret: bytes) -> int:
        """Return the object of a call; `ret` has more of the result than its number."""
        match target.way:
            case Way.DESCRIPTOR:
                return self._connecting(call) or self.descriptor(call, target.argument)
            case Way.PATH | Way.OPENED_PATH:
                return self._path_of(call, target)
            case Way.RESULT:
                return self._written(call.pid, ret or b"%d" % call.result)
            case Way.PAIR:
                fds = call.descriptors(target.argument)
                return self._written(call.pid, _named(call, b"%d" % fds[0])) if fds else NO_OBJECT
            case Way.POLL | Way.SELECT | Way.EPOLL:
                return self._woken_by(call, target, ret)
        return self._of_memory(call, target)

    def _connecting(self, call: LoggedArguments) -> int:
        peer = peer_of(self.processes.tables, call) if call.name == "connect" else None
        return NO_OBJECT if peer is None else self.processes.known.add(peer)

    def second_path(self, call: LoggedArguments, target: Target) -> int:
        """Return the object of the second path that a call names, or none if it has no text."""
        text, place = call.text(target.other_path), target.other_directory
        return self._path(text, self._base(call, call.argument(place) if place >= 0 else b""))

    def _path_of(self, call: LoggedArguments, target: Target) -> int:
        text = call.text(target.argument)
        if target.directory < 0:
            return self._path(text, call.base(target.argument))
        directory = call.argument(target.directory)
        if not text and _NUMBERED.fullmatch(directory):
            return self._written(call.pid, directory)
        return self._path(text, self._base(call, directory))

    def _base(self, call: LoggedArguments, directory: bytes) -> bytes:
        """Return the path of a directory as it is known."""
        if path := decorated(directory):
            return path
        if not _NUMBERED.fullmatch(directory) or directory.startswith(b"-"):
            return call.directory
        return self.processes.path_of(call.pid, whole_number(directory.partition(b"<")[0]))

    def _of_memory(self, call: LoggedArguments, target: Target) -> int:
        known = self.processes.known
        match target.way:
            case Way.SLEEP:
                time = _TIME.search(call.argument(target.argument))
                if time is None or b"TIMER_ABSTIME" in call.args:
                    return known.add(describe.sleep(None))
                duration_ns = whole_number(time[1]) * SECOND_NS + whole_number(time[2])
                return known.add(describe.sleep(duration_ns))
            case Way.CHILD:
                return self._child(call)
            case Way.SIGNAL:
                return known.add(describe.SIGNALS)
        return NO_OBJECT

    def _child(self, call: LoggedArguments) -> int:
        pid = call.result
        if call.name == "waitid":
            match = re.search(rb"\bsi_pid=(\d{1,8})", call.args)
            pid = int(match[1]) if match else 0
        if pid <= 0:
            return self.processes.known.add(describe.ANY_CHILD)
        return self.processes.known.add(describe.child(self.processes.owner_before_end(pid)))

    def _woken_by(self, call: LoggedArguments, target: Target, ret: bytes) -> int:
        if call.result == 0:
            return self.processes.known.add(describe.TIMED_OUT)
        if call.result < 0:
            return self.processes.known.add(describe.SIGNALS)
        if target.way is not Way.EPOLL:
            ready = _READY.search(ret)
            return self._written(call.pid, _named(call, ready[1])) if ready else _OTHER_DESCRIPTOR
        epoll = self.processes.table(call.pid).open.get(descriptor(call, 0))
        event = _EVENT.search(call.argument(target.argument))
        if epoll is None or event is None:
            return self.descriptor(call, 0)
        return epoll.woken_by(whole_number(event[1])).object

    def mapped(self, line: bytes) -> bytes:
        """Return the descriptor of a mapping on a plain line; nothing if it is not found."""
        match = _MAPPED.search(line)
        return match[1] if match else b""

    def reported(self, pid: int, fd: bytes, result: bytes, line: bytes) -> int | None:
        """Return what an epoll has reported on a plain line; None if that is not found."""
        event = _EVENT.search(line) if result.isdigit() and result != b"0" else None
        if event is None or not fd.isdigit():
            return None
        epoll = self.processes.table(pid).open.get(whole_number(fd))
        return _OTHER_DESCRIPTOR if epoll is None else epoll.woken_by(whole_number(event[1])).object

    def message_bytes(self, call: LoggedArguments) -> int:
        """Return the bytes of all messages of a call."""
        return sum(bytes_moved(whole_number(size)) for size in _MESSAGE.findall(call.args))

    def change_directory(self, call: LoggedArguments) -> None:
        """Note the working directory that a call has set or returned."""
        place = self.processes.place(call.pid)
        if call.name == "fchdir":
            place.directory = self._base(call, call.argument(0))
        elif text := call.text(0):
            place.directory = describe.full_path(text, place.directory)


def _named(call: LoggedArguments, digits: bytes) -> bytes:
    """Return a descriptor as it is written in the arguments: results have it without its name."""
    found = re.search(rb"(?<!\w)%s%s" % (digits, DECORATION), call.args)
    return found[0] if found else digits
