"""
The Grafana dashboards of deploy/grafana, made with the Grafana Foundation SDK.

    python -m tests.deploy.dashboards
"""

from collections.abc import Iterator

import attrs
from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import (
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    VariableRefresh,
    VariableSort,
)

from tests.system.servers import ROOT

FOLDER = ROOT / "deploy" / "grafana"
_SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
_WIDTH = 24
_HEIGHT = 8
_STAT_HEIGHT = 4
_CALLS = "syswatch_syscall_calls_total"
_ERRORS = "syswatch_syscall_errors_total"
_LATENCY = "syswatch_syscall_latency_seconds"
# A short name of the agent; the job may have given it a better one.
_FLEET = 'job=~"$job", instance=~"$instance"'
_CALL = f'{_FLEET}, syscall=~"$syscall"'


@attrs.frozen
class Chart:
    """A chart, or a number, of one query."""

    title: str
    query: str
    legend: str
    unit: str = "short"
    description: str = ""
    stacked: bool = False
    # From which value on it is drawn in red.
    bad: float | None = None


def quantile(quantile: float, selector: str, *labels: str) -> str:
    """Return a query for a quantile, which works for native and for classic histograms."""
    native = f"sum by ({', '.join(labels)}) (rate({_LATENCY}{{{selector}}}[$__rate_interval]))"
    classic = (
        f"sum by ({', '.join((*labels, 'le'))})"
        f" (rate({_LATENCY}_bucket{{{selector}}}[$__rate_interval]))"
    )
    return f"histogram_quantile({quantile}, {native}) or histogram_quantile({quantile}, {classic})"


def rate(metric: str, selector: str, *labels: str) -> str:
    """Return a query for the rate of a counter, by some labels."""
    return f"sum by ({', '.join(labels)}) (rate({metric}{{{selector}}}[$__rate_interval]))"


def top(count: int, query: str) -> str:
    """Return a query for the largest results of another one."""
    return f"topk({count}, {query})"


_NUMBERS = (
    Chart("Agents", f"count(syswatch_exact{{{_FLEET}}})", "agents"),
    Chart("Calls per second", f"sum(syswatch_syscalls_per_second{{{_FLEET}}})", "calls"),
    Chart(
        "Threads blocked",
        f'sum(syswatch_threads{{{_FLEET}, state="blocked"}})',
        "threads",
    ),
    Chart(
        "Longest block",
        f"max(syswatch_longest_blocked_seconds{{{_FLEET}}})",
        "longest",
        unit="s",
        bad=30,
    ),
    Chart(
        "Agents with gaps",
        f"count(syswatch_exact{{{_FLEET}}} == 0) or vector(0)",
        "agents",
        description="Agents that lost or cut something; their ledger says what.",
        bad=1,
    ),
    Chart(
        "Traces that ended",
        f"sum(syswatch_target_done{{{_FLEET}}})",
        "traces",
        bad=1,
    ),
)
_AGENTS = (
    Chart("Calls, by agent", top(10, rate(_CALLS, _FLEET, "instance")), "{{instance}}", "ops"),
    Chart("Errors, by agent", top(10, rate(_ERRORS, _FLEET, "instance")), "{{instance}}", "ops"),
    Chart(
        "99 % of calls are faster, by agent",
        top(10, quantile(0.99, _CALL, "instance")),
        "{{instance}}",
        "s",
        "Of the calls chosen above. Classic histograms are good to a factor of 2 by default.",
    ),
    Chart(
        "Threads blocked, by agent",
        top(10, f'sum by (instance) (syswatch_threads{{{_FLEET}, state="blocked"}})'),
        "{{instance}}",
    ),
)
_TIME = (
    Chart(
        "Time of threads, by state",
        rate("syswatch_thread_seconds_total", _FLEET, "state"),
        "{{state}}",
        description="Threads in each state, on average.",
        stacked=True,
    ),
    Chart(
        "Waits, by kind of object",
        rate("syswatch_waiting_seconds_total", _FLEET, "kind"),
        "{{kind}}",
        description="Threads that wait for it, on average, idle or not.",
        stacked=True,
    ),
    Chart(
        "Bytes, by kind of object",
        rate("syswatch_bytes_total", _FLEET, "kind", "direction"),
        "{{kind}} {{direction}}",
        "Bps",
    ),
    Chart(
        "Time in calls, by category",
        rate("syswatch_time_seconds_total", _FLEET, "category"),
        "{{category}}",
        stacked=True,
    ),
)
_BY_CALL = (
    Chart("Calls", top(10, rate(_CALLS, _CALL, "syscall")), "{{syscall}}", "ops"),
    Chart("Errors", top(10, rate(_ERRORS, _CALL, "syscall")), "{{syscall}}", "ops"),
    Chart("Half are faster", top(10, quantile(0.5, _CALL, "syscall")), "{{syscall}}", "s"),
    Chart("99 % are faster", top(10, quantile(0.99, _CALL, "syscall")), "{{syscall}}", "s"),
)
_COST = (
    Chart(
        "CPU of the server, by agent",
        top(10, rate("process_cpu_seconds_total", _FLEET, "instance")),
        "{{instance}}",
        "percentunit",
        "Without the tracer, which is a process of its own.",
    ),
    Chart(
        "Memory of the server, by agent",
        top(10, f"max by (instance) (process_resident_memory_bytes{{{_FLEET}}})"),
        "{{instance}}",
        "bytes",
    ),
    Chart(
        "Calls counted but not delivered, by agent",
        top(10, f"max by (instance) (syswatch_tracer_backlog{{{_FLEET}}})"),
        "{{instance}}",
        description="It rises if an agent has too little CPU.",
    ),
    Chart(
        "Entries of the ledger",
        rate("syswatch_ledger_total", _FLEET, "entry") + " > 0",
        "{{entry}}",
        description="What made numbers less than exact.",
    ),
)
_ROWS = {
    "Agents": _AGENTS,
    "Where the time goes": _TIME,
    "System calls": _BY_CALL,
    "What it costs": _COST,
}


