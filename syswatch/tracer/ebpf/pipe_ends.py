"""The processes at the ends of pipes, from what they read and write, and from /proc."""

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.ends import End, find_ends
from syswatch.tracer.objects.ends import pipe as describe_pipe

from .activity import Growth, RowKey
from .objects import Objects


@define
class _Pipe:
    inode: int
    is_new: bool = True
    # Those that have it open, and those of them that have used it, by PID.
    open: dict[int, End] = attrs.field(factory=dict)
    used: dict[int, End] = attrs.field(factory=dict)
    has_changed: bool = True

    def ends(self) -> tuple[End, ...]:
        """Return the processes that read or write it; if none has yet, those that can."""
        reads = any(end.reads for end in self.used.values())
        writes = any(end.writes for end in self.used.values())
        return (
            *self.used.values(),
            *(
                End(end.owner, end.reads and not reads, end.writes and not writes)
                for end in self.open.values()
                if (end.reads and not reads) or (end.writes and not writes)
            ),
        )


@define
class PipeEnds:
    """Describes pipes by the processes at their ends; a pipe may outlive them."""

    objects: Objects
    _pipes: dict[int, _Pipe] = attrs.field(factory=dict, init=False)

    def note(self, key: RowKey, growth: Growth) -> None:
        """Note which process reads or writes a pipe."""
        inode = self.objects.pipes.get(key.object)
        if inode is None:
            return
        pipe = self._pipes.get(key.object)
        if pipe is None or pipe.inode != inode:
            pipe = self._pipes[key.object] = _Pipe(inode)
        owner = self.objects.owner_of(key.process)
        known = pipe.used.get(owner.pid) or End(owner, reads=False, writes=False)
        reads, writes = known.reads or growth.bytes_in > 0, known.writes or growth.bytes_out > 0
        end = End(known.owner, reads, writes)
        if owner.pid and (reads or writes) and end != known:
            pipe.used[owner.pid] = end
            pipe.has_changed = True

    def describe(self) -> None:
        """Describe the pipes about which something new is known."""
        for number in self._pipes.keys() - self.objects.pipes.keys():
            del self._pipes[number]
        wanted = {pipe.inode for pipe in self._pipes.values() if pipe.is_new}
        found = find_ends(wanted) if wanted else {}
        for pipe in self._pipes.values():
            if pipe.is_new:
                pipe.is_new = False
                pipe.open = {end.owner.pid: end for end in found.get(pipe.inode, ())}
            if pipe.has_changed and (ends := pipe.ends()):
                pipe.has_changed = False
                self.objects.add(describe_pipe(pipe.inode, ends))
