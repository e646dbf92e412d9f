"""
Adapt README.md for package indexes, and compile modules; everything else is in pyproject.toml.

An index cannot resolve relative links, so pictures are left out, and links to files of the
repository are replaced by the paths of these files, which the sdist has as well.

The modules are described here because setuptools still warns of the table for them in
pyproject.toml.
"""

import re
from pathlib import Path

from setuptools import Extension, setup

_PICTURE = re.compile(r"<picture>.*?</picture>\n*", re.DOTALL)
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)]+)\)")


def long_description() -> str:
    """Return README.md without pictures and without relative links."""
    readme = Path(__file__).with_name("README.md").read_text("utf-8")
    return _RELATIVE_LINK.sub(r"\1 (`\2`)", _PICTURE.sub("", readme))


# Without a compiler they are left out, and the Python code that they speed up does everything.
COMPILED = [
    "syswatch/tracer/duration_sums.c",
    "syswatch/tracer/ptrace/ordinary_stops.c",
    "syswatch/tracer/stracelog/compiled_loops.c",
    "syswatch/tracer/stracelog/compiled_sums.c",
    "syswatch/tracer/stracelog/plain_rows.c",
]


def extension(source: str) -> Extension:
    """Return what setuptools needs to know of a compiled module."""
    return Extension(
        source.removesuffix(".c").replace("/", "."),
        [source],
        # It is compiled anew if one of them has changed.
        depends=[str(header) for header in Path("syswatch/tracer").glob("**/*.h")],
        extra_compile_args=["-std=gnu11", "-O2", "-g0", "-Wall", "-Wextra"],
        optional=True,
        py_limited_api=True,
    )


setup(
    long_description=long_description(),
    long_description_content_type="text/markdown",
    ext_modules=[extension(source) for source in COMPILED],
    # One binary of each serves this version of Python and all later ones.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
