"""How many calls waited for how long, by object and by call."""

import struct
from array import array
from collections.abc import Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.histogram import Histogram

from . import activity_layout as layout
from .program import Program

_KEY = struct.Struct("2I")
_COUNT = struct.Struct("Q")


class Waits(NamedTuple):
    """Histograms of waits by the numbers of objects and of calls."""

    by_object: Mapping[int, Histogram]
    by_call: Mapping[int, Histogram]


@define
class WaitCounts:
    """Reads the increments of the histograms."""

    program: Program
    _before: dict[int, int] = attrs.field(factory=dict, init=False)

    def read(self) -> Waits:
        """Return the increments since the last reading."""
        keys, values = self.program.contents("wait_counts", _KEY.size, _COUNT.size)
        counts = dict(zip(array("Q", keys), array("Q", values), strict=True))
        grown: dict[int, dict[int, int]] = {}
        for key, count in counts.items() - self._before.items():
            subject, bucket = _KEY.unpack(_COUNT.pack(key))
            grown.setdefault(subject, {})[bucket] = count - self._before.get(key, 0)
        self._before = counts
        histograms = {subject: Histogram(buckets) for subject, buckets in grown.items()}
        is_call = layout.WAITS_OF_CALL
        return Waits(
            {subject: waits for subject, waits in histograms.items() if not subject & is_call},
            {
                subject ^ is_call: waits
                for subject, waits in histograms.items()
                if subject & is_call
            },
        )

    def forget(self, numbers: set[int]) -> None:
        """Delete the histograms of objects whose numbers will be used for others."""
        for key in [key for key in self._before if key & 0xFFFFFFFF in numbers]:
            del self._before[key]
            self.program.delete("wait_counts", _COUNT.pack(key))
