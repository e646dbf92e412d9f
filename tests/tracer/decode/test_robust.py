"""Tests that no call makes the formatter fail."""

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import TestCase

from syswatch.model.catalog.entries import documented
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from .injected_calls import ArenaMemory, Case
from .memory_images import NONE, A

# Addresses in memory, just before its end, after it, or anywhere.
ADDRESSES = st.sampled_from([0, A, A + 1, A + 0x100, A + 0x3FFC, A + 0x4000, NONE, NONE - 99])
SMALL = st.integers(0, 70)
REGISTERS = st.one_of(ADDRESSES, SMALL, st.integers(0, NONE))
RESULTS = st.one_of(st.integers(-520, 600), st.integers(-(1 << 63), (1 << 63) - 1))
# Pointers to the same memory, so that structures can be followed.
POINTERS = st.lists(REGISTERS, max_size=40).map(
    lambda numbers: b"".join(number.to_bytes(8, "little") for number in numbers)
)
NAMES = st.sampled_from([call.name for call in documented()] + ["no_such_call", "fcntl64"])


class RobustTests(TestCase):
    """Random registers and random memory."""

    @settings(max_examples=1500, deadline=None)
    @given(
        name=NAMES,
        args=st.lists(REGISTERS, max_size=6).map(tuple),
        memory=st.one_of(st.binary(max_size=400), POINTERS),
        ret=RESULTS,
        is_error=st.booleans(),
        captures=st.booleans(),
        protocol=st.sampled_from([None, 0, 4]),
        architecture=st.sampled_from(["x86_64", "aarch64", "i386"]),
        options=st.builds(
            TraceOptions,
            string_limit=st.sampled_from([0, 1, 32, 1000]),
            read_arguments=st.booleans(),
            descriptor_paths=st.booleans(),
        ),
    )
    def test_never_raises(  # noqa: PLR0913  all that a call has
        self,
        *,
        name: str,
        args: tuple[int, ...],
        memory: bytes,
        ret: int,
        is_error: bool,
        captures: bool,
        protocol: int | None,
        architecture: str,
        options: TraceOptions,
    ) -> None:
        """Every call is printed as one line of printable characters."""
        formatter = Formatter(options, architecture)
        target = ArenaMemory(Case(name, args, memory), protocol=protocol)
        captured = formatter.capture(name, args, target) if captures else None
        text = formatter.format(name, args, ret, is_error, target, captured)
        result = formatter.result(name, args, ret, is_error, target)
        for part in (text, result, formatter.shown_path(memory)):
            self.assertTrue(part.isprintable(), part)
        self.assertLess(len(text), 1_000_000)
