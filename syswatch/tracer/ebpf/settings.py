"""What the program is told before it is loaded; the kernel removes code that is not needed then."""

from pathlib import Path

from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.grouping import Grouping
from syswatch.model.messages import TraceOptions
from syswatch.model.times import SECOND_NS

from . import group_layout as groups
from . import layout
from .maps import MOST_EVENTS, rows_of_groups

_EPHEMERAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
# The default of Linux.
_DEFAULT_PORTS = (32768, 60999)
# More samples in a second than there are calls.
_UNLIMITED = 1_000_000_000


def settings_of(
    options: TraceOptions, scope: int = layout.NAMED_ONLY, *, records: bool = False
) -> layout.Settings:
    """Return the settings of the program for the options of a trace."""
    full = options.mode == "full"
    reads = options.read_arguments
    log_rate = _UNLIMITED if records and options.decode_all else options.log_rate
    samples = full * (log_rate << layout.WINDOW_BITS) // SECOND_NS
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
        objects=full and options.objects,
        events=records * MOST_EVENTS,
        arguments=reads,
        profile=options.profile,
    )
    if options.group_by:
        settings.groups = _kind_of_groups(options.group_by)
        settings.most_groups = options.most_groups + 1
        settings.group_rows = rows_of_groups(settings.most_groups)
    if settings.objects:
        settings.first_port, settings.last_port = _client_ports()
    return settings


def _kind_of_groups(group_by: str) -> int:
    is_name = Grouping(group_by) is Grouping.PROCESS_NAME
    return groups.BY_PROCESS_NAME if is_name else groups.BY_CONTROL_GROUP


def _client_ports() -> tuple[int, int]:
    """Return the first and the last port that the kernel assigns to clients."""
    try:
        first, last = map(int, _EPHEMERAL_PORTS.read_text("ascii").split())
    except (OSError, ValueError):
        return _DEFAULT_PORTS
    return first, last
