"""The profiles, at the paths and in the formats of `go tool pprof` and Perfetto."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import attrs
from twisted.internet.task import deferLater
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.service.reactor import Reactor
from syswatch.views.records import Goroutines
from syswatch.web.errors import busy
from syswatch.web.parameters import IntegerParameter, Parameter
from syswatch.web.responses import HTML, TEXT, Response, json_response
from syswatch.web.routes import Exposure, Handler, routes, serves

from .allocations import allocations_in_use, traced_allocations
from .pprof_format import Stack, ValueType, encode
from .reactor_work import ReactorWork
from .samplers import (
    CPU_PERIOD_S,
    Stalls,
    Timeline,
    all_stacks,
    called_periodically,
    cpu_samples,
)

_INDEX = "/debug/pprof/"
_PROFILE = b"application/octet-stream"
# The index has only text and links.
_POLICY = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_MAX_S = 300
_CPU_S = IntegerParameter("seconds", "Duration of the profile.", default=30, maximum=_MAX_S)
_SECONDS = IntegerParameter("seconds", "Duration of the profile.", default=5, maximum=_MAX_S)
_DEBUG = IntegerParameter(
    "debug", "Return text instead of a profile if 1 or more.", default=0, minimum=0
)


def _serves_recording(
    name: str, seconds: Parameter = _SECONDS, **options: Any
) -> Callable[[Handler], Handler]:
    """Mark a method that records for some seconds, one recording at a time."""
    options = {"content_type": _PROFILE, **options}
    return serves(
        _INDEX + name,
        parameters=(seconds,),
        errors=(400, 409),
        exposure=Exposure.COSTLY,
        **options,
    )


def _serves_list(name: str) -> Callable[[Handler], Handler]:
    """Mark a method that returns a profile or text at once."""
    return serves(
        _INDEX + name,
        content_type=_PROFILE,
        alternatives=(TEXT,),
        parameters=(_DEBUG,),
        errors=(400,),
        exposure=Exposure.COSTLY,
    )


@define
class Diagnostics:
    """The endpoints of the diagnostics; samplers run only during a request."""

    _reactor: Reactor
    _command_line: Sequence[str] = ()
    _work: ReactorWork = attrs.field(init=False)
    _is_recording: bool = attrs.field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        """Watch the reactor."""
        self._work = ReactorWork(self._reactor)

    @serves("/debug/goroutines", answers=Goroutines, exposure=Exposure.COSTLY)
    def goroutines(self, request: IRequest) -> bytes:
        """Return the number of threads and pending reactor work, and memory statistics."""
        return json_response(self._work.record()).send(request)

    @serves(_INDEX, content_type=HTML)
    def index(self, request: IRequest) -> bytes:
        """Return the list of profiles."""
        items = "".join(
            f'<li><a href="{escape(name)}">{escape(name)}</a>: {escape(route.description)}</li>'
            for route, _ in routes(self)
            if (name := route.path.removeprefix(_INDEX)) and route.path.startswith(_INDEX)
        )
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f"<title>Profiles · syswatch</title></head>"
            f"<body><h1>Profiles of this server</h1><ul>{items}</ul></body></html>"
        )
        request.setHeader(b"Content-Security-Policy", _POLICY)
        return Response(page.encode(), HTML).send(request)

    @serves(f"{_INDEX}cmdline", content_type=TEXT)
    def cmdline(self, request: IRequest) -> bytes:
        """Return the server's command line, NUL-separated and with tokens masked."""
        return Response("\0".join(self._command_line).encode(), TEXT).send(request)

    @serves(f"{_INDEX}symbol", content_type=TEXT)
    def symbol(self, request: IRequest) -> bytes:
        """Return `num_symbols: 0`: profiles contain the names of functions."""
        return Response(b"num_symbols: 0\n", TEXT).send(request)

    @_serves_recording("profile", _CPU_S)
    async def profile(self, request: IRequest) -> bytes:
        """Record a CPU profile of the server."""
        seconds = _CPU_S.value(request)
        with self._exclusive(), cpu_samples() as samples:
            duration_ns = await self._wait(seconds)
        period_ns = int(CPU_PERIOD_S * 1e9)
        values = {stack: (count, count * period_ns) for stack, count in samples.items()}
        types = (ValueType("samples", "count"), ValueType("cpu", "nanoseconds"))
        return _send(request, types, values, duration_ns, period_ns)

    @_serves_recording("heap")
    async def heap(self, request: IRequest) -> bytes:
        """Record the allocations of some seconds that are still in use after them."""
        seconds = _SECONDS.value(request)
        with self._exclusive(), traced_allocations():
            duration_ns = await self._wait(seconds)
            values = allocations_in_use()
        types = (ValueType("inuse_objects", "count"), ValueType("inuse_space", "bytes"))
        return _send(request, types, values, duration_ns)

    @_serves_recording("block")
    async def block(self, request: IRequest) -> bytes:
        """Record where the reactor was blocked."""
        stalls = Stalls(self._reactor.callFromThread)
        duration_ns = await self._sample(request, stalls.sample)
        values = {stack: (stalls.count[stack], stalls.delay_ns[stack]) for stack in stalls.delay_ns}
        types = (ValueType("contentions", "count"), ValueType("delay", "nanoseconds"))
        return _send(request, types, values, duration_ns)

    @_serves_recording("trace", answers=dict, content_type=b"application/json")
    async def trace(self, request: IRequest) -> bytes:
        """Record what all threads do, as a trace for Perfetto."""
        timeline = Timeline()
        await self._sample(request, timeline.sample)
        return json_response({"traceEvents": timeline.events()}).send(request)

    @_serves_list("goroutine")
    def goroutine(self, request: IRequest) -> bytes:
        """Return the stacks of all threads and the pending work of the reactor."""
        if _DEBUG.value(request):
            return Response(self._work_as_text().encode(), TEXT).send(request)
        types = (ValueType("goroutine", "count"),)
        return _send(request, types, _thread_counts(self._work.stacks()))

    @_serves_list("threadcreate")
    def threadcreate(self, request: IRequest) -> bytes:
        """Return the threads of the server."""
        if _DEBUG.value(request):
            names = "".join(f"{name}\n" for name in all_stacks())
            return Response(names.encode(), TEXT).send(request)
        return _send(request, (ValueType("threadcreate", "count"),), _thread_counts())

    def _work_as_text(self) -> str:
        threads = (f"thread {name}:\n{_as_text(stack)}" for name, stack in all_stacks().items())
        pending = (f"{kind} {each}\n" for kind, each in self._work.pending())
        return "\n".join(threads) + "\n" + "".join(pending)

    async def _sample(self, request: IRequest, sample: Callable[[], None]) -> int:
        """Call a sampler for the requested time; return how long that was."""
        seconds = _SECONDS.value(request)
        with self._exclusive(), called_periodically(sample):
            return await self._wait(seconds)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if self._is_recording:
            raise busy()
        self._is_recording = True
        try:
            yield
        finally:
            self._is_recording = False

    async def _wait(self, seconds: int) -> int:
        """Wait for some seconds, or until the client disconnects; return the time in ns."""
        began = time.monotonic_ns()
        await deferLater(self._reactor, seconds)
        return time.monotonic_ns() - began


def _as_text(stack: Stack) -> str:
    return "".join(f"    {frame.function}\n        {frame.file}:{frame.line}\n" for frame in stack)


def _thread_counts(others: Iterable[Stack] = ()) -> Mapping[Stack, tuple[int]]:
    """Return how often each stack occurs among all threads and the given ones."""
    stacks = Counter((*all_stacks().values(), *others))
    return {stack: (count,) for stack, count in stacks.items()}


def _send(
    request: IRequest,
    types: Sequence[ValueType],
    samples: Mapping[Stack, Sequence[int]],
    duration_ns: int = 0,
    period: int = 1,
) -> bytes:
    body = encode(types, samples, time_ns=time.time_ns(), duration_ns=duration_ns, period=period)
    return Response(body, _PROFILE).send(request)
