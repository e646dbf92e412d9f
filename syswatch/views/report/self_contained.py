"""Pages of one file: they load nothing, and their security policy permits only their own script."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files as resources

from syswatch.views.look import look

from .markup import Markup


def self_contained(title: str, body: Markup, *, more_style: str = "") -> str:
    """Return a whole page in the style of the report, whose tables can be sorted."""
    style = look() + _resource("report.css") + more_style
    script = _resource("sort.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · syswatch</title><style>{style}</style></head>"
        f"<body>{body}<script>{script}</script></body></html>\n"
    )


def _resource(name: str) -> str:
    return resources("syswatch.views.report").joinpath(name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
