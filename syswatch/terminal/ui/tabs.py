"""The tabs: lists of the main screen, and pages that open over it."""

from collections.abc import Sequence

from syswatch.base.classes import frozen

from .styled_text import Line, Span, align_left, cell_width, join_lines, that_fit


@frozen
class Tab:
    """One tab, with its key; `letter` is a second key that is easier to remember."""

    key: str
    name: str
    title: str
    meaning: str
    letter: str = ""


TABS = (
    Tab("1", "calls", "Calls", "system calls"),
    Tab("2", "objects", "Objects", "files, peers, locks and whatever else calls act on"),
    Tab("3", "threads", "Threads", "what each thread is doing now, and what it waits for"),
    Tab("4", "slowest", "Slowest", "slowest calls"),
    Tab("5", "processes", "Processes", "process tree", "p"),
    Tab("6", "log", "Log", "most recent calls, as strace prints them", "l"),
    Tab("7", "files", "Files", "most opened files", "f"),
    Tab("8", "output", "Output", "output of the command", "o"),
    Tab("9", "groups", "Groups", "containers and other groups of processes (--by)"),
)
BY_NAME = {tab.name: tab for tab in TABS}


def useful_tabs(*, has_groups: bool) -> Sequence[Tab]:
    """Return the tabs that can have data: groups are of running processes, output of a command."""
    return [tab for tab in TABS if tab.name != ("output" if has_groups else "groups")]


def tab_line(current: str, scope: str, width: int, *, has_groups: bool = False) -> Line:
    """Return the tabs, the current one highlighted, and the part of the trace that they cover."""
    tabs = useful_tabs(has_groups=has_groups or current == "groups")
    end: list[Span] = []
    if scope:
        scope = align_left(scope, min(cell_width([(scope, "")]), width // 2))
        end = [("  of ", "bar"), (scope, "heading"), ("  esc", "key"), (" back", "bar")]
    free = width - cell_width(end)
    return [*join_lines(that_fit((_tab(tab, current) for tab in tabs), free, ""), ""), *end]


def _tab(tab: Tab, current: str) -> Line:
    if tab.name == current:
        return [(f" {tab.key} {tab.title} ", "selected")]
    return [(f" {tab.key}", "key"), (f" {tab.title}", "bar")]
