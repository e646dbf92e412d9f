"""What a run used by name: calls, paths, peers and programs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import attrs

from syswatch.base.classes import frozen
from syswatch.model.catalog import executes
from syswatch.model.objects import ObjectKind, names_peer

from .budget import Banned
from .observed import Observed, Row
from .patterns import peer_addresses

_PATHS = frozenset(
    {ObjectKind.PATH, ObjectKind.FILE, ObjectKind.DIRECTORY, ObjectKind.DEVICE, ObjectKind.TTY}
)
_PEERS = frozenset({ObjectKind.TCP, ObjectKind.UDP, ObjectKind.UNIX, ObjectKind.SOCKET})


@frozen
class Use:
    """Something that was used: its name, further names, how often, by which calls and processes."""

    name: str
    others: tuple[str, ...] = ()
    calls: Mapping[str, int] = attrs.field(factory=dict)
    errors: int = 0
    processes: Mapping[str, int] = attrs.field(factory=dict)
    # Whether calls acted on it, so that its directory is in the name if it is known.
    is_object: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names that a pattern may match."""
        return (self.name, *self.others)

    @property
    def count(self) -> int:
        """The number of calls."""
        return sum(self.calls.values())


def uses(observed: Observed, banned: Banned) -> Iterable[Use]:
    """Return everything of a kind that was used."""
    return _USES[banned](observed)


def _calls(observed: Observed) -> Iterator[Use]:
    rows: dict[str, list[Row]] = {}
    for row in observed.rows:
        rows.setdefault(row.call, []).append(row)
    for each in observed.facts.calls:
        processes = _processes(rows.get(each.name, ()))
        yield Use(each.name, (), {each.name: each.count}, each.errors, processes)


def _paths(observed: Observed) -> Iterator[Use]:
    """Yield paths; opening a relative or linked path has an object of another name."""
    names = set()
    for each in _by_name(observed, is_path):
        names.add(each.name)
        yield each
    for path, count, failed in observed.facts.paths:
        if path not in names:
            yield Use(path, (), {"open": count}, failed)


def _peers(observed: Observed) -> Iterator[Use]:
    return _by_name(observed, is_peer)


def is_path(row: Row) -> bool:
    """Return whether an object is a path, opened or not."""
    return row.kind in _PATHS


def is_peer(row: Row) -> bool:
    """Return whether an object is a socket with a peer, which has an address or a path."""
    if row.kind not in _PEERS or not names_peer(row.name):
        return False
    return row.name.startswith("/") or bool(peer_addresses(row.name))


def _programs(observed: Observed) -> Iterator[Use]:
    """Yield what was executed; a search of $PATH fails for some names, which is no use."""
    return _by_name(observed, lambda row: executes(row.call) and row.sums.count > row.sums.errors)


def _by_name(observed: Observed, is_meant: Callable[[Row], bool]) -> Iterator[Use]:
    rows: dict[str, list[Row]] = {}
    for row in observed.rows:
        if row.name and is_meant(row):
            rows.setdefault(row.name, []).append(row)
    for name, found in rows.items():
        hosts = sorted({_with_port(row.host, name) for row in found if row.host})
        calls = _sums((row.call, row.sums.count) for row in found)
        errors = sum(row.sums.errors for row in found)
        yield Use(name, tuple(hosts), calls, errors, _processes(found), is_object=True)


def _with_port(host: str, name: str) -> str:
    """Return the host with the port that is in the name of a peer."""
    _, colon, port = name.rpartition(":")
    return f"{host}:{port}" if colon and port.isdecimal() and " -> " not in name else host


def _processes(rows: Iterable[Row]) -> Mapping[str, int]:
    return _sums((row.process, row.sums.count) for row in rows if row.process)


def _sums(amounts: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    sums: Counter[str] = Counter()
    for name, amount in amounts:
        sums[name] += amount
    return dict(sums)


_USES: Mapping[Banned, Callable[[Observed], Iterable[Use]]] = {
    Banned.CALLS: _calls,
    Banned.PATHS: _paths,
    Banned.PEERS: _peers,
    Banned.PROGRAMS: _programs,
}
