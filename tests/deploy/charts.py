"""Charts and numbers of Grafana dashboards, made with the Grafana Foundation SDK."""

from collections.abc import Iterator, Mapping, Sequence

import attrs
from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.models.common import (
    LegendDisplayMode,
    LegendPlacement,
    StackingMode,
    TooltipDisplayMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    VariableRefresh,
    VariableSort,
)

_SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
_TAG = "syswatch"
_WIDTH = 24
_HEIGHT = 8
_STAT_HEIGHT = 4


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


@attrs.frozen
class Variable:
    """A choice at the top: one of the values of a query, or several."""

    name: str
    label: str
    query: str
    several: bool = True


@attrs.frozen
class Board:
    """A dashboard: its choices, the numbers at its top, and its rows of charts."""

    uid: str
    title: str
    description: str
    variables: Sequence[Variable]
    numbers: Sequence[Chart]
    rows: Mapping[str, Sequence[Chart]]

    def charts(self) -> Iterator[Chart]:
        """Yield every chart."""
        yield from self.numbers
        for row in self.rows.values():
            yield from row

    def builder(self) -> dashboard.Dashboard:
        """Return what builds the dashboard."""
        made = (
            dashboard.Dashboard(self.title)
            .uid(self.uid)
            .description(self.description)
            .tags([_TAG])
            .link(_others())
            .refresh("30s")
            .time("now-1h", "now")
            .timezone("browser")
            .readonly()
            .tooltip(DashboardCursorSync.CROSSHAIR)
        )
        made = made.with_variable(
            dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus")
        )
        for variable in self.variables:
            made = made.with_variable(_variable(variable))
        for each in self.numbers:
            made = made.with_panel(_number(each, _WIDTH // len(self.numbers)))
        for title, row in self.rows.items():
            made = made.with_row(dashboard.Row(title))
            for each in row:
                made = made.with_panel(_chart(each))
        return made


def _others() -> dashboard.DashboardLink:
    """Return links to the other dashboards, for the same time."""
    links = dashboard.DashboardLink(_TAG).type(DashboardLinkType.DASHBOARDS).tags([_TAG])
    return links.keep_time(True)  # noqa: FBT003  builders take nothing else


def _variable(variable: Variable) -> dashboard.QueryVariable:
    made = (
        dashboard.QueryVariable(variable.name)
        .label(variable.label)
        .datasource(_SOURCE)
        .query(variable.query)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
    )
    if variable.several:
        made = made.multi(True).include_all(True).all_value(".*")  # noqa: FBT003
    return made


def _target(chart: Chart) -> prometheus.Dataquery:
    return prometheus.Dataquery().expr(chart.query).legend_format(chart.legend).ref_id("A")


def _number(chart: Chart, width: int) -> stat.Panel:
    return (
        stat.Panel()
        .title(chart.title)
        .description(chart.description)
        .datasource(_SOURCE)
        .unit(chart.unit)
        .thresholds(_thresholds(chart))
        .height(_STAT_HEIGHT)
        .span(width)
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
