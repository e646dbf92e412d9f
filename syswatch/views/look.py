"""The style sheet that the live pages and the report share."""

from functools import cache
from importlib.resources import files

from syswatch.model.catalog import Category

from .alerts import Severity


@cache
def look() -> str:
    """Return the style sheet, with the colours of categories and severities."""
    colours = [
        f".{each.css_class} {{ --c: light-dark({each.light}, {each.dark}); }}" for each in Category
    ]
    signs = [
        f".{each.label} :is(.sign, .word) {{ color: var(--{each.style}); }}" for each in Severity
    ]
    style = files("syswatch.views").joinpath("look.css").read_text("utf-8")
    return "\n".join((style, *colours, *signs, ""))
