"""Counters that never decrease."""

from collections.abc import Iterable, Iterator

import attrs
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from syswatch.base.classes import define

from .call_metrics import OTHER

_COUNTER = "counter"


@define
class Rising:
    """
    The highest values of counters.

    Tracers correct a few sums, such as the time of threads by state, and whoever reads counters
    takes a lower one for one that began at zero again.  The counters are those of all forms in
    which they are read, except what stands for all others, which are others in each form.
    """

    # By name and values of labels, and the form; there are as many as series.
    _highest: dict[tuple[str, ...], float] = attrs.field(factory=dict, init=False)

    def families(self, families: Iterable[Metric], form: str = "") -> Iterator[Metric]:
        """Yield families; a counter that is lower than before stays as it was."""
        for family in families:
            if family.type == _COUNTER:
                family.samples = [self._raised(sample, form) for sample in family.samples]
            yield family

    def _raised(self, sample: Sample, form: str) -> Sample:
        labels = sample.labels.values()
        key = sample.name, *labels, form if OTHER in labels else ""
        highest = self._highest.get(key, sample.value)
        if sample.value < highest:
            return sample._replace(value=highest)
        self._highest[key] = sample.value
        return sample
