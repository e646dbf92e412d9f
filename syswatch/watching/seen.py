"""What was seen of a block or a command."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syswatch.base.classes import define
from syswatch.model.activity import NO_SUMS, ActivityKey, Sums
from syswatch.model.catalog import executes
from syswatch.model.delta import Delta
from syswatch.model.ledger import ENTRIES, Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind, names_peer

from .calls import Calls, opens_paths
from .errors import WatchError

if TYPE_CHECKING:
    from syswatch.comparison.change import Comparison
    from syswatch.comparison.run import Run

_FILES = frozenset(
    {
        ObjectKind.PATH,
        ObjectKind.FILE,
        ObjectKind.DIRECTORY,
        ObjectKind.DEVICE,
        ObjectKind.TTY,
    }
)
_UNIX_PEERS = ("/", "@", "peer ")
_LOSSES = ("lost_events", "unfollowed_processes")
_UNKNOWN = ObjectInfo(ObjectKind.NONE)


@define(eq=False, slots=False)
class Seen:
    """
    The calls of a block or a command, and what they acted on.

    Those of a block are known when it has ended.
    """

    # How the program was traced: `ebpf` or `ptrace`; empty before the end.
    backend: str = ""
    # Why the numbers may be too low; empty if they are exact.
    doubts: tuple[str, ...] = ()
    _delta: Delta | None = None

    def finish(self, delta: Delta, backend: str, doubts: tuple[str, ...] = ()) -> None:
        """Set what was seen."""
        self._delta, self.backend = delta, backend
        self.doubts = (*doubts, *_missing(delta.ledger))

    @property
    def delta(self) -> Delta:
        """The sums as tracers report them."""
        if self._delta is None:
            raise WatchError("the calls of a block are known when the block has ended")
        return self._delta

    @property
    def is_exact(self) -> bool:
        """Whether every call was counted."""
        return bool(self.delta) and not self.doubts

    @cached_property
    def calls(self) -> Calls:
        """The number of calls by name, class (`%net`) or any other expression of `--trace`."""
        return Calls({name: tally.count for name, tally in self.delta.calls.items()})

    @cached_property
    def errors(self) -> Mapping[str, int]:
        """How many calls failed with each errno; 0 for those that did not occur."""
        found: Counter[str] = Counter()
        for tally in self.delta.calls.values():
            found.update(tally.errnos)
        return found

    @cached_property
    def failures(self) -> Mapping[str, Mapping[str, int]]:
        """How many calls of each name failed with each errno."""
        calls = self.delta.calls.items()
        return {name: Counter(tally.errnos) for name, tally in calls if tally.errnos}

    @cached_property
    def paths(self) -> Mapping[str, int]:
        """How many calls opened each path, or tried to; paths are absolute."""
        rows = self._rows(lambda key, info: opens_paths(key.call) and info.kind in _FILES)
        return Counter({name: sums.count for name, sums in rows.items()})

    @cached_property
    def failed_paths(self) -> Mapping[str, int]:
        """How many calls failed to open each path."""
        rows = self._rows(lambda key, info: opens_paths(key.call) and info.kind in _FILES)
        return Counter({name: sums.errors for name, sums in rows.items() if sums.errors})

    @cached_property
    def files(self) -> Mapping[str, Sums]:
        """What all calls did with each path, opened or only named: counts, bytes and times."""
        return self._rows(lambda _, info: info.kind in _FILES)

    @cached_property
    def peers(self) -> Mapping[str, Sums]:
        """What all calls did with each peer (`127.0.0.1:80`, a path): counts, bytes and times."""
        return self._rows(lambda _, info: _is_peer(info))

    @cached_property
    def programs(self) -> Mapping[str, int]:
        """How often each program was executed."""
        rows = self._rows(lambda key, _: executes(key.call))
        started = {name: sums.count - sums.errors for name, sums in rows.items()}
        return Counter({name: count for name, count in started.items() if count})

    @property
    def bytes_in(self) -> int:
        """How many bytes were read and received."""
        return sum(sums.bytes_in for sums in self.delta.activity.values())

    @property
    def bytes_out(self) -> int:
        """How many bytes were written and sent."""
        return sum(sums.bytes_out for sums in self.delta.activity.values())

    @cached_property
    def run(self) -> "Run":
        """What was seen as `syswatch diff` and `syswatch check` see it."""
        from syswatch.comparison.of_delta import run_of_delta
        from syswatch.model.messages import Started

        return run_of_delta(self.delta, "this run", started=Started(self.backend))

    def exceeded(self, **limits: Any) -> tuple[str, ...]:
        """Return a sentence for each limit that was exceeded; see `Limits`."""
        from .limits import Limits

        return Limits(**limits).exceeded(self)

    def counts(self, places: Mapping[str, str] | None = None) -> "Run":
        """Return what `diff` compares; `places` are directories with other names for them."""
        from .baselines import counts_of

        return counts_of(self.delta, "this run", self.backend, places)

    def diff(self, baseline: "Seen | Run | str | os.PathLike[str]") -> "Comparison":
        """
        Return which calls, errors, paths, peers and programs changed since a baseline.

        That is something else that was seen, or a file that `write_baseline` has written.
        """
        from .baselines import compare, read

        if isinstance(baseline, Seen):
            baseline = baseline.counts()
        elif isinstance(baseline, str | os.PathLike):
            baseline = read(Path(baseline))
        return compare(baseline, self.counts())

    def write_baseline(self, file: str | os.PathLike[str], title: str = "") -> None:
        """Write what `diff` compares to a file."""
        from .baselines import written

        Path(file).write_text(written(self.counts(), title or Path(file).stem), "utf-8")

    def _rows(self, is_meant: Callable[[ActivityKey, ObjectInfo], bool]) -> Mapping[str, Sums]:
        """Return the sums of the calls on some objects, by the names of these."""
        found: dict[str, Sums] = {}
        objects = self.delta.objects
        for key, sums in self.delta.activity.items():
            info = objects.get(key.object, _UNKNOWN)
            if is_meant(key, info):
                found[info.name] = found.get(info.name, NO_SUMS) + sums
        return dict(sorted(found.items()))


def _is_peer(info: ObjectInfo) -> bool:
    if info.kind is ObjectKind.UNIX:
        return info.name.startswith(_UNIX_PEERS)
    is_internet = info.kind in (ObjectKind.TCP, ObjectKind.UDP)
    return is_internet and names_peer(info.name)


def _missing(ledger: Ledger) -> tuple[str, ...]:
    """Return what was not counted, in words."""
    found = []
    for name in _LOSSES:
        if number := getattr(ledger, name):
            entry = ENTRIES[name]
            found.append(f"{number} {entry.one if number == 1 else entry.several}")
    return tuple(found)
