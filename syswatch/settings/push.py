"""Where numbers are pushed to, and how: parsed by the command line, used by `syswatch.otlp`."""

import attrs

from syswatch.base.classes import frozen

from .metric_limits import MetricLimits


class PushError(Exception):
    """Nothing can be pushed; the message is one sentence for the user."""


@frozen
class Endpoint:
    """The URL for one signal (metrics, logs or traces), and how requests to it are sent."""

    url: str
    # They often have a secret.
    headers: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    timeout_s: float = 10.0
    gzip: bool = False
    # Files in PEM format, or empty: the authority to trust, and what to present.
    certificate: str = ""
    client_certificate: str = ""
    client_key: str = ""


@frozen
class Push:
    """The endpoints, how often metrics are pushed, and what is known of their origin."""

    metrics: Endpoint
    logs: Endpoint
    # None if slow calls are no spans.
    traces: Endpoint | None = None
    interval_s: float = 60.0
    resource: tuple[tuple[str, str], ...] = ()
    # How many groups of processes have series, the one that stands for all others included.
    group_rows: int = MetricLimits(groups=True).group_rows

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """The endpoints by signal."""
        found = {"metrics": self.metrics, "logs": self.logs}
        return found if self.traces is None else {**found, "traces": self.traces}
