"""Every key, once: what it does, and how the help explains it."""

from textual.binding import Binding, BindingType

MOVES: tuple[BindingType, ...] = tuple(
    Binding(keys, f"move('{name}')", show=False)
    for keys, name in (
        ("up,k", "up"),
        ("down,j", "down"),
        ("pageup", "page_up"),
        ("pagedown", "page_down"),
        ("home", "home"),
        ("end", "end"),
    )
)
SORTS = (
    ("c", "calls", "by calls"),
    ("t", "total", "by total time"),
    ("a", "average", "by average time"),
    ("x", "max", "by the slowest call"),
    ("e", "errors", "by errors"),
    ("n", "name", "by name"),
    ("g", "category", "by category"),
)
# Key, action, words; those in FOOT are shown below the table, too.
ACTIONS = (
    ("enter,d", "detail", "everything about the call under the cursor"),
    ("f", "files", "the most opened files"),
    ("l", "log", "the newest calls, live"),
    ("p", "processes", "the tree of processes"),
    ("o", "output", "what the command itself has written"),
    ("w", "alerts", "everything that stands out, in full"),
    ("v", "columns", "choose which columns are shown"),
    ("slash", "filter", "show only calls whose name has a text in it, or of one category"),
    ("escape", "unfilter", "close a page, or take the filter away"),
    ("r", "turn", "sort the other way round"),
    ("space", "freeze", "hold the picture still, or let it go on"),
    ("s", "report", "save a report (HTML) into this directory"),
    ("y", "copy", "copy the row under the cursor (OSC 52)"),
    ("question_mark", "help", "this page"),
    ("q", "leave", "quit; asks first if the command would die of it"),
    ("ctrl+c", "interrupt", "interrupt the command; once more leaves"),
)
BINDINGS: list[BindingType] = [
    *MOVES,
    # Textual's own key for it knows nothing of a command.
    Binding("ctrl+q", "leave", show=False, priority=True),
    *(Binding(key, f"sort('{name}')", words, show=False) for key, name, words in SORTS),
    *(
        Binding(key, action, words, show=False, priority=key == "ctrl+c")
        for key, action, words in ACTIONS
    ),
]
FOOT = (
    ("?", "help"),
    ("/", "filter"),
    ("↵", "detail"),
    ("f", "files"),
    ("l", "log"),
    ("p", "tree"),
    ("o", "output"),
    ("s", "report"),
    ("q", "quit"),
)
_SPELLED = {"slash": "/", "question_mark": "?", "enter,d": "Enter d", "ctrl+c": "Ctrl+C"}


def spelled(key: str) -> str:
    """Return a key as it is written on a keyboard."""
    return _SPELLED.get(key, key.capitalize() if len(key) > 1 else key)
