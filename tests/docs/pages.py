"""The pages of the documentation and of the repository."""

from pathlib import Path

# The folder of a test run links to the checkout, which has all files.
CHECKOUT = Path(__file__).resolve().parents[2]
DOCS = CHECKOUT / "docs"


def page(name: str) -> str:
    """Return the source of a page."""
    return (DOCS / f"{name}.rst").read_text("utf-8")
