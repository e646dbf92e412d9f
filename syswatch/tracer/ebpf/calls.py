"""The settings of the program for each call, and the names of the calls that it counts."""

from mmap import mmap

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.events import ARCHITECTURES
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import kinds_of, name_of, number_of, openers
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.groups import Grouping
from syswatch.model.messages import TraceOptions
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.model.times import SECOND_NS
from syswatch.tracer.decode import MASK_IN_FRAME, RETURN_DESCRIPTORS, Formatter
from syswatch.tracer.decode.numbers import signed_32, unsigned_64
from syswatch.tracer.naming import X32_BIT, machine, plain_name_of, shown_name

from . import group_layout as groups
from . import layout
from .event_layout import UNKNOWN_NUMBER
from .evidence_layout import Ruled
from .maps import MOST_EVENTS, rows_of_groups
from .program import Program
from .steps import Steps, with_received
from .subjects import client_ports, subject_of

_ARCHITECTURES = (machine(), {"x86_64": "i386", "aarch64": "arm"}.get(machine(), "other"))
_DESCRIPTORS = frozenset({Kind.FD, Kind.DIRFD})
_NUMBER = 8
# With more of what they have received, to find the answers of name servers.
_SAMPLED_LONGER = frozenset({"read", "recvfrom", "recvmsg"})
# A tenth of the shortest interval of the timeline.
_LONG_WAIT_NS = 1_000_000
# More samples in a second than there are calls.
_UNLIMITED = 1_000_000_000


@frozen
class CallName:
    """The call that a row of the tables is about."""

    architecture: str
    plain_name: str
    name: str

    @property
    def abi(self) -> str:
        """The architecture, and x32 for its calls."""
        return "x32" if self.name.endswith("@x32") else self.architecture


