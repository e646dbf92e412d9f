"""What the program is told of each call."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import kinds_of, name_of, number_of, openers
from syswatch.model.filters import traced_names
from syswatch.model.messages import TraceOptions
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.tracer.decode import MASK_IN_FRAME, RETURN_DESCRIPTORS, Formatter
from syswatch.tracer.naming import machine

from . import layout
from .calls import MACHINE, CallName, architectures, name_of_row
from .evidence_layout import Ruled
from .steps import Steps, with_received
from .subjects import subject_of

_DESCRIPTORS = frozenset({Kind.FD, Kind.DIRFD})
# With more of what they have received, to find the answers of name servers.
_SAMPLED_LONGER = frozenset({"read", "recvfrom", "recvmsg"})


def fill(catalog: layout.Catalog, options: TraceOptions, settings: layout.Settings) -> None:
    """Describe all calls, as the options and the settings of a trace need it."""
    catalog.sigreturn = number_of("rt_sigreturn", machine())
    catalog.mask_at = MASK_IN_FRAME.get(machine(), 0)
    catalog.native, catalog.compatible = architectures()
    names = traced_names(options.trace, machine())
    steps = Steps(catalog)
    formatters = {name: Formatter(options, name) for name in MACHINE}
    catalog.traced[layout.STRANGE] = names is None
    for row in range(layout.STRANGE):
        call = name_of_row(row)
        catalog.traced[row] = names is None or call.plain_name in names
        if not _has_name(row, call.architecture):
            continue
        _describe_arguments(catalog, row, call.plain_name)
        if settings.links and catalog.descriptors[row]:
            catalog.early[row] |= layout.EARLY_LINKS
        catalog.ruled[row] = _ruled(call)
        catalog.subjects[row] = subject_of(
            call.plain_name, reads=options.read_arguments, is_32_bit=row >= layout.TABLE
        )
        if settings.reads:
            memory = formatters[call.architecture].reads(call.plain_name)
            is_longer = settings.objects and call.plain_name in _SAMPLED_LONGER
            steps.plan(row, with_received(memory) if is_longer else memory)


def _describe_arguments(catalog: layout.Catalog, row: int, name: str) -> None:
    kinds = kinds_of(name)[: layout.ARGUMENTS]
    # Counted from 1: 0 means that the call opens nothing.
    catalog.opens[row] = openers().get(name, -1) + 1
    for place, kind in enumerate(kinds):
        catalog.paths[row] |= (kind is Kind.PATH) << place
        catalog.descriptors[row] |= (kind in _DESCRIPTORS) << place
    catalog.returns[row] = name in RETURN_DESCRIPTORS


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
