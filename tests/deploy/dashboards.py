"""
The Grafana dashboards of deploy/grafana: of all agents, and of one.

    python -m tests.deploy.dashboards
"""

from collections.abc import Mapping

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from tests.deploy.charts import Board, Chart, Variable
from tests.deploy.queries import quantile, rate, seconds, times, top
from tests.system.servers import ROOT

FOLDER = ROOT / "deploy" / "grafana"
_CALLS = "syswatch_syscall_calls_total"
_ERRORS = "syswatch_syscall_errors_total"
# A short name of the agent; the job may have given it a better one.
_FLEET = 'job=~"$job", instance=~"$instance"'
_CALL = f'{_FLEET}, syscall=~"$syscall"'
_ONE = 'job="$job", instance="$instance"'
_CALL_OF_ONE = f'{_ONE}, syscall=~"$syscall"'
_GROUP_OF_ONE = f'{_ONE}, group=~"$group"'


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
FLEET = Board(
    "syswatch-fleet",
    "System calls",
    "Every agent of syswatch, or those chosen above.",
    (
        Variable("job", "Job", "label_values(syswatch_build_info, job)"),
        Variable("instance", "Agent", 'label_values(syswatch_build_info{job=~"$job"}, instance)'),
        Variable("syscall", "System call", f"label_values({_CALLS}{{{_FLEET}}}, syscall)"),
    ),
    _NUMBERS,
    {
        "Agents": _AGENTS,
        "Where the time goes": times(_FLEET),
        "System calls": _BY_CALL,
        "What it costs": _COST,
    },
)
_NUMBERS_OF_ONE = (
    Chart("Calls per second", f"syswatch_syscalls_per_second{{{_ONE}}}", "calls"),
    Chart(
        "Calls that fail",
        f"{rate(_ERRORS, _ONE, 'instance')} / {rate(_CALLS, _ONE, 'instance')}",
        "errors",
        "percentunit",
    ),
    Chart("Threads blocked", f'syswatch_threads{{{_ONE}, state="blocked"}}', "threads"),
    Chart("Longest block", f"syswatch_longest_blocked_seconds{{{_ONE}}}", "longest", "s", bad=30),
    Chart(
        "Gaps",
        f"1 - syswatch_exact{{{_ONE}}}",
        "gaps",
        description="1 if something was lost or cut; the ledger below says what.",
        bad=1,
    ),
    Chart("Ended", f"syswatch_target_done{{{_ONE}}}", "ended", bad=1),
)
_CALLS_OF_ONE = (
    Chart("Calls", top(10, rate(_CALLS, _CALL_OF_ONE, "syscall")), "{{syscall}}", "ops"),
    Chart(
        "Time in calls",
        top(10, seconds(_CALL_OF_ONE, "syscall")),
        "{{syscall}}",
        description="Threads in this call, on average.",
        stacked=True,
    ),
    Chart("Errors", top(10, rate(_ERRORS, _CALL_OF_ONE, "syscall")), "{{syscall}}", "ops"),
    Chart(
        "Share of calls that fail",
        f"({rate(_ERRORS, _CALL_OF_ONE, 'syscall')} / {rate(_CALLS, _CALL_OF_ONE, 'syscall')}) > 0",
        "{{syscall}}",
        "percentunit",
    ),
    *(
        Chart(title, top(10, quantile(share, _CALL_OF_ONE, "syscall")), "{{syscall}}", "s")
        for title, share in (
            ("Half are faster", 0.5),
            ("90 % are faster", 0.9),
            ("99 % are faster", 0.99),
            ("99.9 % are faster", 0.999),
        )
    ),
)
_GROUPS_OF_ONE = tuple(
    Chart(
        title,
        top(10, rate(f"syswatch_group_{name}_total", _GROUP_OF_ONE, "group")),
        "{{group}}",
        unit,
        "Only with --by.",
    )
    for title, name, unit in (
        ("Calls, by group", "calls", "ops"),
        ("Errors, by group", "errors", "ops"),
        ("Time in calls, by group", "time_seconds", "short"),
        ("Waiting, by group", "waiting_seconds", "short"),
    )
)
_NOW = (
    Chart("Threads", f"syswatch_threads{{{_ONE}}}", "{{state}}", stacked=True),
    Chart("Objects, by kind", f"syswatch_objects{{{_ONE}}}", "{{kind}}", stacked=True),
)
_COST_OF_ONE = (
    Chart(
        "CPU of the server",
        rate("process_cpu_seconds_total", _ONE, "instance"),
        "CPU",
        "percentunit",
        "Without the tracer, which is a process of its own.",
    ),
    Chart("Memory of the server", f"process_resident_memory_bytes{{{_ONE}}}", "memory", "bytes"),
    Chart(
        "Calls counted but not delivered",
        f"syswatch_tracer_backlog{{{_ONE}}}",
        "calls",
        description="It rises if the agent has too little CPU.",
    ),
    Chart(
        "Entries of the ledger",
        rate("syswatch_ledger_total", _ONE, "entry") + " > 0",
        "{{entry}}",
        description="What made numbers less than exact.",
    ),
    Chart("Clients of the stream", f"syswatch_ws_clients{{{_ONE}}}", "clients"),
    Chart(
        "Clients dropped",
        rate("syswatch_ws_dropped_clients_total", _ONE, "instance"),
        "clients",
        "ops",
        "They read too slowly.",
    ),
)
AGENT = Board(
    "syswatch-agent",
    "System calls of one agent",
    "The agent of syswatch that is chosen above, in depth.",
    (
        Variable("job", "Job", "label_values(syswatch_build_info, job)", several=False),
        Variable(
            "instance",
            "Agent",
            'label_values(syswatch_build_info{job="$job"}, instance)',
            several=False,
        ),
        Variable("syscall", "System call", f"label_values({_CALLS}{{{_ONE}}}, syscall)"),
        Variable("group", "Group", f"label_values(syswatch_group_calls_total{{{_ONE}}}, group)"),
    ),
    _NUMBERS_OF_ONE,
    {
        "Where the time goes": times(_ONE),
        "System calls": _CALLS_OF_ONE,
        "Groups": _GROUPS_OF_ONE,
        "Now": _NOW,
        "The agent itself": _COST_OF_ONE,
    },
)


def texts() -> Mapping[str, str]:
    """Return the dashboards by file, as JSON that Grafana imports."""
    encoder = JSONEncoder(sort_keys=True, indent=2)
    return {
        f"{board.uid}.json": f"{encoder.encode(board.builder().build())}\n"
        for board in (FLEET, AGENT)
    }


def main() -> None:
    """Write the dashboards."""
    for name, text in texts().items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
