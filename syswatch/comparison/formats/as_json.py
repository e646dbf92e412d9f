"""JSON: one object with everything."""

import msgspec

from syswatch.comparison.change import Comparison

from .document import document
from .presentation import Presentation


def write(comparison: Comparison, _how: Presentation) -> str:
    """Return the document on one line."""
    return msgspec.json.encode(document(comparison)).decode() + "\n"
