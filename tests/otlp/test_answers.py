"""Tests of what a response means."""

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsPartialSuccess,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from twisted.trial.unittest import SynchronousTestCase

from syswatch.otlp.answers import LONGEST_WAIT_S, Answer, Outcome, answer, seconds_to_wait

# 6 November 1994, 08:49:37 UTC: the date in the specification of HTTP.
_NOW_S = 784_111_777.0
_DATE = "Sun, 06 Nov 1994 08:50:07 GMT"


def _answer(status: int, body: bytes = b"", retry_after: str = "") -> Answer:
    return answer(ExportMetricsServiceResponse(), status, retry_after, body, _NOW_S)


class AnswerTests(SynchronousTestCase):
    """Responses of collectors."""

    def test_statuses(self) -> None:
        """Only some failures are worth a retry; a redirect is not followed."""
        for status in (200, 202):
            self.assertEqual(Outcome.ACCEPTED, _answer(status).outcome)
        for status in (429, 502, 503, 504):
            self.assertEqual(Outcome.RETRY, _answer(status).outcome)
        for status in (301, 400, 401, 404, 408, 413, 500, 501, 599):
            self.assertEqual(Outcome.REJECTED, _answer(status).outcome)
        self.assertEqual("404 Not Found", _answer(404).message)
        self.assertEqual("599", _answer(599).message)

    def test_partial(self) -> None:
        """What was not taken is known, and why; the text is inert."""
        metrics = ExportMetricsServiceResponse(
            partial_success=ExportMetricsPartialSuccess(
                rejected_data_points=3, error_message="too\x1b[31m old"
            )
        )
        found = _answer(200, metrics.SerializeToString())
        self.assertEqual((Outcome.ACCEPTED, 3), (found.outcome, found.rejected_items))
        self.assertNotIn("\x1b", found.message)
        logs = ExportLogsServiceResponse(
            partial_success=ExportLogsPartialSuccess(rejected_log_records=2)
        )
        found = answer(ExportLogsServiceResponse(), 200, "", logs.SerializeToString(), _NOW_S)
        self.assertEqual(2, found.rejected_items)
        traces = ExportTraceServiceResponse(
            partial_success=ExportTracePartialSuccess(rejected_spans=1)
        )
        found = answer(ExportTraceServiceResponse(), 200, "", traces.SerializeToString(), _NOW_S)
        self.assertEqual(1, found.rejected_items)

    def test_other_words(self) -> None:
        """A body that is no message does no harm."""
        self.assertEqual(Answer(Outcome.ACCEPTED), _answer(200, b"<html>OK</html>"))

    def test_retry_after(self) -> None:
        """It is a number of seconds or a date, and has a limit."""
        for text, seconds in {
            "7": 7,
            " 0 ": 0,
            _DATE: 30,
            "Sun, 06 Nov 1994 08:49:00 GMT": 0,
            "9" * 400: LONGEST_WAIT_S,
            "Sun, 06 Nov 2094 08:49:00 GMT": LONGEST_WAIT_S,
        }.items():
            self.assertEqual(seconds, seconds_to_wait(text, _NOW_S), text)
            self.assertEqual(seconds, _answer(503, retry_after=text).retry_after_s)
        for text in ("", "soon", "-1", "1.5", "²"):
            self.assertIsNone(seconds_to_wait(text, _NOW_S), text)