def name_of_row(row: int) -> CallName:
    """Return the call of a row that belongs to a fixed number."""
    return _call(_ARCHITECTURES[row // layout.TABLE], row % layout.TABLE)


def name_of_number(number: int) -> CallName:
    """Return the call of a number without a fixed row; the upper half is 1 for 32-bit calls."""
    kind, low = divmod(number, 1 << 32)
    # As ptrace reports it: a negative number fills the register.
    return _call(_ARCHITECTURES[bool(kind)], unsigned_64(signed_32(low)))


def _call(architecture: str, number: int) -> CallName:
    plain = plain_name_of(architecture, number)
    return CallName(architecture, plain, shown_name(plain, architecture, number))


def architectures() -> tuple[int, int]:
    """Return the architectures of 64-bit and of 32-bit calls, as events have them."""
    known = {name: place for place, name in enumerate(ARCHITECTURES)}
    return known.get(_ARCHITECTURES[0], 0), known.get(_ARCHITECTURES[1], 0)


OTHERS = CallName(machine(), "syscall_other", "syscall_other")


@define
class CallNames:
    """Names the rows of the tables; the program stores the numbers of calls without a fixed row."""

    program: Program
    _numbers: mmap = attrs.field(init=False)
    _known: dict[int, CallName] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Map the numbers into memory."""
        self._numbers = self.program.mapped("numbers", _NUMBER * layout.UNLISTED)

    def name(self, row: int) -> CallName:
        """Return the call that a row is about."""
        known = self._known.get(row)
        if known is None:
            known = self._known[row] = self._name(row)
        return known

    def recorded(self, row: int) -> tuple[int, int]:
        """Return number and architecture of a row, as events have them."""
        native, compatible = architectures()
        if row < layout.STRANGE:
            return row % layout.TABLE, (native, compatible)[row // layout.TABLE]
        at = _NUMBER * (row - layout.STRANGE)
        full = int.from_bytes(self._numbers[at : at + _NUMBER], "little")
        if row == layout.OTHERS:
            return UNKNOWN_NUMBER, native
        kind, number = divmod(full, 1 << 32)
        architecture = compatible if kind else native
        if machine() == "x86_64" and not kind and X32_BIT <= number < 2 * X32_BIT:
            number, architecture = number - X32_BIT, ARCHITECTURES.index("x32")
        return min(number, UNKNOWN_NUMBER), architecture

    def _name(self, row: int) -> CallName:
        if row < layout.STRANGE:
            return name_of_row(row)
        if row == layout.OTHERS:
            return OTHERS
        at = _NUMBER * (row - layout.STRANGE)
        return name_of_number(int.from_bytes(self._numbers[at : at + _NUMBER], "little"))


def settings_of(
    options: TraceOptions,
    names: frozenset[str] | None,
    scope: int = layout.NAMED_ONLY,
    *,
    records: bool = False,
) -> layout.Settings:
    """Return the settings of the program for the options of a trace."""
    full = options.mode == "full"
    reads = options.read_arguments
    log_rate = _UNLIMITED if records and options.decode_all else options.log_rate
    samples = full * (log_rate << layout.WINDOW_BITS) // SECOND_NS
    native, compatible = architectures()
    settings = layout.Settings(
        samples=samples,
        burst=max(samples, full * min(log_rate, LOG_ENTRIES)),
        scope=scope,
        follow=options.follow_children,
        status=layout.RESULTS[options.status],
        reads=full and reads,
        # What is recorded has a beginning.
        timed=full or records,
        split=options.per_process,
        selects=bool(options.paths),
        links=full and reads and options.descriptor_paths,
        sigreturn=number_of("rt_sigreturn", machine()),
        mask_at=MASK_IN_FRAME.get(machine(), 0),
        objects=full and options.objects,
        long_wait_ns=_LONG_WAIT_NS,
        events=records * MOST_EVENTS,
        arguments=reads,
        native=native,
        compatible=compatible,
        profile=options.profile,
    )
    if options.group_by:
        settings.groups = _kind_of_groups(options.group_by)
        settings.most_groups = options.most_groups + 1
        settings.group_rows = rows_of_groups(settings.most_groups)
    if settings.objects:
        settings.first_port, settings.last_port = client_ports()
    steps = Steps(settings)
    formatters = {name: Formatter(options, name) for name in _ARCHITECTURES}
    settings.traced[layout.STRANGE] = names is None
    for row in range(layout.STRANGE):
        call = name_of_row(row)
        settings.traced[row] = names is None or call.plain_name in names
        if _has_name(row, call.architecture):
            _describe_arguments(settings, row, call.plain_name)
            settings.ruled[row] = _ruled(call)
            settings.subjects[row] = subject_of(
                call.plain_name, reads=reads, is_32_bit=row >= layout.TABLE
            )
            if settings.reads:
                memory = formatters[call.architecture].reads(call.plain_name)
                is_longer = settings.objects and call.plain_name in _SAMPLED_LONGER
                steps.plan(row, with_received(memory) if is_longer else memory)
    return settings


def _kind_of_groups(group_by: str) -> int:
    is_name = Grouping(group_by) is Grouping.PROCESS_NAME
    return groups.BY_PROCESS_NAME if is_name else groups.BY_CONTROL_GROUP


def _describe_arguments(settings: layout.Settings, row: int, name: str) -> None:
    kinds = kinds_of(name)[: layout.ARGUMENTS]
    # Counted from 1: 0 means that the call opens nothing.
    settings.opens[row] = openers().get(name, -1) + 1
    for place, kind in enumerate(kinds):
        settings.paths[row] |= (kind is Kind.PATH) << place
        settings.descriptors[row] |= (kind in _DESCRIPTORS) << place
    settings.returns[row] = name in RETURN_DESCRIPTORS
    if settings.links and settings.descriptors[row]:
        settings.early[row] |= layout.EARLY_LINKS


def _ruled(call: CallName) -> Ruled:
    """Return the arguments that rules can depend on, as the program has them."""
    ruled = Ruled()
    for each in ruled_arguments(call.plain_name, call.abi):
        ruled.masks[ruled.count] = each.mask
        ruled.positions[ruled.count] = each.position
        ruled.count += 1
    return ruled


def _has_name(row: int, architecture: str) -> bool:
    try:
        return name_of(row % layout.TABLE, architecture) is not None
    except KeyError:
        return False
