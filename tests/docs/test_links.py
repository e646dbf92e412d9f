"""Tests of the links, files and modules that README, CONTRIBUTING and the pages name."""

import pkgutil
import re

from twisted.python.reflect import ModuleNotFound, ObjectNotFound, namedAny
from twisted.trial.unittest import SynchronousTestCase

import syswatch
from tests.docs.pages import CHECKOUT, DOCS

_MARKDOWN_LINK = re.compile(r"\]\(((?!https?:)[^)#]+)\)")
_HTML_LINK = re.compile(r'(?:src|srcset|href)="((?!https?:)[^"]+)"')
_NAMED_FILE = re.compile(
    r"`((?:bench|deploy|docs|examples|syswatch|tests)/[\w./-]+|CONTRIBUTING\.md|pyproject\.toml)"
)
_PACKAGES = "|".join(module.name for module in pkgutil.iter_modules(syswatch.__path__))
_DOTTED_NAME = re.compile(rf"\b(?:syswatch\.(?:{_PACKAGES})|tests)(?:\.\w+)+")


def exists(name: str) -> bool:
    """Return whether a dotted name is that of a module, or of something in one."""
    try:
        namedAny(name)
    except (AttributeError, ModuleNotFound, ObjectNotFound):
        return False
    return True


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

    def test_screenshots(self) -> None:
        """Each screenshot is shown by a page."""
        pages = "".join(page.read_text("utf-8") for page in sorted(DOCS.glob("*.rst")))
        names = {picture.name for picture in (DOCS / "screenshots").iterdir()}

        self.assertEqual(
            names, set(re.findall(r"^ *\.\. image:: screenshots/(\S+)$", pages, re.MULTILINE))
        )

    def test_modules(self) -> None:
        """Modules, functions and classes that a page names exist."""
        files = [*sorted(DOCS.glob("*.rst")), CHECKOUT / "CONTRIBUTING.md"]
        text = "".join(file.read_text("utf-8") for file in files)
        names = set(_DOTTED_NAME.findall(text))

        self.assertGreater(len(names), 5)
        self.assertEqual(set(), {name for name in names if not exists(name)})
