"""Reads what is in requests."""

from collections.abc import Iterable
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric


def attributes_of(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Return attributes as a dictionary."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value")
        for each in pairs
    }


def labels_of(point: Any) -> dict[str, Any]:
    """Return the attributes of a point."""
    return attributes_of(point.attributes)


def values_of(metric: Metric, *labels: str) -> dict[Any, float]:
    """Return the values of a metric by some of its labels; one label is no tuple."""
    kind = metric.WhichOneof("data")
    assert kind is not None
    values = {}
    for point in getattr(metric, kind).data_points:
        found = labels_of(point)
        key = tuple(found[label] for label in labels) if len(labels) != 1 else found[labels[0]]
        assert key not in values
        values[key] = getattr(point, point.WhichOneof("value"))
    return values
