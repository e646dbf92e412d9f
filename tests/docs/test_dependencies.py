"""Tests of the pages about dependencies and development."""

import re
import tomllib

from twisted.trial.unittest import SynchronousTestCase

from tests.docs.pages import CHECKOUT, page

_NAME = re.compile(r"[\w.-]+")


class DependencyTests(SynchronousTestCase):
    """The packages of pyproject.toml."""

    def test_complete(self) -> None:
        """The page names every dependency, and nothing else."""
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))
        groups = project["dependency-groups"].values()
        extras = project["project"]["optional-dependencies"].values()
        required = [
            *project["project"]["dependencies"],
            *(each for extra in extras for each in extra),
            *(each for group in groups for each in group if isinstance(each, str)),
        ]
        names = {match[0].lower() for each in required if (match := _NAME.match(each))}
        documented = {name.lower() for name in re.findall(r"`([\w.-]+) <", page("dependencies"))}

        self.assertEqual(names, documented)


class ToxTests(SynchronousTestCase):
    """The environments of tox."""

    def test_complete(self) -> None:
        """The pages for contributors name every environment."""
        text = (CHECKOUT / "tox.ini").read_text("utf-8")
        names = set(re.findall(r"^\[testenv:([\w-]+)", text, re.MULTILINE))
        pages = page("development") + (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")

        self.assertGreater(len(names), 8)
        self.assertEqual(
            set(), {name for name in names if not re.search(rf"`(tox -e )?{name}\b", pages)}
        )
