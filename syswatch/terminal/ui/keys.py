"""Every key: what it does, and its text in the help and the footer."""

from textual.binding import Binding, BindingType

_MOVE_KEYS = {"up": "up,k", "down": "down,j", "page_up": "pageup", "page_down": "pagedown"}
MOVES: tuple[BindingType, ...] = tuple(
    Binding(keys, f"move('{name}')", show=False)
    for name, keys in {**_MOVE_KEYS, "home": "home", "end": "end"}.items()
)
# The columns that have a key.
SORTS = {
    "c": "calls",
    "t": "total",
    "a": "average",
    "x": "max",
    "e": "errors",
    "n": "name",
    "g": "category",
}
# Key, action, text.
ACTIONS = (
    ("enter,d", "details", "details of the selected system call"),
    ("f", "files", "most opened files"),
    ("l", "log", "most recent calls, as strace prints them"),
    ("p", "processes", "process tree"),
    ("o", "output", "output of the command"),
    ("w", "alerts", "all alerts and notes, in full"),
    ("v", "columns", "choose columns"),
    ("slash", "filter", "filter by part of a name, or by category (such as NET)"),
    ("escape", "clear_filter", "close the page, or clear the filter"),
    ("r", "reverse", "reverse the sort order"),
    ("space", "pause", "pause / resume"),
    ("s", "report", "save an HTML report to the current directory"),
    ("y", "copy", "copy the selected row (needs a terminal with OSC 52)"),
    ("question_mark", "help", "this help"),
    ("q", "ask_quit", "quit; asks before terminating the command"),
    ("ctrl+c", "interrupt", "quit; the first one interrupts the command of `syswatch run`"),
)
BINDINGS: list[BindingType] = [
    *MOVES,
    # Textual binds it to quit without a question.
    Binding("ctrl+q", "ask_quit", show=False, priority=True),
    *(Binding(key, f"sort('{column}')", show=False) for key, column in SORTS.items()),
    *(
        Binding(key, action, text, show=False, priority=key == "ctrl+c")
        for key, action, text in ACTIONS
    ),
]
# In the order of importance: a narrow terminal shows the first ones, and always the last.
FOOTER = (
    ("?", "help"),
    ("/", "filter"),
    ("↵", "details"),
    ("f", "files"),
    ("l", "log"),
    ("p", "procs"),
    ("o", "output"),
    ("s", "report"),
    ("space", "pause"),
    ("w", "alerts"),
    ("c t a e", "sort"),
    ("v", "columns"),
    ("q", "quit"),
)
FILTER_FOOTER = (("↵", "keep the filter"), ("esc", "clear it"))
_KEY_LABELS = {"slash": "/", "question_mark": "?", "enter,d": "Enter d", "ctrl+c": "Ctrl+C"}


def key_label(key: str) -> str:
    """Return the label of a key as on a keyboard."""
    return _KEY_LABELS.get(key, key.capitalize() if len(key) > 1 else key)
