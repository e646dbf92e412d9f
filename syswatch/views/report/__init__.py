"""The report: one self-contained HTML file, to be mailed and archived."""

from .page import report
from .sections import Provenance

__all__ = ["Provenance", "report"]
