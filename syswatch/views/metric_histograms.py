"""
The two forms of a histogram that Prometheus reads.

A classic histogram has a series for each of its edges, which are edges of our buckets, so its
counts are exact.  A native one is a single series, whose buckets grow by a factor of 2**(1/256).
Each of our buckets becomes the one that holds its middle: a duration moves by at most 1/32 of
itself, and the bucket adds 0.3 %.
"""

from collections.abc import Sequence
from functools import cache
from math import ceil, log2

from prometheus_client.samples import BucketSpan, NativeHistogram

from syswatch.model.histogram import Histogram, lower_bound, upper_bound
from syswatch.settings.metric_limits import FIRST_EDGE_BITS, LAST_EDGE_BITS

_SECOND_NS = 1e9
_SCHEMA = 8
# In seconds; the bucket of zero holds durations of 0 ns only.
_ZERO_THRESHOLD = 0.5e-9


def edges_ns(buckets: int) -> tuple[int, ...]:
    """Return the edges of a classic histogram with so many buckets in each factor of two."""
    if not buckets:
        return ()
    starts = (1 << bits for bits in range(FIRST_EDGE_BITS, LAST_EDGE_BITS))
    within = (start + part * start // buckets for start in starts for part in range(buckets))
    return (*within, 1 << LAST_EDGE_BITS)


def classic(histogram: Histogram, edges: Sequence[int]) -> list[tuple[str, float]]:
    """Return the cumulative counts at each edge, as the text formats require."""
    counts = sorted(histogram.counts.items())
    running, index, buckets = 0, 0, []
    for edge in edges:
        while index < len(counts) and upper_bound(counts[index][0]) < edge:
            running += counts[index][1]
            index += 1
        buckets.append((_label(edge), float(running)))
    buckets.append(("+Inf", float(histogram.total)))
    return buckets


def native(histogram: Histogram, total_ns: int) -> NativeHistogram:
    """Return a native histogram; the sum is exact."""
    counts = sorted(histogram.counts.items())
    zeros = counts.pop(0)[1] if counts and counts[0][0] == 0 else 0
    spans: list[BucketSpan] = []
    deltas = []
    next_index = before = 0
    for bucket, count in counts:
        index = _native_index(bucket)
        if spans and index == next_index:
            spans[-1] = spans[-1]._replace(length=spans[-1].length + 1)
        else:
            spans.append(BucketSpan(index - next_index, 1))
        deltas.append(count - before)
        next_index, before = index + 1, count
    return NativeHistogram(
        count_value=histogram.total,
        sum_value=total_ns / _SECOND_NS,
        schema=_SCHEMA,
        zero_threshold=_ZERO_THRESHOLD,
        zero_count=zeros,
        pos_spans=spans,
        pos_deltas=deltas,
    )


@cache
def _label(edge_ns: int) -> str:
    # Durations are whole nanoseconds: below the edge is at most one less.
    return repr((edge_ns - 1) / _SECOND_NS)


@cache
def _native_index(bucket: int) -> int:
    middle_ns = (lower_bound(bucket) + upper_bound(bucket)) / 2
    return ceil(log2(middle_ns / _SECOND_NS) * (1 << _SCHEMA))
