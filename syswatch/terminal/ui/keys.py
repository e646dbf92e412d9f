"""Every key: what it does, and its text in the help and the footer."""

from collections.abc import Sequence

from textual.binding import Binding, BindingType

from .tabs import TABS

_MOVE_KEYS = {"up": "up,k", "down": "down,j", "page_up": "pageup", "page_down": "pagedown"}
MOVES: tuple[BindingType, ...] = tuple(
    Binding(keys, f"move('{name}')", show=False)
    for name, keys in {**_MOVE_KEYS, "home": "home", "end": "end"}.items()
)
# The columns that have a key, in every list that has such a column.
SORTS = {
    "u": "busy",
    "i": "waiting",
    "c": "calls",
    "t": "total",
    "a": "average",
    "x": "max",
    "e": "errors",
    "b": "bytes",
    "n": "name",
    "g": "category",
}
# Key, action, text.
ACTIONS = (
    ("enter", "open", "calls of the selected row, or its details"),
    ("d", "details", "details of the selected row"),
    ("tab", "next_tab(1)", "next list; Shift+Tab goes back"),
    ("w", "alerts", "all alerts and notes, in full"),
    ("v", "columns", "choose columns"),
    ("slash", "filter", "filter by part of a name, or by category (such as NET)"),
    ("escape", "go_back", "close the page, clear the filter, or go back"),
    ("r", "reverse", "reverse the sort order"),
    ("greater_than_sign", "sort_by_neighbour(1)", "sort by the next column; < by the previous one"),
    ("space", "pause", "pause / resume"),
    ("s", "report", "save an HTML report to the current directory"),
    ("y", "copy", "copy the selected row (needs a terminal with OSC 52)"),
    ("question_mark", "help", "this help"),
    ("q", "ask_quit", "quit; asks before terminating the command"),
    ("ctrl+c", "interrupt", "quit; the first one interrupts the command of `syswatch run`"),
)
# Only if a recording is shown.
REPLAY_ACTIONS = (
    ("left", "replay('earlier')"),
    ("right", "replay('later')"),
    ("shift+left", "replay('previous')"),
    ("shift+right", "replay('next')"),
    ("plus", "replay('shorter')"),
    ("minus", "replay('longer')"),
    ("left_square_bracket", "replay('slower')"),
    ("right_square_bracket", "replay('faster')"),
    ("0", "replay('all')"),
)
REPLAY_HELP = (
    ("space", "play / pause: show one range of the recording after the other"),
    ("← →", "earlier / later by a tenth of the range; with Shift by all of it"),
    ("+ -", "a range of half or twice the length"),
    ("0", "the whole recording"),
    ("[ ]", "play slower / faster"),
)


def tab_bindings() -> Sequence[BindingType]:
    """Return the keys of the tabs."""
    return [
        Binding(",".join(filter(None, (tab.key, tab.letter))), f"tab('{tab.name}')", show=False)
        for tab in TABS
    ]


BINDINGS: list[BindingType] = [
    *MOVES,
    *tab_bindings(),
    # Textual binds it to quit without a question.
    Binding("ctrl+q", "ask_quit", show=False, priority=True),
    Binding("shift+tab", "next_tab(-1)", show=False, priority=True),
    Binding("less_than_sign", "sort_by_neighbour(-1)", show=False),
    *(Binding(key, f"sort('{column}')", show=False) for key, column in SORTS.items()),
    *(Binding(key, action, show=False) for key, action in REPLAY_ACTIONS),
    *(
        Binding(key, action, text, show=False, priority=key in ("ctrl+c", "tab"))
        for key, action, text in ACTIONS
    ),
]
# In the order of importance: a narrow terminal shows the first ones, and always the last.
FOOTER = (
    ("?", "help"),
    ("/", "filter"),
    ("↵", "open"),
    ("d", "details"),
    ("< >", "sort"),
    ("s", "report"),
    ("w", "alerts"),
    ("space", "pause"),
    ("v", "columns"),
    ("y", "copy"),
    ("q", "quit"),
)
REPLAY_FOOTER = (
    ("?", "help"),
    ("space", "play"),
    ("← →", "move"),
    ("+ -", "range"),
    ("0", "all"),
    *FOOTER[1:5],
    FOOTER[-1],
)
FILTER_FOOTER = (("↵", "keep the filter"), ("esc", "clear it"))
_KEY_LABELS = {
    "slash": "/",
    "question_mark": "?",
    "ctrl+c": "Ctrl+C",
    "greater_than_sign": ">",
}


def key_label(key: str) -> str:
    """Return the label of a key as on a keyboard."""
    return _KEY_LABELS.get(key, key.capitalize() if len(key) > 1 else key)
