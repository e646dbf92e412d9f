"""A comparison with a change of every kind, for the formats."""

from syswatch.comparison.bands import Band
from syswatch.comparison.change import Change, Comparison, Finding, Rank
from syswatch.comparison.run import Figure, Kind, Run, Subject
from syswatch.model.histogram import Histogram

HOSTILE = '/srv/<b>`|*"&]]>x'
READ, WRITE = Subject(Kind.CALL, "read"), Subject(Kind.CALL, "write")


def run(name: str, reads: int, took_ns: int) -> Run:
    """Return a run with some reads of a duration."""
    return Run(
        name,
        {
            Subject(Kind.TOTAL): {Figure.COUNT: reads + 3, Figure.WALL: 10**9},
            READ: {Figure.COUNT: reads, Figure.P50: took_ns, Figure.WORKING: reads * took_ns},
            WRITE: {Figure.COUNT: 3, Figure.P50: 100},
        },
        histograms={"read": Histogram.of([took_ns] * reads), "write": Histogram.of([100] * 3)},
    )


BEFORE = (run("old1", 20, 1000), run("old2", 21, 1000), run("old3", 22, 1100))
AFTER = (run("new.rec", 433, 2_000_000),)
CHANGES = (
    Change(READ, Figure.COUNT, Band.of([20, 21, 22]), Band.of([433])),
    Change(Subject(Kind.FILE, HOSTILE, "read"), Figure.COUNT, Band.of([0]), Band.of([412])),
    Change(READ, Figure.P50, Band.of([1000, 1100]), Band.of([2_000_000])),
    Change(Subject(Kind.PEER, "10.0.0.1:80"), Figure.BYTES_IN, Band.of([4096]), Band.of([8192])),
    Change(Subject(Kind.ERROR, "ENOENT", "openat"), Figure.COUNT, Band.of([3]), Band.of([0])),
)
COMPARISON = Comparison(
    BEFORE,
    AFTER,
    CHANGES,
    (
        Finding(f"+412 read of {HOSTILE}", Rank.COUNT, CHANGES[1:2], CHANGES[:1]),
        Finding("read is slower", Rank.TIME, CHANGES[2:3]),
        Finding("twice the bytes from 10.0.0.1:80", Rank.BYTES, CHANGES[3:4]),
        Finding("openat no longer fails with ENOENT", Rank.REST, CHANGES[4:]),
    ),
    not_compared=("bytes, which old1 does not know",),
    notes=("new.rec: the recording is cut short",),
    examples={CHANGES[1].subject: "/srv/x123"},
)
SAME = Comparison(BEFORE[:1], BEFORE[:1], (), ())
