"""What the program is told of each call."""

import ctypes
from collections.abc import Iterable

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import kinds_of, names, number_of, openers
from syswatch.model.filters import traced_names
from syswatch.model.messages import TraceOptions
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.tracer.decode import MASK_IN_FRAME, RETURN_DESCRIPTORS, Formatter
from syswatch.tracer.naming import machine

from . import layout
from .calls import MACHINE, architectures
from .evidence_layout import Ruled
from .steps import Steps, with_received, with_sampled_strings
from .subjects import subject_of

_DESCRIPTORS = frozenset({Kind.FD, Kind.DIRFD})
# With more of what they have received, to find the answers of name servers.
_SAMPLED_LONGER = frozenset({"read", "recvfrom", "recvmsg"})


def fill(catalog: layout.Catalog, options: TraceOptions, settings: layout.Settings) -> None:
    """Describe all calls, as the options and the settings of a trace need it."""
    catalog.sigreturn = number_of("rt_sigreturn", machine())
    catalog.mask_at = MASK_IN_FRAME.get(machine(), 0)
    catalog.native, catalog.compatible = architectures()
    traced = traced_names(options.trace, machine())
    if traced is None:
        # Whatever has no name, too.
        ctypes.memset(catalog.traced, 1, layout.CALLS)
    steps = Steps(catalog)
    for first, architecture in zip((0, layout.TABLE), MACHINE, strict=True):
        formatter = Formatter(with_sampled_strings(options), architecture)
        for number, name in _calls(architecture):
            row = first + number
            catalog.traced[row] = traced is None or name in traced
            _describe_arguments(catalog, row, name)
            if settings.links and catalog.descriptors[row]:
                catalog.early[row] |= layout.EARLY_LINKS
            catalog.ruled[row] = _ruled(name, architecture)
            catalog.subjects[row] = subject_of(
                name, reads=options.read_arguments, is_32_bit=bool(first)
            )
            if settings.reads:
                memory = formatter.reads(name)
                is_longer = settings.objects and name in _SAMPLED_LONGER
                steps.plan(row, with_received(memory) if is_longer else memory)


def _calls(architecture: str) -> Iterable[tuple[int, str]]:
    """Return the calls with a fixed row; none of an architecture without a table."""
    try:
        known = names(architecture)
    except KeyError:
        return ()
    return ((number, name) for number, name in sorted(known.items()) if number < layout.TABLE)


def _describe_arguments(catalog: layout.Catalog, row: int, name: str) -> None:
    kinds = kinds_of(name)[: layout.ARGUMENTS]
    # Counted from 1: 0 means that the call opens nothing.
    catalog.opens[row] = openers().get(name, -1) + 1
    for place, kind in enumerate(kinds):
        catalog.paths[row] |= (kind is Kind.PATH) << place
        catalog.descriptors[row] |= (kind in _DESCRIPTORS) << place
    catalog.returns[row] = name in RETURN_DESCRIPTORS


def _ruled(name: str, architecture: str) -> Ruled:
    """Return the arguments that rules can depend on, as the program has them."""
    ruled = Ruled()
    for each in ruled_arguments(name, architecture):
        ruled.masks[ruled.count] = each.mask
        ruled.positions[ruled.count] = each.position
        ruled.count += 1
    return ruled
