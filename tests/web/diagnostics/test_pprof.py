"""Tests of the profiles, with a clock that the test controls."""

import gzip
import os
import signal
import threading
import tracemalloc
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.settings.access import Access
from syswatch.web.diagnostics import pprof
from syswatch.web.diagnostics.pprof_format import Stack
from syswatch.web.diagnostics.samplers import all_stacks
from tests.system.servers import PATIENCE_S, wait_for
from tests.web.served import Connection, Response, Served, request

PROFILES = ("profile", "heap", "block", "trace")


def _await_samplers() -> None:
    """Wait for the threads of finished profiles."""
    for thread in threading.enumerate():
        if thread.name == "diagnostics":
            thread.join(PATIENCE_S)


class PendingProfile:
    """A profile that is being recorded."""

    def __init__(self, served: Served, path: str) -> None:
        self.connection: Connection = served.connect()
        self.connection.send(request(f"/debug/pprof/{path}"))

    @property
    def response(self) -> Response:
        """The response."""
        return Response.of(self.connection.transport.value())


class ProfileTests(SynchronousTestCase):
    """Profiles that are recorded for some seconds."""

    def setUp(self) -> None:
        """Create a server that runs functions of other threads at once."""
        self.served = Served()
        self.served.reactor.callFromThread = lambda function, *rest: function(*rest)
        # The thread of another test may still be running.
        _await_samplers()
        self.threads = threading.active_count()

    def assert_idle(self) -> None:
        """Check that nothing of a profile is left."""
        self.assertEqual((0.0, 0.0), signal.getitimer(signal.ITIMER_PROF))
        self.assertFalse(tracemalloc.is_tracing())
        _await_samplers()
        self.assertEqual(self.threads, threading.active_count())

    def test_made(self) -> None:
        """Each is recorded for the given time and leaves nothing running."""
        for name in PROFILES:
            asked = PendingProfile(self.served, f"{name}?seconds=2")
            self.served.reactor.advance(1.9)
            self.assertEqual(b"", asked.connection.transport.value())

            self.served.reactor.advance(0.2)

            self.assertEqual(200, asked.response.status, name)
            if name != "trace":
                self.assertTrue(gzip.decompress(asked.response.body))
                kind = asked.response.headers["content-type"]
                self.assertEqual("application/octet-stream", kind)
            self.assert_idle()

    def test_trace(self) -> None:
        """A trace is a list of complete events."""
        asked = PendingProfile(self.served, "trace?seconds=1")
        self.served.reactor.advance(1)

        for event in asked.response.json["traceEvents"]:
            self.assertEqual("X", event["ph"])
            self.assertIsInstance(event["name"], str)
            self.assertGreaterEqual(event["dur"], 0)
            self.assertLessEqual({"ts", "pid", "tid"}, set(event))

    def test_one_at_a_time(self) -> None:
        """Only one profile is recorded at a time."""
        first = PendingProfile(self.served, "heap?seconds=5")

        for name in PROFILES:
            refused = PendingProfile(self.served, f"{name}?seconds=1").response
            self.assertEqual((409, "busy"), (refused.status, refused.json["error"]))

        self.served.reactor.advance(5)
        self.assertEqual(200, first.response.status)
        again = PendingProfile(self.served, "heap?seconds=1")
        self.served.reactor.advance(1)
        self.assertEqual(200, again.response.status)

    def test_disconnected(self) -> None:
        """A client that disconnects stops the recording at once."""
        for name in PROFILES:
            asked = PendingProfile(self.served, f"{name}?seconds=200")
            asked.connection.lose()

            self.assert_idle()
            self.assertEqual([], self.flushLoggedErrors())
        next_one = PendingProfile(self.served, "profile?seconds=1")
        self.served.reactor.advance(1)
        self.assertEqual(200, next_one.response.status)

    def test_seconds(self) -> None:
        """Invalid durations are refused, and long ones are reduced to the maximum."""
        for seconds in ("0", "-1", "x", "1.5", ""):
            refused = PendingProfile(self.served, f"profile?seconds={seconds}").response
            self.assertEqual((400, "bad_request"), (refused.status, refused.json["error"]))
        asked = PendingProfile(self.served, "profile?seconds=999999999")
        self.served.reactor.advance(300)
        self.assertEqual(200, asked.response.status)

    def test_idle_costs_nothing(self) -> None:
        """Without requests there is no timer, thread or tracing."""
        self.assert_idle()
        self.assertEqual([], self.served.reactor.getDelayedCalls())


class AtOnceTests(SynchronousTestCase):
    """Endpoints that respond at once."""

    def test_index(self) -> None:
        """The index has relative links to all profiles."""
        response = Served().get("/debug/pprof/")
        page = response.body.decode()

        for name in ("cmdline", "symbol", "goroutine", "threadcreate", *PROFILES):
            self.assertIn(f'href="{name}"', page)
            self.assertNotIn(f'href="/debug/pprof/{name}"', page)
        self.assertIn("default-src 'none'", response.headers["content-security-policy"])

    def test_profiles(self) -> None:
        """Threads are available as a profile and as text."""
        for name in ("goroutine", "threadcreate"):
            profile = Served().get(f"/debug/pprof/{name}")
            self.assertTrue(gzip.decompress(profile.body))
            text = Served().get(f"/debug/pprof/{name}?debug=1")
            self.assertIn(b"MainThread", text.body)
            self.assertTrue(text.headers["content-type"].startswith("text/plain"))

    def test_all_counted(self) -> None:
        """The profile has as many goroutines as are counted, including equal ones."""
        served = Served()
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.addCleanup(os.close, writing)
        for _ in range(3):
            threading.Thread(target=os.read, args=(reading, 1), name="alike").start()

        def alike() -> list[Stack]:
            return [stack for name, stack in all_stacks().items() if "alike" in name]

        # Each stays where it calls the waiting function.
        wait_for(lambda: [stack[0].function for stack in alike()] == ["Thread.run"] * 3)
        wait_for(lambda: len(set(alike())) == 1)
        served.reactor.callLater(1, print)
        with mock.patch.object(pprof, "encode", return_value=b"") as encode:
            served.get("/debug/pprof/goroutine")
        [_, samples], _ = encode.call_args

        self.assertEqual((3,), samples[alike()[0]])
        delayed = [stack for stack in samples if stack[-1].function == "delayed call"]
        self.assertIn("builtin_function_or_method", [stack[0].function for stack in delayed])
        counted = served.get("/debug/goroutines").json["goroutines"]
        self.assertEqual(counted, sum(count for (count,) in samples.values()))

    def test_small(self) -> None:
        """Command line and symbols are text."""
        served = Served(Access(command_line=("syswatch", "run", "true")))
        self.assertEqual(b"syswatch\0run\0true", served.get("/debug/pprof/cmdline").body)
        self.assertEqual(b"num_symbols: 0\n", Served().get("/debug/pprof/symbol").body)

    def test_goroutines(self) -> None:
        """The running units of concurrency and the memory are reported."""
        found = Served().get("/debug/goroutines").json

        parts = ("threads", "delayed_calls", "readers", "writers")
        self.assertEqual(sum(found[part] for part in parts), found["goroutines"])
        self.assertGreater(found["memstats"]["resident"], 1_000_000)

    def test_unknown(self) -> None:
        """There is no other profile."""
        self.assertEqual(404, Served().get("/debug/pprof/mutex").status)
