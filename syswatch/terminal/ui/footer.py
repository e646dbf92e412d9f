"""The last line: keys, the filter that is set, or what has just happened."""

from .keys import FILTER_FOOTER, FOOTER, REPLAY_FOOTER
from .styled_text import Line, align_left, cell_width, join_lines, that_fit

_MAX_FILTER_CELLS = 20


def line(  # noqa: PLR0913  each is something else that can be shown
    width: int,
    *,
    notification: str,
    filtered_by: str,
    is_filtering: bool,
    has_ended: bool,
    is_replay: bool,
) -> Line:
    """Return a notification, the keys of the filter, or what the keys of the main screen do."""
    if notification:
        return [(notification, "bar")]
    if is_filtering:
        return join_lines(map(_hint, FILTER_FOOTER))
    status = ""
    if filtered_by:
        shown = align_left(filtered_by, _MAX_FILTER_CELLS).rstrip()
        status = f"filter: {shown} (esc clears)  "
    elif has_ended and not is_replay:
        status = "ended  "
    *first, last = map(_hint, REPLAY_FOOTER if is_replay else FOOTER)
    free = width - cell_width([(status, ""), ("  ", ""), *last])
    return [(status, "bar"), *join_lines([*that_fit(first, free), last])]


def _hint(hint: tuple[str, str]) -> Line:
    key, text = hint
    return [(key, "key"), (f" {text}", "bar")]
