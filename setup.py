"""
Adapt README.md for package indexes; everything else is in pyproject.toml.

An index cannot resolve relative links, so pictures are left out, and links to files of the
repository are replaced by the paths of these files, which the sdist has as well.
"""

import re
from pathlib import Path

from setuptools import setup

_PICTURE = re.compile(r"<picture>.*?</picture>\n*", re.DOTALL)
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)")


def long_description() -> str:
    """Return README.md without pictures and without relative links."""
    readme = Path(__file__).with_name("README.md").read_text("utf-8")
    return _RELATIVE_LINK.sub(r"\1 (`\2`)", _PICTURE.sub("", readme))


setup(long_description=long_description(), long_description_content_type="text/markdown")
