"""Counters that never decrease."""

from collections.abc import Iterable, Iterator

import attrs
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from syswatch.base.classes import define

_COUNTER = "counter"


@define
class Rising:
    """
    The highest values of counters.

    Tracers correct a few sums, such as the time of threads by state, and whoever reads counters
    takes a lower one for one that began at zero again.
    """

    # By name and values of labels; there are as many as series.
    _highest: dict[tuple[str, ...], float] = attrs.field(factory=dict, init=False)

    def families(self, families: Iterable[Metric]) -> Iterator[Metric]:
        """Yield families; a counter that is lower than before stays as it was."""
        for family in families:
            if family.type == _COUNTER:
                family.samples = [self._raised(sample) for sample in family.samples]
            yield family

    def _raised(self, sample: Sample) -> Sample:
        key = sample.name, *sample.labels.values()
        highest = self._highest.get(key, sample.value)
        if sample.value < highest:
            return sample._replace(value=highest)
        self._highest[key] = sample.value
        return sample
