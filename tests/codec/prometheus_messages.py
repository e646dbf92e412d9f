"""The messages of `io.prometheus.client`, as protobuf's own library decodes them."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, proto

_PACKAGE = "io.prometheus.client"
_TYPES = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _TYPES.TYPE_STRING,
    "double": _TYPES.TYPE_DOUBLE,
    "uint64": _TYPES.TYPE_UINT64,
    "uint32": _TYPES.TYPE_UINT32,
    "sint32": _TYPES.TYPE_SINT32,
    "sint64": _TYPES.TYPE_SINT64,
    "int32": _TYPES.TYPE_INT32,
}
# Name, number, type; repeated fields have an asterisk.  The fields are those of metrics.proto.
_MESSAGES = {
    "LabelPair": ("name 1 string", "value 2 string"),
    "Gauge": ("value 1 double",),
    "Counter": ("value 1 double",),
    "BucketSpan": ("offset 1 sint32", "length 2 uint32"),
    "Histogram": (
        "sample_count 1 uint64",
        "sample_sum 2 double",
        "schema 5 sint32",
        "zero_threshold 6 double",
        "zero_count 7 uint64",
        "positive_span 12 *BucketSpan",
        "positive_delta 13 *sint64",
    ),
    "Metric": (
        "label 1 *LabelPair",
        "gauge 2 Gauge",
        "counter 3 Counter",
        "histogram 7 Histogram",
    ),
    "MetricFamily": ("name 1 string", "help 2 string", "type 3 int32", "metric 4 *Metric"),
}


def families(data: bytes) -> Iterator[Any]:
    """Yield the decoded families; an unknown field is an error."""
    family = message_factory.GetMessageClass(
        _pool().FindMessageTypeByName(f"{_PACKAGE}.MetricFamily")
    )
    stream = BytesIO(data)
    written = BytesIO()
    while (decoded := proto.parse_length_prefixed(family, stream)) is not None:
        decoded.DiscardUnknownFields()
        proto.serialize_length_prefixed(decoded, written)
        yield decoded
    if written.tell() != len(data):
        raise AssertionError("there are unknown fields")


def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="metrics.proto", package=_PACKAGE)
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field in fields:
            label, number, kind = field.split()
            described = message.field.add(name=label, number=int(number))
            described.label = _TYPES.LABEL_REPEATED if "*" in kind else _TYPES.LABEL_OPTIONAL
            kind = kind.strip("*")
            if kind in _SCALARS:
                described.type = _SCALARS[kind]
                described.options.packed = described.label == _TYPES.LABEL_REPEATED
            else:
                described.type = _TYPES.TYPE_MESSAGE
                described.type_name = f".{_PACKAGE}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
