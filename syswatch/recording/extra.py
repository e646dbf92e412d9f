"""What recordings need: packages that are installed by an extra, and a directory to write to."""

import importlib
from importlib.util import find_spec
from types import ModuleType

_FOR_CALLS = ("numpy", "pyarrow")
_INSTALL = "pip install 'syswatch[record]'"


class UnwritableError(Exception):
    """A recording cannot be made; the message is one sentence for the user."""


class MissingPackageError(Exception):
    """A package of the extra is not installed; the message is one sentence for the user."""


def sentence_about(package: str) -> str:
    """Return what to do about a package that is missing."""
    return f"recordings need the package {package}: {_INSTALL}"


def missing_package() -> str:
    """Return what to do about a package that calls need and that is not installed."""
    missing = (sentence_about(each) for each in _FOR_CALLS if find_spec(each) is None)
    return next(missing, "")


def load(name: str) -> ModuleType:
    """Import a package of the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(sentence_about(name.partition(".")[0])) from error
