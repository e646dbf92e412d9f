"""What a collector answers to a request, and what that means for it."""

import enum
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

# Those that the specification of OTLP/HTTP lists; all other failures are final.
_RETRYABLE = frozenset(
    (
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    )
)
# A collector that asks for more is asked before, rather than forgotten.
LONGEST_WAIT_S = 3600.0
_LONGEST_MESSAGE = 200
Response = ExportMetricsServiceResponse | ExportLogsServiceResponse | ExportTraceServiceResponse


class Outcome(enum.Enum):
    """What becomes of a request."""

    ACCEPTED = enum.auto()
    RETRY = enum.auto()
    REJECTED = enum.auto()


@frozen
class Answer:
    """The outcome of a request; `message` says what went wrong, if anything did."""

    outcome: Outcome
    message: str = ""
    # What the collector asks to wait, or None.
    retry_after_s: float | None = None
    # The points, records or spans that it did not take.
    rejected_items: int = 0


def answer(response: Response, status: int, retry_after: str, body: bytes, now_s: float) -> Answer:
    """Interpret the response to a request; `response` is an empty message of its kind."""
    if status in _RETRYABLE:
        return Answer(Outcome.RETRY, _reason(status), seconds_to_wait(retry_after, now_s))
    if status // 100 != HTTPStatus.OK // 100:
        return Answer(Outcome.REJECTED, _reason(status))
    try:
        response.ParseFromString(body)
    except DecodeError:
        # It was accepted all the same, by a server that answers in words of its own.
        return Answer(Outcome.ACCEPTED)
    message = escape_text(response.partial_success.error_message[:_LONGEST_MESSAGE])
    return Answer(Outcome.ACCEPTED, message, rejected_items=max(_rejected(response), 0))


def seconds_to_wait(retry_after: str, now_s: float) -> float | None:
    """Return what a Retry-After header asks for: seconds, or a date; None if it is neither."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        # More digits than a limit has cannot be less than it.
        return min(float(text[:9]), LONGEST_WAIT_S)
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max((until - datetime.fromtimestamp(now_s, UTC)).total_seconds(), 0), LONGEST_WAIT_S)


def _rejected(response: Response) -> int:
    if isinstance(response, ExportMetricsServiceResponse):
        return response.partial_success.rejected_data_points
    if isinstance(response, ExportLogsServiceResponse):
        return response.partial_success.rejected_log_records
    return response.partial_success.rejected_spans


def _reason(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
