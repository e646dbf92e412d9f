"""Tests of the option --otlp and its environment."""

from pathlib import Path
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import RunCommand
from syswatch.settings.push import Push
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG

_URL = "http://localhost:4318"
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


class OtlpTests(SynchronousTestCase):
    """Where to push to."""

    def _push(self, url: str, **environment: str) -> Push | None:
        with patch.dict("os.environ", environment):
            return config_of("run", "--otlp", url, "true").push

    def _given(self, url: str = _URL, **environment: str) -> Push:
        push = self._push(url, **environment)
        assert push is not None
        return push

    def _error(self, url: str = _URL, **environment: str) -> str:
        with patch.dict("os.environ", environment):
            return error_of("run", "--otlp", url, "true")

    def test_not_given(self) -> None:
        """Variables alone switch nothing on: they are meant for the target, too."""
        with patch.dict("os.environ", {_ENDPOINT: _URL}):
            self.assertIsNone(config_of("run", "true").push)

    def test_spans(self) -> None:
        """Spans have an endpoint of their own, and tracers look for the traces, if asked."""
        with patch.dict("os.environ", {"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=1"}):
            config = config_of("run", "--otlp", _URL, "--otlp-spans", "true")
            without = config_of("run", "--otlp", _URL, "true")
        assert config.push is not None
        assert config.push.traces is not None
        assert without.push is not None
        assert isinstance(config.job, RunCommand)
        assert isinstance(without.job, RunCommand)
        self.assertEqual(f"{_URL}/v1/traces", config.push.traces.url)
        self.assertEqual((("a", "1"),), config.push.traces.headers)
        self.assertTrue(config.job.options.trace_parents)
        self.assertEqual(["metrics", "logs"], list(without.push.endpoints))
        self.assertFalse(without.job.options.trace_parents)

    def test_no_spans(self) -> None:
        """What finds no slow calls has no spans; only a live program has an environment."""
        spans = ("--otlp", _URL, "--otlp-spans")
        self.assertEqual(
            "--otlp-spans has no effect with --mode counts, which measures no durations",
            error_of("run", *spans, "--mode", "counts", "true"),
        )
        self.assertEqual(
            "--otlp-spans has no effect with --no-objects, which keeps no slowest calls",
            error_of("run", *spans, "--no-objects", "true"),
        )
        self.assertIn("is an option of run, attach", error_of("stats", *spans, str(LOG)))
        self.assertIn("is an option of run, attach, stats", error_of("replay", *spans[:2], "x"))

    def test_of_logs(self) -> None:
        """Logs can be pushed, too."""
        push = config_of("stats", "--otlp", _URL, str(LOG)).push
        assert push is not None
        self.assertEqual(f"{_URL}/v1/metrics", push.metrics.url)

    def test_defaults(self) -> None:
        """The paths are added; the option comes before the environment."""
        for url in (_URL, f"{_URL}/", "localhost:4318"):
            push = self._given(url, **{_ENDPOINT: "http://other"})
            self.assertEqual(f"{_URL}/v1/metrics", push.metrics.url)
            self.assertEqual(f"{_URL}/v1/logs", push.logs.url)
        self.assertEqual((10, 60), (push.metrics.timeout_s, push.interval_s))
        self.assertEqual((False, (), ()), (push.logs.gzip, push.logs.headers, push.resource))

    def test_groups(self) -> None:
        """As many groups have series as in /metrics."""
        for more, rows in (((), 70), (("--serve", ":0", "--metrics-series", "510"), 30)):
            pushed = config_of(
                *("attach", "--all", "--by", "process-name", "--otlp", _URL, "--backend", "ebpf"),
                *more,
            ).push
            assert pushed is not None
            self.assertEqual(rows, pushed.group_rows)

    def test_from_environment(self) -> None:
        """With 'env', the URL of a signal is used as it is, and that of all gets a path."""
        push = self._given(
            "env", **{_ENDPOINT: _URL, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "https://logs/in"}
        )
        self.assertEqual(f"{_URL}/v1/metrics", push.metrics.url)
        self.assertEqual("https://logs/in", push.logs.url)
        push = self._given("env", **{_ENDPOINT: _URL, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": _URL})
        self.assertEqual(f"{_URL}/", push.logs.url)

    def test_signals(self) -> None:
        """The variable of a signal comes first; an empty one is not set."""
        push = self._given(
            OTEL_EXPORTER_OTLP_TIMEOUT="2500",
            OTEL_EXPORTER_OTLP_LOGS_TIMEOUT="500",
            OTEL_EXPORTER_OTLP_METRICS_TIMEOUT="",
            OTEL_EXPORTER_OTLP_HEADERS="a=1, b=x%3Dy",
            OTEL_EXPORTER_OTLP_LOGS_HEADERS="c=3",
            OTEL_EXPORTER_OTLP_COMPRESSION="gzip",
            OTEL_EXPORTER_OTLP_METRICS_COMPRESSION="none",
            OTEL_METRIC_EXPORT_INTERVAL="5000",
        )
        self.assertEqual((2.5, 0.5), (push.metrics.timeout_s, push.logs.timeout_s))
        self.assertEqual((("a", "1"), ("b", "x=y")), push.metrics.headers)
        self.assertEqual((("c", "3"),), push.logs.headers)
        self.assertEqual((False, True), (push.metrics.gzip, push.logs.gzip))
        self.assertEqual(5, push.interval_s)
        self.assertNotIn("x=y", repr(push))

    def test_resource(self) -> None:
        """The name of the service comes before the attribute of that name."""
        push = self._given(
            OTEL_RESOURCE_ATTRIBUTES="service.name=a,team=b%20c", OTEL_SERVICE_NAME="shop"
        )
        self.assertEqual({"service.name": "shop", "team": "b c"}, dict(push.resource))

    def test_bad_urls(self) -> None:
        """A bad URL is one sentence."""
        expected = "(expected one such as localhost:4318)"
        for url in ("ftp://host", "http://", "http://user:secret@host", "http://host/?a=b"):
            self.assertEqual(f"--otlp: invalid URL '{url}' {expected}", self._error(url))
        self.assertEqual("--otlp: the name is empty", self._error(""))
        self.assertEqual(
            "--otlp: the path is added to the URL (leave out /v1/...)",
            self._error(f"{_URL}/v1/metrics"),
        )
        self.assertEqual(f"--otlp env: {_ENDPOINT} is not set", self._error("env"))
        self.assertEqual(
            f"{_ENDPOINT}: invalid URL 'http://' {expected}",
            self._error("env", **{_ENDPOINT: "http://"}),
        )

    def test_mistakes(self) -> None:
        """Each mistake in the environment names its variable, and no secret."""
        for (name, value), sentence in {
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"): (
                "OTEL_EXPORTER_OTLP_TIMEOUT: invalid value '10s' (expected a number of"
                " milliseconds, at least 1)"
            ),
            ("OTEL_METRIC_EXPORT_INTERVAL", "99"): (
                "OTEL_METRIC_EXPORT_INTERVAL: invalid value '99' (expected a number of"
                " milliseconds, at least 100)"
            ),
            ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "secret"): (
                "OTEL_EXPORTER_OTLP_LOGS_HEADERS: invalid list (expected NAME=VALUE,NAME=VALUE)"
            ),
            ("OTEL_EXPORTER_OTLP_HEADERS", "key=secret%0a"): (
                "OTEL_EXPORTER_OTLP_HEADERS: invalid header 'key'"
            ),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/file"): (
                "OTEL_EXPORTER_OTLP_CERTIFICATE: /no/file: No such file or directory"
            ),
        }.items():
            self.assertEqual(sentence, self._error(**{name: value}))
        for name, value in (
            ("OTEL_SERVICE_NAME", "caf\udce9"),
            ("OTEL_RESOURCE_ATTRIBUTES", "team=caf\udce9"),
        ):
            self.assertEqual(f"{name}: the value is not UTF-8 text", self._error(**{name: value}))
        self.assertIn("'zstd'", self._error(OTEL_EXPORTER_OTLP_COMPRESSION="zstd"))

    def test_protocol(self) -> None:
        """A URL that is for gRPC is refused; with a URL of its own, the option ignores that."""
        given = {_ENDPOINT: "http://localhost:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
        self.assertEqual(
            "--otlp env: OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc', but only http/protobuf is supported"
            " (its usual port is 4318)",
            self._error("env", **given),
        )
        self.assertEqual("", self._error(_URL, **given))

    def test_half_of_a_key(self) -> None:
        """A client certificate needs its key."""
        file = Path(self.mktemp())
        file.write_text("x", "utf-8")
        self.assertEqual(
            "OTEL_EXPORTER_OTLP_CLIENT_KEY and OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE need each"
            " other",
            self._error(OTEL_EXPORTER_OTLP_CLIENT_KEY=str(file)),
        )

    def test_extra(self) -> None:
        """Without the extra, the error says what to install."""
        for missing, url in {"opentelemetry": _URL, "OpenSSL": "https://localhost"}.items():
            with patch(
                "syswatch.options.otlp.find_spec",
                lambda name, missing=missing: None if name.startswith(missing) else name,
            ):
                error = self._error(url)
            self.assertTrue(error.endswith(": pip install 'syswatch[otlp]'"), error)
            self.assertTrue(error.startswith("--otlp: OTLP needs the package "), error)
