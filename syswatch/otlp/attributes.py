"""Attributes and the origin of metrics and log records, as OTLP has them."""

import platform
import socket
import uuid
from collections.abc import Mapping

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from syswatch.base.version import VERSION
from syswatch.model.snapshot import Snapshot

_NAME = "syswatch"
# Semantic conventions have names of their own for some architectures.
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def attributes(values: Mapping[str, str | float]) -> list[KeyValue]:
    """Return attributes; those without a text are left out."""
    return [KeyValue(key=key, value=_value(value)) for key, value in values.items() if value != ""]


def scope() -> InstrumentationScope:
    """Return what made the numbers: this program."""
    return InstrumentationScope(name=_NAME, version=VERSION)


def resource(snapshot: Snapshot, given: Mapping[str, str]) -> Resource:
    """
    Return the origin of all numbers of a trace, which is its target.

    What the user gives comes first.  The command line is left out, because it may have secrets.
    """
    machine = platform.machine()
    known: dict[str, str | float] = {
        # Two traces of one service on one machine must not look like one.
        "service.instance.id": str(uuid.uuid4()),
        "host.name": socket.gethostname(),
        "host.arch": _ARCHITECTURES.get(machine, machine),
    }
    return Resource(attributes=attributes({**_target(snapshot), **known, **given}))


def read_resource(snapshot: Snapshot, given: Mapping[str, str]) -> Resource:
    """
    Return the origin of numbers that were read, perhaps on another machine.

    Equal numbers have equal origins, so that nothing counts twice if a log is pushed twice.
    """
    totals = [(each.name, each.tally.count, each.tally.total_ns) for each in snapshot.calls]
    instance = uuid.uuid5(uuid.NAMESPACE_OID, repr((snapshot.sums.span, totals)))
    known = {"service.instance.id": str(instance)}
    return Resource(attributes=attributes({**_target(snapshot), **known, **given}))


def _target(snapshot: Snapshot) -> dict[str, str | float]:
    process = snapshot.source.process
    known: dict[str, str | float] = {
        "service.name": process.comm or _NAME,
        "os.type": "linux",
        "process.executable.name": process.comm,
        "process.executable.path": process.exe,
    }
    return {**known, "process.pid": process.pid} if process.pid else known


def _value(value: str | float) -> AnyValue:
    if isinstance(value, str):
        return AnyValue(string_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    return AnyValue(double_value=value)
