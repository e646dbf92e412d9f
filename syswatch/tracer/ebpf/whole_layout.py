"""The maps and structures of the whole program, with the sizes that they must have."""

import ctypes

from . import activity_layout as activity
from . import event_layout as events
from . import evidence_layout as evidence
from . import group_layout as groups
from . import layout
from . import object_layout as objects

# How large one value of each map is.
VALUES = {
    "sums": ctypes.sizeof(layout.Sums),
    "histograms": 4 * layout.BUCKETS,
    "errors": 4 * layout.ERRORS,
    "seen": 1,
    "processes": ctypes.sizeof(layout.Process),
    "early": ctypes.sizeof(layout.Given),
    "rows": ctypes.sizeof(layout.Row),
    "short_paths": ctypes.sizeof(layout.Opens),
    "long_paths": ctypes.sizeof(layout.Opens),
    "vacant": 4,
    "numbers": 8,
    **objects.VALUES,
    **activity.VALUES,
    **events.VALUES,
    **evidence.VALUES,
    **groups.VALUES,
    "group_times": 4 * layout.BUCKETS,
    ".rodata": ctypes.sizeof(layout.Settings),
    ".catalog": ctypes.sizeof(layout.Catalog),
    ".bss": ctypes.sizeof(layout.Totals),
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "settings": layout.Settings,
    "catalog": layout.Catalog,
    "totals": layout.Totals,
    "sums": layout.Sums,
    "process": layout.Process,
    "step": layout.Step,
    "plan": layout.Plan,
    "row_key": layout.RowKey,
    "row": layout.Row,
    "piece": layout.Piece,
    "memory": layout.Memory,
    "given": layout.Given,
    "sample": layout.Sample,
    "opens": layout.Opens,
    **objects.STRUCTURES,
    **activity.STRUCTURES,
    **events.STRUCTURES,
    **evidence.STRUCTURES,
    **groups.STRUCTURES,
}
