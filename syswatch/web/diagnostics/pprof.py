"""The profiles, at the paths and in the formats that `go tool pprof` and Perfetto know."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

import attrs
from twisted.internet.task import deferLater
from twisted.web.iweb import IRequest

from syswatch.service.reactor import Reactor
from syswatch.views.records import Goroutines
from syswatch.web import urls
from syswatch.web.answers import HTML, TEXT, Answer, json_answer
from syswatch.web.errors import busy
from syswatch.web.exposure import Exposure
from syswatch.web.parameters import Whole
from syswatch.web.routes import routes, serves

from .memory import allocations, in_use
from .protobuf import Kind, Stack, encode
from .samplers import CPU_PERIOD_S, Stalls, Timeline, Watcher, cpu_samples
from .stacks import all_stacks, as_text
from .work import ReactorWork

PROFILE = b"application/octet-stream"
# The index is text and links.
_POLICY = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_MOST_S = 300
_CPU_S = Whole("seconds", "How long to look.", default=30, most=_MOST_S)
_SHORT_S = Whole("seconds", "How long to look.", default=5, most=_MOST_S)
_TEXT = Whole("debug", "From 1 on, give text instead of a profile.", default=0, least=0)


@attrs.define
class Diagnostics:
    """Idle, all this costs nothing: every sampler starts with a request and ends with it."""

    _reactor: Reactor
    _command_line: Sequence[str] = ()
    _work: ReactorWork = attrs.field(init=False)
    _busy: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Look at the same reactor."""
        self._work = ReactorWork(self._reactor)

    @serves(urls.GOROUTINES, answers=Goroutines, exposure=Exposure.COSTLY)
    def goroutines(self, request: IRequest) -> bytes:
        """Count threads and pending reactor work, and give memory statistics."""
        return json_answer(self._work.record()).send(request)

    @serves(urls.PPROF, content_type=HTML)
    def index(self, request: IRequest) -> bytes:
        """List the profiles."""
        items = "".join(
            f'<li><a href="{escape(route.path.removeprefix(urls.PPROF))}">'
            f"{escape(route.path.removeprefix(urls.PPROF))}</a> — {escape(route.description)}</li>"
            for route, _ in routes(self)
            if route.path.startswith(urls.PPROF) and route.path != urls.PPROF
        )
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Profiles</title>'
            f"</head><body><h1>Profiles of this server</h1><ul>{items}</ul></body></html>"
        )
        request.setHeader(b"Content-Security-Policy", _POLICY)
        return Answer(page.encode(), HTML).send(request)

    @serves(f"{urls.PPROF}cmdline", content_type=TEXT)
    def cmdline(self, request: IRequest) -> bytes:
        """Return the command line of the server, tokens masked, with NUL between the words."""
        return Answer("\0".join(self._command_line).encode(), TEXT).send(request)

    @serves(f"{urls.PPROF}symbol", content_type=TEXT)
    def symbol(self, request: IRequest) -> bytes:
        """Answer that no symbols need to be looked up: profiles carry their names."""
        return Answer(b"num_symbols: 0\n", TEXT).send(request)

    @serves(
        f"{urls.PPROF}profile",
        content_type=PROFILE,
        parameters=(_CPU_S,),
        errors=(400, 409),
        exposure=Exposure.COSTLY,
    )
    async def profile(self, request: IRequest) -> bytes:
        """Profile the CPU time of the server for some seconds."""
        seconds = _CPU_S.of(request)
        with self._alone(), cpu_samples() as samples:
            duration_ns = await self._wait(seconds)
        period_ns = int(CPU_PERIOD_S * 1e9)
        values = {stack: (count, count * period_ns) for stack, count in samples.items()}
        kinds = (Kind("samples", "count"), Kind("cpu", "nanoseconds"))
        return _send(request, kinds, values, duration_ns, period_ns)

    @serves(
        f"{urls.PPROF}heap",
        content_type=PROFILE,
        parameters=(_SHORT_S,),
        errors=(400, 409),
        exposure=Exposure.COSTLY,
    )
    async def heap(self, request: IRequest) -> bytes:
        """Profile what is allocated within some seconds and still in use after them."""
        seconds = _SHORT_S.of(request)
        with self._alone(), allocations():
            duration_ns = await self._wait(seconds)
            values = in_use()
        kinds = (Kind("inuse_objects", "count"), Kind("inuse_space", "bytes"))
        return _send(request, kinds, values, duration_ns)

    @serves(
        f"{urls.PPROF}block",
        content_type=PROFILE,
        parameters=(_SHORT_S,),
        errors=(400, 409),
        exposure=Exposure.COSTLY,
    )
    async def block(self, request: IRequest) -> bytes:
        """Profile where the reactor was while it kept everybody waiting, for some seconds."""
        seconds = _SHORT_S.of(request)
        stalls = Stalls(self._reactor.callFromThread)
        with self._alone(), Watcher(stalls.look).watching():
            duration_ns = await self._wait(seconds)
        values = {stack: (stalls.count[stack], stalls.delay_ns[stack]) for stack in stalls.delay_ns}
        kinds = (Kind("contentions", "count"), Kind("delay", "nanoseconds"))
        return _send(request, kinds, values, duration_ns)

    @serves(
        f"{urls.PPROF}trace",
        answers=dict,
        parameters=(_SHORT_S,),
        errors=(400, 409),
        exposure=Exposure.COSTLY,
    )
    async def trace(self, request: IRequest) -> bytes:
        """Record what every thread does for some seconds, as a trace that Perfetto opens."""
        seconds = _SHORT_S.of(request)
        timeline = Timeline()
        with self._alone(), Watcher(timeline.look).watching():
            await self._wait(seconds)
        return json_answer({"traceEvents": timeline.events()}).send(request)

    @serves(
        f"{urls.PPROF}goroutine",
        content_type=PROFILE,
        or_else=(TEXT,),
        parameters=(_TEXT,),
        errors=(400,),
        exposure=Exposure.COSTLY,
    )
    def goroutine(self, request: IRequest) -> bytes:
        """Return the stacks of all threads and the pending work of the reactor."""
        if _TEXT.of(request):
            return Answer(self._work_as_text().encode(), TEXT).send(request)
        return _send(request, (Kind("goroutine", "count"),), _counted(self._work.stacks()))

    @serves(
        f"{urls.PPROF}threadcreate",
        content_type=PROFILE,
        or_else=(TEXT,),
        parameters=(_TEXT,),
        errors=(400,),
        exposure=Exposure.COSTLY,
    )
    def threadcreate(self, request: IRequest) -> bytes:
        """Return the threads of the server."""
        if _TEXT.of(request):
            return Answer("".join(f"{name}\n" for name in all_stacks()).encode(), TEXT).send(
                request
            )
        return _send(request, (Kind("threadcreate", "count"),), _counted())

    def _work_as_text(self) -> str:
        threads = (f"thread {name}:\n{as_text(stack)}" for name, stack in all_stacks().items())
        waiting = (f"{kind} {each}\n" for kind, each in self._work.waiting())
        return "\n".join(threads) + "\n" + "".join(waiting)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._busy:
            raise busy()
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    async def _wait(self, seconds: int) -> int:
        """Wait, or until the client has gone; return how long that was."""
        began = time.monotonic_ns()
        await deferLater(self._reactor, seconds)
        return time.monotonic_ns() - began


def _counted(others: Iterable[Stack] = ()) -> Mapping[Stack, tuple[int]]:
    """Return the stacks of all threads, and others, with how many are the same."""
    stacks = Counter((*all_stacks().values(), *others))
    return {stack: (count,) for stack, count in stacks.items()}


def _send(
    request: IRequest,
    kinds: Sequence[Kind],
    samples: Mapping[Stack, Sequence[int]],
    duration_ns: int = 0,
    period: int = 1,
) -> bytes:
    body = encode(kinds, samples, time_ns=time.time_ns(), duration_ns=duration_ns, period=period)
    return Answer(body, PROFILE).send(request)
