"""The report: one HTML file that needs nothing else, to be mailed and kept."""

from .made import Made
from .page import report

__all__ = ["Made", "report"]
