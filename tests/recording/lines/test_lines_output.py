"""Tests of the output that has a line for each call."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs
import hypothesis.strategies as st
from hypothesis import given
from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import Flag
from syswatch.model.delta import Calls, Delta
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import NO_WAITS
from syswatch.recording.lines.destination import Destination
from syswatch.recording.lines.form import Form
from syswatch.recording.lines.json_form import JSONForm
from syswatch.recording.lines.lines_output import LinesOutput
from syswatch.recording.lines.strace_form import StraceForm
from tests import tracelines
from tests.reading import condense
from tests.recording.samples import BEGUN_NS, SOME, Call, delta_of

_S = BEGUN_NS // SECOND_NS
_NS_PER_DAY = 86_400 * SECOND_NS
_texts = st.none() | tracelines.arguments_lists.map(lambda text: text.decode("latin-1"))
_errnos = st.sampled_from(["", "", "ENOENT", "EAGAIN", "ERESTARTSYS", "ERESTART_RESTARTBLOCK"])
_calls = st.builds(
    Call,
    start_ns=st.integers(0, _NS_PER_DAY),
    duration_ns=st.none() | st.integers(0, 10_000) | st.integers(0, _NS_PER_DAY),
    tid=st.integers(1, 5),
    name=st.sampled_from(["read", "openat", "futex", "mmap", "close", "rt_sigreturn"]),
    result=st.integers(0, 2**31),
    errno=_errnos,
    args=_texts,
    flags=st.sampled_from([Flag(0), Flag.UNTIMED, Flag.NO_ARGUMENTS, Flag.ESTIMATED]),
)


@attrs.define
class Session:
    """Calls that an output receives, and what it writes."""

    form: Form
    path: Path
    output: LinesOutput = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin."""
        self.output = LinesOutput(Destination(str(self.path)), self.form)
        self.output.begin()

    def receive(self, calls: Iterable[Call]) -> None:
        """Add calls with their texts."""
        calls = list(calls)
        self.output.receive_texts([text for call in calls if (text := call.text)])
        self.output.receive_events(b"".join(call.event for call in calls))

    def lines(self) -> list[str]:
        """End, and return what was written."""
        self.output.finish(None)
        return self.path.read_text().splitlines()


