"""A check of the language of the documentation."""

import re

from twisted.trial.unittest import SynchronousTestCase

from tests.docs.pages import CHECKOUT, DOCS
from tests.test_language import WORDS

# Literals, and options with a value such as "--user www-data".
_LITERAL = re.compile(r"`[^`]*`|--\w+[ =]\w+")
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


class PageTests(SynchronousTestCase):
    """The pages, and what is written for contributors and users beside them."""

    def test_words(self) -> None:
        """No page has a word of the list."""
        files = [
            *sorted(DOCS.glob("*.rst")),
            *sorted(CHECKOUT.glob("*.md")),
            *sorted((CHECKOUT / "newsfragments").glob("*.md")),
        ]
        found = [
            f"{file.name}: {line}"
            for file in files
            for line in file.read_text("utf-8").splitlines()
            if _WORD.search(_LITERAL.sub("", line))
        ]
        self.assertGreater(len(files), 20)
        self.assertEqual([], found)
