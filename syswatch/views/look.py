"""The style sheet that the live pages and the report share."""

from functools import cache
from importlib.resources import files

from syswatch.model.catalog import Category

from .alerts import Severity
from .budget.states import TimeState
from .budget.wait_groups import WaitGroup


def state_class(state: TimeState) -> str:
    """Return the CSS class of a state, which sets its colour."""
    return f"state-{state.value}"


@cache
def look() -> str:
    """Return the style sheet, with the colours of categories, states and severities."""
    colours = [
        f".{each.css_class} {{ --c: light-dark({each.light}, {each.dark}); }}" for each in Category
    ]
    colours += [
        f".{state_class(each)} {{ --c: light-dark({each.light}, {each.dark}); }}"
        for each in TimeState
    ]
    colours += [
        f".{each.css_class} {{ --c: light-dark({each.light}, {each.dark}); }}" for each in WaitGroup
    ]
    signs = [
        f".{each.label} :is(.sign, .word) {{ color: var(--{each.style}); }}" for each in Severity
    ]
    style = files("syswatch.views").joinpath("look.css").read_text("utf-8")
    return "\n".join((style, *colours, *signs, ""))