class LinesTests(TestCase):
    """Which lines are written, and in which order."""

    def session(self, form: Form | None = None) -> Session:
        """Return an output in the form of strace."""
        return Session(form or StraceForm(), Path(self.mktemp()))

    def test_some(self) -> None:
        """Each call has a line, with what was read or with what is in the registers."""
        session = self.session()
        session.receive(SOME)
        self.assertEqual(
            [
                f'7     {_S}.000001 openat("/etc/hosts") = 3 <0.000005000>',
                f"7     {_S}.000010 read(0, 0x1, 2) = 512 <0.000002000>",
                (
                    f'7     {_S}.000020 openat("/nowhere") = -1 ENOENT (No such file or directory)'
                    " <0.000000400>"
                ),
                f'7     {_S}.150000 recvfrom(3, "", 64) = 64 <0.900000000>',
                f"8     {_S}.160000 write(0, 0x1, 2) = 9 <0.000003000>",
                f"9     {_S + 1}.100000 sendfile(0, 1, 0x2, 3) = 0 <0.000030000>",
                f"9     {_S + 1}.200000 getpid() = 9 <0.000000100>",
                f"7     {_S + 2}.400000 read(0 <unfinished ...>",
            ],
            [re.sub(" +=", " =", line) for line in session.lines()],
        )

    def test_order(self) -> None:
        """What arrives together is sorted by its start, with the ends of processes."""
        session = self.session()
        session.output.receive_lives(
            [
                Life(8, None, 7, "cat", "cat", BEGUN_NS + 300, 3),
                Life(9, None, 7, "cat", "cat", BEGUN_NS + 310, None, 15),
                Life(10, None, 7, "cat", "cat"),
            ]
        )
        session.receive([Call(400), Call(200, tid=8), Call(100, 1000)])
        session.output.tick()
        session.receive([Call(50, 5000)])
        lines = session.lines()
        self.assertEqual(["7", "8", "8", "9", "7", "7"], [line.split()[0] for line in lines])
        self.assertEqual(
            ["exited with 3", "killed by SIGTERM"],
            [line.split("+++")[1].strip() for line in lines if "+++" in line],
        )

    def test_early_endings(self) -> None:
        """The end of a process follows its last calls, which may arrive after a tick."""
        session = self.session()
        session.output.receive_lives([Life(7, None, 1, "cat", "cat", BEGUN_NS + 300, 0)])
        session.output.tick()
        session.receive([Call(100)])
        session.output.tick()
        session.output.receive_lives([Life(8, None, 1, "cat", "cat", BEGUN_NS + 400, 0)])
        for _ in range(2):
            session.output.tick()
        lines = session.path.read_text().splitlines()
        self.assertEqual(["7", "7", "8"], [line.split()[0] for line in lines])
        self.assertIn("read", lines[0])

    def test_losses(self) -> None:
        """A line stands where calls are missing, and the log parser counts them."""
        session = self.session()
        session.receive([Call(100)])
        session.output.receive_losses([Loss(7, _S, 17), Loss(8, _S, 2)])
        session.receive([Call(200)])
        lines = session.lines()
        self.assertEqual(4, len(lines))
        self.assertEqual(f"7     {_S}.000000 --- 17 calls missing ---", lines[1])
        self.assertEqual(19, _parsed(lines).ledger.lost_events)
        self.assertEqual(19, session.output.state().lost)
        self.assertEqual(2, session.output.state().calls)

    def test_other_modes(self) -> None:
        """Calls of 32-bit programs follow a line that says so, as with strace."""
        session = self.session()
        events = Call(1).event, Call(2, tid=9, pid=9).event, Call(3).event, Call(4).event
        for number, architecture in enumerate([1, 0, 1, 0]):
            event = bytearray(events[number])
            event[_ARCHITECTURE_AT] = architecture
            session.output.receive_events(bytes(event))
        lines = session.lines()
        self.assertEqual(
            [
                "[ Process PID=7 runs in 32 bit mode. ]",
                "restart_syscall()",
                'read(0, "", 2)',
                "restart_syscall()",
                "[ Process PID=7 runs in 64 bit mode. ]",
                'read(0, "", 2)',
            ],
            [line.split(" ", 6)[-1].partition(" =")[0].rstrip() for line in lines],
        )
        self.assertEqual((), _parsed(lines).odd_lines)

    def test_texts_are_bounded(self) -> None:
        """Texts of calls that were dropped are forgotten."""
        session = self.session()
        for number in range(3):
            session.output.receive_texts(
                text
                for start in range(50_000)
                if (text := Call(number * SECOND_NS + start, args="x").text)
            )
            session.output.tick()
        self.assertLessEqual(len(session.output._texts), 100_000)
        session.receive([Call(2 * SECOND_NS + 49_999)])
        self.assertIn("read(x)", session.lines()[0])

    def test_mode_of_file(self) -> None:
        """Only its owner may read the file; an older one is replaced."""
        path = Path(self.mktemp())
        path.write_text("former content")
        path.chmod(0o640)
        self.assertEqual([], Session(StraceForm(), path).lines())
        self.assertEqual(0o640, path.stat().st_mode & 0o777)
        path.unlink()
        Session(StraceForm(), path)
        self.assertEqual(0o600, path.stat().st_mode & 0o777)

    def test_json(self) -> None:
        """Each line is an object with documented keys; times are exact."""
        session = self.session(JSONForm())
        session.receive([SOME[2], SOME[7], Call(2_000_000_001, flags=Flag.UNTIMED, waiting_ns=9)])
        session.output.receive_losses([Loss(7, _S, 17)])
        session.output.receive_lives([Life(8, None, 7, "cat", "cat", BEGUN_NS + 300, 3)])
        failed, untimed, unfinished, missing, end = map(json.loads, session.lines())
        self.assertEqual(
            {
                "type": "call",
                "start": BEGUN_NS + 20_000,
                "duration": 400,
                "waiting": 0,
                "ready": 0,
                "waited": False,
                "pid": 7,
                "tid": 7,
                "name": "openat",
                "args": '"/nowhere"',
                "ret": "-1 ENOENT (No such file or directory)",
                "result": -2,
                "errno": "ENOENT",
                "bytes": 0,
            },
            failed,
        )
        self.assertEqual(
            (None, 0, 9, True),
            tuple(untimed[key] for key in ("duration", "result", "waiting", "waited")),
        )
        self.assertEqual(
            [None] * 4, [unfinished[key] for key in ("duration", "result", "errno", "ret")]
        )
        state = session.output.state()
        self.assertEqual((2, 1), (state.calls, state.unfinished))
        self.assertEqual({"type": "missing", "second": _S, "tid": 7, "count": 17}, missing)
        self.assertEqual(
            {
                "type": "end",
                "end": BEGUN_NS + 300,
                "pid": 8,
                "exit_code": 3,
                "exit_signal": None,
            },
            end,
        )


