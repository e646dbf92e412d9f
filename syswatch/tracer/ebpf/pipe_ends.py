"""The processes at the ends of pipes, from what they read and write, and from /proc."""

import attrs

from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.ends import End, find_ends
from syswatch.tracer.objects.ends import pipe as describe_pipe

from .activity import Growth, RowKey
from .objects import Objects

# How often the descriptors of all processes are searched for the ends of a new pipe.
_SEARCHES = 2


@attrs.define
class _Pipe:
    inode: int
    searches: int = _SEARCHES
    ends: dict[int, End] = attrs.field(factory=dict)
    has_changed: bool = True


@attrs.define
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
        self._add(pipe, owner, reads=growth.bytes_in > 0, writes=growth.bytes_out > 0)

    def describe(self) -> None:
        """Describe the pipes about which something new is known."""
        wanted = {pipe.inode for pipe in self._pipes.values() if pipe.searches}
        found = find_ends(wanted) if wanted else {}
        for pipe in self._pipes.values():
            if pipe.searches:
                pipe.searches -= 1
                for end in found.get(pipe.inode, ()):
                    self._add(pipe, end.owner, reads=end.reads, writes=end.writes)
            if pipe.has_changed and pipe.ends:
                pipe.has_changed = False
                self.objects.add(describe_pipe(pipe.inode, tuple(pipe.ends.values())))
        self._forget()

    def _add(self, pipe: _Pipe, owner: Owner, *, reads: bool, writes: bool) -> None:
        known = pipe.ends.get(owner.pid)
        if known is not None:
            reads, writes = reads or known.reads, writes or known.writes
        if not owner.pid or not (reads or writes):
            return
        end = End(owner, reads, writes)
        if end != known:
            pipe.ends[owner.pid] = end
            pipe.has_changed = True

    def _forget(self) -> None:
        for number in self._pipes.keys() - self.objects.pipes.keys():
            del self._pipes[number]
