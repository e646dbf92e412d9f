"""Tests of the metrics: the values of the snapshot, in both formats."""

import shutil
import subprocess
from unittest import mock

import attrs
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse_text
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, other_object
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.views import metrics
from tests.web.frames import Listener
from tests.web.served import DURATIONS_NS, EXAMPLE, FakeSession, Served, snapshot_of

OPEN = "application/openmetrics-text; version=1.0.0"
# As Prometheus 3 asks for native histograms.
PROTOBUF = (
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;"
    "q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(served: Served) -> Samples:
    """Return all samples of the text format."""
    text = served.get("/metrics").body.decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in parse_text(text)
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return the key of a sample."""
    return f"syswatch_{name}", frozenset(labels.items())


class ValueTests(SynchronousTestCase):
    """The values."""

    def setUp(self) -> None:
        """Create a server with some calls."""
        self.served = Served()
        self.samples = samples(self.served)

    def test_calls(self) -> None:
        """Calls and errors are those of the snapshot, with their category."""
        labels = {"syscall": "read", "category": "I/O"}

        self.assertEqual(3, self.samples[key("syscall_calls_total", **labels)])
        self.assertEqual(1, self.samples[key("syscall_errors_total", **labels)])
        self.assertEqual(
            2, self.samples[key("syscall_calls_total", syscall="close", category="I/O")]
        )

    def test_latency(self) -> None:
        """The histogram has every duration in its bucket, and their sum."""
        labels = {"syscall": "read", "category": "I/O"}
        buckets = [
            (float(dict(found)["le"]), value)
            for (name, found), value in self.samples.items()
            if name == "syswatch_syscall_latency_seconds_bucket" and ("syscall", "read") in found
        ]

        for edge_s, count in buckets:
            self.assertEqual(sum(each / 1e9 <= edge_s for each in DURATIONS_NS), count, edge_s)
        self.assertEqual(sorted(buckets), buckets)
        self.assertLess(buckets[0][0], 200e-9)
        self.assertGreater(buckets[-2][0], 100)
        self.assertEqual(float("inf"), buckets[-1][0])
        total_s = self.samples[key("syscall_latency_seconds_sum", **labels)]
        self.assertAlmostEqual(sum(DURATIONS_NS) / 1e9, total_s)
        self.assertEqual(3, self.samples[key("syscall_latency_seconds_count", **labels)])

    def test_time(self) -> None:
        """Time is summed by category."""
        time_s = self.samples[key("time_seconds_total", category="I/O")]

        self.assertAlmostEqual(sum(DURATIONS_NS) / 1e9, time_s)

    def test_watching(self) -> None:
        """Rate, backlog, ledger and build are included."""
        self.assertEqual(0, self.samples[key("syscalls_per_second")])
        self.assertEqual(0, self.samples[key("tracer_backlog")])
        self.assertEqual(4, self.samples[key("ledger_total", entry="unparsed_lines")])
        self.assertEqual(0, self.samples[key("target_done")])
        self.assertEqual(0, self.samples[key("exact")])
        self.assertIn("syswatch_build_info", {name for name, _ in self.samples})

    def test_exact(self) -> None:
        """The numbers are exact until data or the tracer is lost."""
        whole = FakeSession.of(attrs.evolve(EXAMPLE, ledger=Ledger())).snapshot
        for snapshot, exact in ((whole, 1), (attrs.evolve(whole, trouble="gone"), 0)):
            self.served.session.snapshot = snapshot
            self.assertEqual(exact, samples(self.served)[key("exact")])

    def test_process(self) -> None:
        """The process of the server is included."""
        names = {name for name, _ in self.samples}

        self.assertIn("process_resident_memory_bytes", names)
        self.assertIn("process_open_fds", names)

    def test_clients(self) -> None:
        """Stream clients are counted."""
        Listener(self.served)
        self.served.session.snapshot = FakeSession.of(EXAMPLE).snapshot

        self.assertEqual(1, samples(self.served)[key("ws_clients")])


PEER = ObjectInfo(ObjectKind.TCP, "10.0.0.5:5432")
FILE = ObjectInfo(ObjectKind.FILE, "/srv/data")
FOLDER = ObjectInfo(ObjectKind.DIRECTORY, "/srv")
BUSY = Delta(
    activity={
        ActivityKey(1, 1, PEER.id, "recvfrom"): Sums(2, 0, 700, 0, waiting_ns=3 * 10**9, waits=2),
        ActivityKey(1, 2, PEER.id, "sendto"): Sums(1, 0, 0, 50, working_ns=9),
        ActivityKey(1, 1, other_object(ObjectKind.TCP), "recvfrom"): Sums(1, waiting_ns=10**9),
        ActivityKey(1, 1, FILE.id, "read"): Sums(1, 0, 10),
        ActivityKey(1, 1, FOLDER.id, "getdents64"): Sums(1, waiting_ns=5 * 10**8),
        ActivityKey(1, 1, 0, "getpid"): Sums(1),
    },
    objects={each.id: each for each in (PEER, FILE, FOLDER)},
    threads={
        1: ThreadTally(1, "a", ThreadTimes(10**9, 2 * 10**9, 3, 4, {Wait(PEER.id, "read"): 10**9})),
        2: ThreadTally(1, "b", ThreadTimes(user_ns=10**9)),
    },
)


class TimeTests(SynchronousTestCase):
    """Where the time went."""

    def setUp(self) -> None:
        """Scrape a server that traces a program with a peer and some files."""
        self.samples = samples(Served(session=FakeSession.of(BUSY)))

    def test_states(self) -> None:
        """The seconds of all threads are summed by state."""
        expected = {"user": 2, "working": 2, "waiting": 1, "ready": 3e-9, "stopped": 4e-9}

        for state, spent_s in expected.items():
            self.assertEqual(spent_s, self.samples[key("thread_seconds_total", state=state)])

    def test_kinds(self) -> None:
        """Waits and bytes are summed by kind, and whatever has a path is one kind."""
        self.assertEqual(4, self.samples[key("waiting_seconds_total", kind="tcp")])
        self.assertEqual(0.5, self.samples[key("waiting_seconds_total", kind="file")])
        self.assertEqual(0, self.samples[key("waiting_seconds_total", kind="none")])
        self.assertEqual(700, self.samples[key("bytes_total", kind="tcp", direction="read")])
        self.assertEqual(50, self.samples[key("bytes_total", kind="tcp", direction="written")])
        self.assertEqual(10, self.samples[key("bytes_total", kind="file", direction="read")])
        self.assertEqual(2, self.samples[key("objects", kind="file")])
        self.assertEqual(1, self.samples[key("objects", kind="tcp")])

    def test_now(self) -> None:
        """The threads are counted by what they are doing, with the longest wait that matters."""
        ends_ns = 100 * 10**9
        threads = {
            1: ThreadNow(1, "a", Doing.IN_CALL, "fsync", 93 * 10**9, waits=True, object=FILE.id),
            2: ThreadNow(1, "a", Doing.IN_CALL, "accept", 10**9, waits=True),
            3: ThreadNow(1, "a", Doing.RUNNING),
        }
        found = samples(Served(session=FakeSession.of(BUSY + Delta(now=Now(ends_ns, threads)))))
        expected = {"user": 1, "working": 0, "blocked": 1, "idle": 1, "ready": 0, "stopped": 0}

        for state, number in expected.items():
            self.assertEqual(number, found[key("threads", state=state)], state)
        self.assertEqual(7, found[key("longest_blocked_seconds")])

    def test_bounded(self) -> None:
        """Thousands of peers and files add no series, and none has the name of one."""
        many = [
            ObjectInfo(kind, f"{kind.value} {number}")
            for kind in ObjectKind
            for number in range(200)
        ]
        delta = Delta(
            activity={
                ActivityKey(1, at, info.id, "read"): Sums(1, 0, 1) for at, info in enumerate(many)
            },
            objects={info.id: info for info in many},
        )
        found = [
            labels
            for name, labels in samples(Served(session=FakeSession.of(delta)))
            if name.startswith(("syswatch_waiting", "syswatch_bytes", "syswatch_objects"))
        ]
        kinds = {value for labels in found for name, value in labels if name == "kind"}

        self.assertLessEqual(len(found), 4 * len(ObjectKind))
        self.assertLessEqual(kinds, {kind.value for kind in ObjectKind})
        self.assertGreater(len(kinds), 10)

    def test_kind_learned_later(self) -> None:
        """No counter decreases when a path turns out to be a directory."""
        path = ObjectInfo(ObjectKind.PATH, "/srv")
        before = Delta(
            activity={ActivityKey(1, 1, path.id, "open"): Sums(1, waiting_ns=10**9)},
            objects={path.id: path},
        )
        first = samples(Served(session=FakeSession.of(before)))
        later = samples(Served(session=FakeSession.of(before + BUSY)))
        names = [name for name in first if name[0] == "syswatch_waiting_seconds_total"]

        self.assertEqual(path.id, FOLDER.id)
        self.assertTrue(names)
        for name in names:
            self.assertGreaterEqual(later[name], first[name], name)


class FormatTests(SynchronousTestCase):
    """The formats."""

    def test_text(self) -> None:
        """The default is the text format."""
        for accepted in ("", "*/*", "text/html", "text/plain;version=0.0.4"):
            response = Served().get("/metrics", {"Accept": accepted})
            self.assertTrue(
                response.headers["content-type"].startswith("text/plain; version=0.0.4")
            )

    def test_open(self) -> None:
        """OpenMetrics is sent to clients that accept it."""
        response = Served().get("/metrics", {"Accept": OPEN})

        self.assertTrue(response.headers["content-type"].startswith("application/openmetrics-text"))
        families = {family.name for family in parse_open(response.body.decode())}
        self.assertIn("syswatch_syscall_calls", families)

    def test_nonsense(self) -> None:
        """An invalid Accept header is ignored."""
        for version in ("9" * 5_000, "x", "1.x", ""):
            accepted = f"application/openmetrics-text;version={version};escaping=x"
            self.assertEqual(200, Served().get("/metrics", {"Accept": accepted}).status)

    def test_same_values(self) -> None:
        """Both formats have the same values."""
        served = Served()
        text, open_metrics = served.get("/metrics"), served.get("/metrics", {"Accept": OPEN})

        both = [
            {
                (s.name, frozenset(s.labels.items())): s.value
                for family in parse(response.body.decode())
                for s in family.samples
                if s.name.startswith("syswatch")
            }
            for parse, response in ((parse_text, text), (parse_open, open_metrics))
        ]

        self.assertEqual(*both)

    def test_corrected(self) -> None:
        """A sum that is corrected does not decrease."""
        session = FakeSession.of(Delta(ledger=Ledger(sampled_entries=5)))
        served = Served(session=session)
        entry = key("ledger_total", entry="sampled_entries")
        self.assertEqual(5, samples(served)[entry])
        session.snapshot = snapshot_of(Delta(ledger=Ledger(sampled_entries=3)))
        self.assertEqual(5, samples(served)[entry])
        session.snapshot = snapshot_of(Delta(ledger=Ledger(sampled_entries=8)))
        self.assertEqual(8, samples(served)[entry])

    def test_once(self) -> None:
        """A text is computed once per snapshot and format."""
        served = Served()
        with mock.patch("syswatch.web.exposition.metrics", wraps=metrics.metrics) as compute:
            for _ in range(5):
                served.get("/metrics")
                served.get("/metrics", {"Accept": OPEN})

        self.assertEqual(2, compute.call_count)

    def test_promtool(self) -> None:
        """Prometheus's own checker finds no errors."""
        if shutil.which("promtool") is None:
            raise SkipTest("promtool is not installed (Debian: prometheus)")

        result = subprocess.run(
            ["promtool", "check", "metrics"],
            input=Served(session=FakeSession.of(EXAMPLE + BUSY)).get("/metrics").body,
            capture_output=True,
            check=False,
        )

        self.assertEqual((0, b"", b""), (result.returncode, result.stdout, result.stderr))

    def test_odd_names(self) -> None:
        """An unusual name in a log cannot break the format."""
        strange = 'a"b\\c\nd{e="f"}'
        delta = Delta(calls={strange: CallTally(count=1, histogram=Histogram.of([5]))})

        found = samples(Served(session=FakeSession.of(delta)))

        self.assertEqual(1, found[key("syscall_calls_total", syscall=strange, category="OTHER")])
