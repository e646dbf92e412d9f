"""Finding the budget: the nearest file upward, as other tools find theirs."""

import os
from collections.abc import Mapping
from pathlib import Path

from syswatch.base.toml import TomlError, parsed

from .places import BUDGET, PYPROJECT, TABLE


def nearest_budget(folder: Path) -> Path | None:
    """Return the budget of a directory or else of the nearest one above it, if there is any."""
    for each in (folder, *folder.parents):
        # Path.is_file() raises an error where a directory may not be searched.
        if os.path.isfile(each / BUDGET):  # noqa: PTH113
            return each / BUDGET
        if _has_budget(each / PYPROJECT):
            return each / PYPROJECT
    return None


def _has_budget(file: Path) -> bool:
    """Return whether a file has the table, or seems to have it although it is not valid."""
    try:
        content = file.read_bytes()
    except OSError:
        return False  # It may be about anything.
    try:
        document: object = parsed(content.decode())
    except (UnicodeDecodeError, TomlError):
        return ".".join(TABLE).encode() in content
    for key in TABLE:
        if not isinstance(document, Mapping) or key not in document:
            return False
        document = document[key]
    return True
