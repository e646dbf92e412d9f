"""Queries of Prometheus that charts of several dashboards have."""

from tests.deploy.charts import Chart

LATENCY = "syswatch_syscall_latency_seconds"


def quantile(quantile: float, selector: str, *labels: str) -> str:
    """Return a query for a quantile, which works for native and for classic histograms."""
    native = f"sum by ({', '.join(labels)}) (rate({LATENCY}{{{selector}}}[$__rate_interval]))"
    classic = (
        f"sum by ({', '.join((*labels, 'le'))})"
        f" (rate({LATENCY}_bucket{{{selector}}}[$__rate_interval]))"
    )
    return f"histogram_quantile({quantile}, {native}) or histogram_quantile({quantile}, {classic})"


def rate(metric: str, selector: str, *labels: str) -> str:
    """Return a query for the rate of a counter, by some labels."""
    return f"sum by ({', '.join(labels)}) (rate({metric}{{{selector}}}[$__rate_interval]))"


def top(count: int, query: str) -> str:
    """Return a query for the largest results of another one."""
    return f"topk({count}, {query})"


def seconds(selector: str, *labels: str) -> str:
    """Return a query for the time in calls, which works for native and for classic histograms."""
    histograms = f"histogram_sum(rate({LATENCY}{{{selector}}}[$__rate_interval]))"
    native = f"sum by ({', '.join(labels)}) ({histograms})"
    return f"{native} or {rate(f'{LATENCY}_sum', selector, *labels)}"


def times(agents: str) -> tuple[Chart, ...]:
    """Return charts of where the time of some agents goes."""
    return (
        Chart(
            "Time of threads, by state",
            rate("syswatch_thread_seconds_total", agents, "state"),
            "{{state}}",
            description="Threads in each state, on average.",
            stacked=True,
        ),
        Chart(
            "Waits, by kind of object",
            rate("syswatch_waiting_seconds_total", agents, "kind"),
            "{{kind}}",
            description="Threads that wait for it, on average, idle or not.",
            stacked=True,
        ),
        Chart(
            "Bytes, by kind of object",
            rate("syswatch_bytes_total", agents, "kind", "direction"),
            "{{kind}} {{direction}}",
            "Bps",
        ),
        Chart(
            "Time in calls, by category",
            rate("syswatch_time_seconds_total", agents, "category"),
            "{{category}}",
            stacked=True,
        ),
    )
