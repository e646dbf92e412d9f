"""Tests of the links in README and CONTRIBUTING, and of the files that pages name."""

import re

from twisted.trial.unittest import SynchronousTestCase

from tests.docs.pages import CHECKOUT, DOCS

_MARKDOWN_LINK = re.compile(r"\]\(((?!https?:)[^)#]+)\)")
_HTML_LINK = re.compile(r'(?:src|srcset|href)="((?!https?:)[^"]+)"')
_NAMED_FILE = re.compile(
    r"`((?:bench|deploy|docs|examples|syswatch|tests)/[\w./-]+|CONTRIBUTING\.md|pyproject\.toml)"
)


class LinkTests(SynchronousTestCase):
    """Files that other files refer to."""

    def test_readme(self) -> None:
        """Relative links and pictures in Markdown files lead to files."""
        found = 0
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            text = (CHECKOUT / name).read_text("utf-8")
            for target in (*_MARKDOWN_LINK.findall(text), *_HTML_LINK.findall(text)):
                self.assertTrue((CHECKOUT / target).exists(), f"{name}: {target}")
                found += 1
        self.assertGreater(found, 10)

    def test_pages(self) -> None:
        """Files and directories that a page names exist."""
        missing = [
            f"{file.name}: {target}"
            for file in sorted(DOCS.glob("*.rst"))
            for target in _NAMED_FILE.findall(file.read_text("utf-8"))
            if not (CHECKOUT / target).exists()
        ]
        self.assertEqual([], missing)
