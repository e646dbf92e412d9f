"""Tests of the parts of the documentation that are rendered from registries."""

from twisted.trial.unittest import SynchronousTestCase

from tests.docs.pages import DOCS
from tests.docs.rendered import RENDERED, file_of

_AGAIN = "run: python -m tests.docs.rendered"


class RenderedTests(SynchronousTestCase):
    """The files in docs/rendered."""

    def test_up_to_date(self) -> None:
        """Each file is what its registry renders."""
        for name in RENDERED:
            text = (DOCS / "rendered" / f"{name}.rst").read_text("utf-8")
            self.assertEqual(file_of(name), text, f"docs/rendered/{name}.rst: {_AGAIN}")

    def test_included(self) -> None:
        """Each file is included by a page."""
        pages = "".join(page.read_text("utf-8") for page in sorted(DOCS.glob("*.rst")))
        for name in RENDERED:
            self.assertIn(f".. include:: rendered/{name}.rst\n", pages)
