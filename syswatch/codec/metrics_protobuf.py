"""
Metrics in the protobuf format of Prometheus, the only one that has native histograms.

It is written here because `prometheus_client` writes text only, and the few messages of
`io.prometheus.client` do not justify a dependency on protobuf.  Names are those of the text format.
"""

import struct
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from prometheus_client.metrics_core import Metric
from prometheus_client.samples import NativeHistogram, Sample

CONTENT_TYPE = (
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
)
_COUNTER, _GAUGE, _HISTOGRAM = 0, 1, 4
_TYPES = {"counter": _COUNTER, "gauge": _GAUGE, "info": _GAUGE, "histogram": _HISTOGRAM}
_SUFFIXES = {"counter": "_total", "info": "_info"}
# The types of fields on the wire.
_VARINT, _FIXED64, _BYTES = 0, 1, 2
_BYTE = 0x7F
_MORE = 0x80


def encode_metrics(metrics: Iterable[Metric]) -> bytes:
    """Return all metrics that have samples; histograms have to be native."""
    families = (_family(metric) for metric in metrics if metric.samples)
    return b"".join(_varint(len(family)) + family for family in families)


def _family(metric: Metric) -> bytes:
    value = _VALUES[metric.type]
    parts = [
        _text(1, metric.name + _SUFFIXES.get(metric.type, "")),
        _text(2, metric.documentation),
        _unsigned(3, _TYPES[metric.type]),
    ]
    parts += (_message(4, _labels(sample.labels) + value(sample)) for sample in metric.samples)
    return b"".join(parts)


def _labels(labels: Mapping[str, str]) -> bytes:
    return b"".join(_message(1, _text(1, name) + _text(2, value)) for name, value in labels.items())


def _counter(sample: Sample) -> bytes:
    return _message(3, _double(1, sample.value))


def _gauge(sample: Sample) -> bytes:
    return _message(2, _double(1, sample.value))


def _histogram(sample: Sample) -> bytes:
    histogram = sample.native_histogram
    if histogram is None:
        raise ValueError(f"{sample.name} is not a native histogram")
    return _message(7, _native(histogram))


def _native(histogram: NativeHistogram) -> bytes:
    spans = histogram.pos_spans or ()
    deltas = histogram.pos_deltas or ()
    return b"".join(
        (
            _unsigned(1, int(histogram.count_value)),
            _double(2, histogram.sum_value),
            _unsigned(5, _zigzag(histogram.schema)),
            _double(6, histogram.zero_threshold),
            _unsigned(7, int(histogram.zero_count)),
            *(_span(span.offset, span.length) for span in spans),
            _deltas(deltas),
        )
    )


_VALUES: Mapping[str, Callable[[Sample], bytes]] = {
    "counter": _counter,
    "gauge": _gauge,
    "info": _gauge,
    "histogram": _histogram,
}


def _deltas(deltas: Iterable[int]) -> bytes:
    packed = b"".join(_varint(_zigzag(delta)) for delta in deltas)
    return _message(13, packed) if packed else b""


@cache
def _span(offset: int, length: int) -> bytes:
    return _message(12, _unsigned(1, _zigzag(offset)) + _unsigned(2, length))


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode("utf-8", "replace"))


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(body)) + body


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | _FIXED64) + struct.pack("<d", value)


def _unsigned(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _varint(value: int) -> bytes:
    if value <= _BYTE:
        return value.to_bytes(1, "little")
    encoded = bytearray()
    while value > _BYTE:
        encoded.append(value & _BYTE | _MORE)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
