"""The help: every key, tab, column and sign."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.views.alerts import Severity
from syswatch.views.budget.scope import state_texts
from syswatch.views.budget.states import TimeState

from .budget_bar import state_style
from .keys import ACTIONS, REPLAY_HELP, SORTS, key_label
from .lists import LISTS
from .styled_text import Line, align_left, wrap
from .tabs import BY_NAME, TABS

_MOVES = (
    ("↑ ↓ j k", "move or scroll by a line"),
    ("PgUp PgDn", "move or scroll by a page"),
    ("Home End", "go to the first or last line"),
    ("← →", "scroll a page sideways"),
)
_MORE_SIGNS = "not exact: events were lost, ~ estimated, + a wait that is still in progress"


def help_page(snapshot: Snapshot, width: int, *, is_replay: bool = False) -> list[Line]:
    """Return every key, every tab and every column, with the titles that they have in a trace."""
    return [
        *_keys(is_replay=is_replay),
        [],
        [("Mouse", "title")],
        [("  Click a title to sort, a row to select it; double-click a row to open it.", "")],
        [],
        *_states(snapshot, width),
        *_columns(snapshot),
        [("  A wider terminal shows more columns. – means none.", "dim")],
        [],
        *_signs(width),
    ]


def _keys(*, is_replay: bool) -> Iterator[Line]:
    if is_replay:
        yield [("Recording", "title")]
        yield from (_entry(key, text, "live") for key, text in REPLAY_HELP)
        yield []
    yield [("Keys", "title")]
    hidden = {"space"} if is_replay else set()
    actions = [(key_label(key), text) for key, _, text in ACTIONS if key not in hidden]
    yield from (_entry(key, text, "live") for key, text in (*_MOVES, *actions))
    yield []
    yield [("Tabs", "title")]
    yield from (
        _entry(f"{tab.key} {tab.letter}", f"{tab.title}: {tab.meaning}", "live") for tab in TABS
    )
    yield []
    yield [("Sort keys", "title"), (" (press again to reverse)", "dim")]
    yield from (_entry(key, _sorted_by(column), "live") for key, column in SORTS.items())


def _sorted_by(name: str) -> str:
    titles = {
        column.title
        for listing in LISTS.values()
        for column in listing.columns
        if column.name == name
    }
    return f"sort by {' or '.join(sorted(titles))}"


def _states(snapshot: Snapshot, width: int) -> Iterator[Line]:
    texts = {state: state_texts(snapshot, state) for state in TimeState}
    name_cells = max(len(each.label) for each in texts.values()) + 1
    indent = name_cells + 4
    yield [("Time", "title")]
    for state, each in texts.items():
        first, *others = wrap(each.description, width - indent - 2)
        yield [
            (f"  {state.letter} {align_left(each.label, name_cells)}", state_style(state)),
            *first,
        ]
        yield from ([(" " * indent, ""), *line] for line in others)
    yield []


def _columns(snapshot: Snapshot) -> Iterator[Line]:
    for listing in LISTS.values():
        yield [(f"Columns of {BY_NAME[listing.name].title}", "title")]
        for column in listing.columns_of(snapshot):
            if column.title:
                yield _entry(column.title, column.meaning, "heading")
        yield []


def _signs(width: int) -> Iterator[Line]:
    signs = ", ".join(f"{severity.sign} {severity.meaning}" for severity in Severity)
    yield [("Signs", "title")]
    yield from ([("  ", ""), *line] for line in wrap(f"{signs}, {_MORE_SIGNS}", width - 3))


def _entry(name: str, text: str, style: str) -> Line:
    return [("  " + align_left(name, 11), style), (text, "")]
