"""Made-up runs, modelled on those of real programs."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import attrs

from syswatch.comparison.facts import (
    CallFacts,
    Counts,
    Facts,
    ObjectFacts,
    PathFacts,
    ProcessFacts,
)
from syswatch.comparison.run import Run
from syswatch.comparison.tabulate import run_of_facts
from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectKind

Did = Mapping[str, Counts]
US = 1000
MS = 1_000_000


@attrs.frozen
class Program:
    """What a program does in a run; the facts agree with one another, as those of a trace do."""

    objects: Mapping[tuple[ObjectKind, str], Did] = attrs.field(factory=dict)
    # Calls without an object.
    others: Mapping[str, int] = attrs.field(factory=dict)
    errnos: Mapping[str, Mapping[str, int]] = attrs.field(factory=dict)
    durations: Mapping[str, Sequence[int]] = attrs.field(factory=dict)
    processes: Sequence[ProcessFacts] = (ProcessFacts("app", "exited with 0"),)
    ending: str = "exited with 0"
    threads: int = 1

    def facts(self) -> Facts:
        """Return what a trace knows of it."""
        names = {*chain.from_iterable(self.objects.values()), *self.others, *self.durations}
        return Facts(
            calls=[self._call(name) for name in sorted(names)],
            objects=[
                ObjectFacts(kind, name, "", 0, 0, did) for (kind, name), did in self.objects.items()
            ],
            paths=[
                PathFacts(name, did["openat"].made, did["openat"].errors)
                for (_, name), did in self.objects.items()
                if "openat" in did
            ],
            processes=self.processes,
            threads=self.threads,
            ending=self.ending,
            elapsed_ns=100 * MS,
        )

    def run(self, name: str = "run") -> Run:
        """Return it as it is compared."""
        return run_of_facts(self.facts(), name)

    def _call(self, name: str) -> CallFacts:
        rows = [did[name] for did in self.objects.values() if name in did]
        count = sum(row.made for row in rows) + self.others.get(name, 0)
        spent = self.durations.get(name, [US] * count)
        return CallFacts(
            name,
            max(count, len(spent)),
            sum(row.errors for row in rows),
            self.errnos.get(name, {}),
            sum(spent),
            0,
            min(spent, default=0),
            max(spent, default=0),
            Histogram.of(spent),
        )


def opened(bytes_in: int = 4096) -> Did:
    """Return what calls do with a file that is read."""
    return {
        "openat": Counts(1),
        "read": Counts(2, 0, bytes_in),
        "newfstatat": Counts(1),
        "close": Counts(1),
    }


MISSING: Did = {"openat": Counts(1, 1)}


def program(**changes: Any) -> Program:
    """Return a program that reads some files, writes one and asks a server."""
    objects: dict[tuple[ObjectKind, str], Did] = {
        (ObjectKind.FILE, f"/usr/lib/app/module{number}.py"): opened() for number in range(8)
    }
    objects[ObjectKind.PATH, "/usr/lib/app/optional.py"] = MISSING
    objects[ObjectKind.FILE, "/var/lib/app/db.wal"] = {
        "pwrite64": Counts(60, 0, 0, 60 * 4096),
        "fsync": Counts(60),
    }
    objects[ObjectKind.TCP, "10.0.0.5:5432"] = {
        "connect": Counts(1),
        "sendto": Counts(12, 0, 0, 900),
        "recvfrom": Counts(14, 0, 40_000),
    }
    base = Program(
        objects=objects,
        others={"getppid": 1, "brk": 12, "futex": 30},
        errnos={"openat": {"ENOENT": 1}},
        durations={"fsync": [2 * MS + 7 * US * number for number in range(60)]},
    )
    return attrs.evolve(base, **changes)


def with_object(base: Program, kind: ObjectKind, name: str, did: Did) -> Program:
    """Return a program that also does something with an object."""
    return attrs.evolve(base, objects={**base.objects, (kind, name): did})