def charts() -> Iterator[Chart]:
    """Yield every chart."""
    yield from _NUMBERS
    for row in _ROWS.values():
        yield from row


def fleet() -> Dashboard:
    """Return the dashboard of all agents, or of those that are chosen."""
    made = (
        Dashboard("System calls")
        .uid("syswatch-fleet")
        .description("Every agent of syswatch, or those chosen above.")
        .tags(["syswatch"])
        .refresh("30s")
        .time("now-1h", "now")
        .timezone("browser")
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
    )
    made = made.with_variable(
        dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus")
    )
    for name, label, query in (
        ("job", "Job", "label_values(syswatch_build_info, job)"),
        ("instance", "Agent", 'label_values(syswatch_build_info{job=~"$job"}, instance)'),
        ("syscall", "System call", f"label_values({_CALLS}{{{_FLEET}}}, syscall)"),
    ):
        made = made.with_variable(_variable(name, label, query))
    for each in _NUMBERS:
        made = made.with_panel(_number(each))
    for title, row in _ROWS.items():
        made = made.with_row(dashboard.Row(title))
        for each in row:
            made = made.with_panel(_chart(each))
    return made


def _variable(name: str, label: str, query: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(_SOURCE)
        .query(query)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(True)  # noqa: FBT003  builders take nothing else
        .include_all(True)  # noqa: FBT003
        .all_value(".*")
    )


def _target(chart: Chart) -> prometheus.Dataquery:
    return prometheus.Dataquery().expr(chart.query).legend_format(chart.legend).ref_id("A")


def _number(chart: Chart) -> stat.Panel:
    return (
        stat.Panel()
        .title(chart.title)
        .description(chart.description)
        .datasource(_SOURCE)
        .unit(chart.unit)
        .thresholds(_thresholds(chart))
        .height(_STAT_HEIGHT)
        .span(_WIDTH // len(_NUMBERS))
        .with_target(_target(chart).instant())
    )


def _thresholds(chart: Chart) -> dashboard.ThresholdsConfig:
    steps = [Threshold(value=None, color="text")]
    if chart.bad is not None:
        steps.append(Threshold(value=chart.bad, color="red"))
    return dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)


def _chart(chart: Chart) -> timeseries.Panel:
    mode = StackingMode.NORMAL if chart.stacked else StackingMode.NONE
    legend = common.VizLegendOptions().display_mode(LegendDisplayMode.LIST)
    return (
        timeseries.Panel()
        .title(chart.title)
        .description(chart.description)
        .datasource(_SOURCE)
        .unit(chart.unit)
        .min(0)
        .fill_opacity(20 if chart.stacked else 0)
        .stacking(common.StackingConfig().mode(mode))
        .legend(legend.placement(LegendPlacement.BOTTOM).show_legend(True))  # noqa: FBT003
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI))
        .height(_HEIGHT)
        .span(_WIDTH // 2)
        .with_target(_target(chart))
    )


def text() -> str:
    """Return the dashboard as JSON, as Grafana imports it."""
    encoded: str = JSONEncoder(sort_keys=True, indent=2).encode(fleet().build())
    return encoded + "\n"


def main() -> None:
    """Write the dashboard."""
    (FOLDER / "syswatch-fleet.json").write_text(text())


if __name__ == "__main__":
    main()
