"""Hypothesis strategies for values of the model, within their real bounds."""

from hypothesis import strategies as st

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger, Reading
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.times import LONGEST_NS
from syswatch.model.window import SecondTotals, Window

durations = st.integers(0, LONGEST_NS)
counts = st.integers(0, 1 << 40)
# Messages are UTF-8, which has no surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.sampled_from(["close", "execve", "openat", "read", "write"])
errnos = st.sampled_from(["EAGAIN", "EINTR", "ENOENT"])
pids = st.integers(0, 1 << 22)
moments_ns = st.integers(0, 1 << 62)

histograms = st.builds(Histogram.of, st.lists(durations, max_size=20))


@st.composite
def tallies(draw: st.DrawFn) -> CallTally:
    """Draw the tally of some calls with durations and errnos."""
    times = draw(st.lists(st.integers(0, 10**12), max_size=8))
    failed = draw(st.dictionaries(errnos, st.integers(1, 9), max_size=3))
    errors = sum(failed.values())
    return CallTally(
        count=len(times) + errors,
        errors=errors,
        total_ns=sum(times),
        min_ns=min(times, default=0),
        max_ns=max(times, default=0),
        histogram=Histogram.of(times),
        errnos=failed,
    )


moments = st.builds(SecondTotals, counts, counts, durations)
# Within the fifteen minutes that a window holds.
windows = st.builds(
    Window,
    st.dictionaries(
        st.integers(1_000, 1_500), st.dictionaries(names, moments, max_size=3), max_size=6
    ),
)
log_entries = st.builds(LogEntry, moments_ns | st.none(), pids, names, texts, texts, errnos)
failures = st.builds(Failure, moments_ns | st.none(), pids, errnos, texts)
spans = st.builds(
    lambda begin, length: Span(begin, begin + length), moments_ns, st.integers(0, 1 << 50)
)
process_tallies = st.builds(ProcessTally, pids, texts, counts, counts, durations, texts)
process_infos = st.builds(ProcessInfo, pids, texts, texts, texts, texts)
ledgers = st.builds(Ledger, *[st.integers(0, 1000)] * 8)
readings = st.builds(Reading, *[counts] * 5)
calls = st.dictionaries(names, tallies(), max_size=4)
deltas = st.builds(
    Delta,
    calls=calls,
    by_process=st.dictionaries(pids, calls, max_size=3),
    processes=st.dictionaries(pids, process_tallies, max_size=4),
    paths=st.dictionaries(texts, counts, max_size=5),
    failed_paths=st.dictionaries(texts, counts, max_size=5),
    failures=st.dictionaries(names, st.lists(failures, min_size=1, max_size=3).map(tuple)),
    log=st.lists(log_entries, max_size=5).map(tuple),
    window=windows,
    span=spans | st.none(),
    ledger=ledgers,
    reading=readings,
    odd_lines=st.lists(texts, max_size=5).map(tuple),
)