# After 13 numbers with 8 bytes, two with 4 and one with 2.
_ARCHITECTURE_AT = 13 * 8 + 2 * 4 + 2


class RoundTripTests(TestCase):
    """What was written says the same as the calls."""

    @given(st.lists(_calls, max_size=12), st.lists(st.integers(0, 5), max_size=3))
    def test_log(self, calls: Sequence[Call], sizes: Sequence[int]) -> None:
        """The log parser finds the same calls, errors and times, of each thread."""
        calls = _distinct(calls)
        session = Session(StraceForm(), Path(self.mktemp()))
        rest = list(calls)
        for size in sizes:
            session.receive(rest[:size])
            session.output.tick()
            rest = rest[size:]
        session.receive(rest)
        parsed = _parsed(session.lines())
        # A thread is a process to a log.
        expected = delta_of([attrs.evolve(call, pid=call.tid) for call in calls], per_process=True)
        self.assertEqual(_facts(expected.calls), _facts(parsed.calls))
        self.assertEqual(expected.by_process.keys(), parsed.by_process.keys())
        for tid, of_thread in expected.by_process.items():
            self.assertEqual(_facts(of_thread), _facts(parsed.by_process[tid]))
        self.assertEqual((), parsed.odd_lines)
        self.assertEqual(len(calls), parsed.reading.lines)

    @given(st.lists(_calls, max_size=12))
    def test_json(self, calls: Sequence[Call]) -> None:
        """Each object has the values of its call."""
        calls = sorted(_distinct(calls), key=lambda call: call.start_ns)
        session = Session(JSONForm(), Path(self.mktemp()))
        session.receive(calls)
        self.assertEqual(
            [
                (
                    BEGUN_NS + call.start_ns,
                    None if Flag.UNTIMED in call.flags else call.duration_ns,
                    call.tid,
                    call.name,
                    call.errno if call.errno and call.duration_ns is not None else None,
                )
                for call in calls
            ],
            [
                (each["start"], each["duration"], each["tid"], each["name"], each["errno"])
                for each in map(json.loads, session.lines())
            ],
        )


def _distinct(calls: Iterable[Call]) -> list[Call]:
    """Return calls of which no two have the same thread and start."""
    return list({(call.tid, call.start_ns): call for call in calls}.values())


def _parsed(lines: Sequence[str]) -> Delta:
    return condense("\n".join(lines).encode(), per_process=True) if lines else Delta()


def _facts(calls: Calls) -> Calls:
    """Return counts, errors and times, without the waits, which a log can only estimate."""
    return {name: attrs.evolve(tally, waits=NO_WAITS) for name, tally in calls.items()}
