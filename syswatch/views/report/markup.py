"""HTML: all text is escaped unless it is `Markup`."""

from collections.abc import Iterable
from html import escape


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


Content = str | Iterable[str]


def tag(name: str, content: Content = "", /, **attributes: str | None) -> Markup:
    """Return an element; a trailing underscore in an attribute's name is removed."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{text(content)}</{name}>")


def text(content: Content) -> Markup:
    """Return the HTML of one text or of several."""
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return Markup(escape(content))
    return Markup("".join(text(each) for each in content))


def quantity(amount: str, exact: str | None = None) -> Markup:
    """Return a number with its unit dimmed, and the exact value as a tooltip."""
    value, _, unit = amount.partition(" ")
    shown = text((value, tag("i", f"\u202f{unit}", class_="unit")) if unit else value)
    return shown if exact is None else tag("span", shown, title=exact)


def drawing(paths: Iterable[str], width: int, height: int, label: str) -> Markup:
    """Return a drawing that is stretched to the width of the page."""
    return tag(
        "svg",
        paths,
        viewBox=f"0 0 {width} {height}",
        height=str(height),
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )


def axis(labels: Iterable[str]) -> Markup:
    """Return the labels below a drawing, evenly spaced."""
    return tag("p", [tag("span", label) for label in labels], class_="axis")
