"""Hypothesis strategies for values of the model, within their real bounds."""

from hypothesis import strategies as st

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.evidence import EvidenceKey, EvidenceTally
from syswatch.model.groups import GroupInfo, GroupKey, GroupKind
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger, Reading
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, Timeline
from syswatch.model.times import LONGEST_NS
from syswatch.model.waits import WaitTally
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

# Times of calls add up to no more than a tally can hold.
short = st.integers(0, 10**12)


@st.composite
def wait_tallies(draw: st.DrawFn) -> WaitTally:
    """Draw the tally of some calls that waited, or none."""
    waits = draw(st.lists(short, max_size=5))
    return WaitTally(len(waits), sum(waits), draw(short), Histogram.of(waits))


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
        waits=draw(wait_tallies()),
    )


moments = st.builds(SecondTotals, counts, counts, durations)
# Within the fifteen minutes that a window holds.
windows = st.builds(
    Window,
    st.dictionaries(
        st.integers(1_000, 1_500), st.dictionaries(names, moments, max_size=3), max_size=6
    ),
)
kinds = st.sampled_from(ObjectKind)
some_texts = st.sampled_from(["", "a", "b"])
# Few, so that the objects of several deltas are the same ones.
object_infos = st.builds(
    ObjectInfo,
    kind=kinds,
    name=st.sampled_from(["", "/etc/hosts", "10.0.0.5:80", "pipe [7]"]),
    detail=texts,
    local=some_texts,
    service=some_texts,
    host=some_texts,
    side=st.sampled_from(Side),
    pids=st.sets(pids, max_size=3).map(lambda each: tuple(sorted(each))),
)
objects = st.lists(object_infos, max_size=2).map(lambda infos: {each.id: each for each in infos})
object_ids = st.sampled_from([0, 2, 1 << 40, (1 << 52) - 1])
sums = st.builds(Sums, counts, counts, counts, counts, short, short, short, counts)
few = st.integers(0, 3)
activity_keys = st.builds(ActivityKey, few, few, object_ids, names)
activities = st.dictionaries(activity_keys, sums, max_size=3)
evidence_keys = st.builds(
    EvidenceKey,
    names,
    st.lists(st.integers(0, 3), max_size=2).map(tuple),
    st.sampled_from(["", "i386", "x86_64"]),
    some_texts,
    st.booleans(),
)
evidence_tallies = st.builds(EvidenceTally, counts, moments_ns | st.none())
evidences = st.dictionaries(evidence_keys, evidence_tallies, max_size=6)
group_names = st.sampled_from(["", "docker:web", "pod:shop/web", "unit:ssh.service"])
group_rows = st.dictionaries(st.builds(GroupKey, group_names, names), sums, max_size=4)
group_infos = st.dictionaries(
    group_names,
    st.builds(
        GroupInfo,
        st.sampled_from(GroupKind),
        *[some_texts] * 7,
        st.dictionaries(some_texts, some_texts, max_size=2),
        few,
    ),
    max_size=3,
)
waits = st.builds(Wait, object_ids, names)
thread_times = st.builds(
    ThreadTimes, short, short, short, short, st.dictionaries(waits, short, max_size=2)
)
thread_tallies = st.builds(ThreadTally, pids, texts, thread_times, counts, counts, st.booleans())
threads = st.dictionaries(few, thread_tallies, max_size=2)
bins = st.dictionaries(
    st.integers(170_000, 172_000), st.dictionaries(few, thread_times, max_size=2), max_size=2
)
timelines = st.builds(
    lambda bins, bin_ms: Timeline(bins, bin_ms) if bins else Timeline(),
    bins,
    st.sampled_from([FINE_MS, COARSE_MS]),
)
# After 1970: a time of 0 means that nothing was reported.
dates_ns = st.integers(1 << 60, 1 << 62)
threads_now = st.builds(
    ThreadNow,
    pids,
    texts,
    st.sampled_from(Doing),
    names,
    dates_ns | st.none(),
    st.booleans(),
    object_ids,
    texts,
)
nows = st.just(Now()) | st.builds(Now, dates_ns, st.dictionaries(few, threads_now, max_size=2))
slow_calls = st.builds(
    SlowCall,
    durations,
    moments_ns | st.none(),
    pids,
    pids,
    names,
    texts,
    texts,
    errnos,
    durations | st.none(),
    object_ids,
)
slowests = st.lists(slow_calls, max_size=3).map(Slowest.of)
log_entries = st.builds(
    LogEntry,
    moments_ns | st.none(),
    pids,
    names,
    texts,
    texts,
    errnos,
    durations | st.none(),
    st.booleans() | st.none(),
    object_ids,
)
failures = st.builds(Failure, moments_ns | st.none(), pids, errnos, texts)
spans = st.builds(
    lambda begin, length: Span(begin, begin + length), moments_ns, st.integers(0, 1 << 50)
)
process_tallies = st.builds(ProcessTally, pids, texts, counts, counts, durations, texts)
process_infos = st.builds(ProcessInfo, pids, texts, texts, texts, texts)
ledgers = st.builds(Ledger, *[st.integers(0, 1000)] * 12)
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
    activity=activities,
    objects=objects,
    object_waits=st.dictionaries(object_ids, histograms, max_size=2),
    evidence=evidences,
    groups=group_rows,
    group_infos=group_infos,
    group_times=st.dictionaries(group_names, histograms, max_size=2),
    threads=threads,
    timeline=timelines,
    now=nows,
    slowest=slowests,
    window=windows,
    span=spans | st.none(),
    ledger=ledgers,
    reading=readings,
    odd_lines=st.lists(texts, max_size=5).map(tuple),
)
# What the views of threads and objects are computed from.
costly_deltas = st.builds(
    Delta,
    calls=calls,
    activity=activities,
    objects=objects,
    threads=threads,
    timeline=timelines,
    now=nows,
    span=spans | st.none(),
)
