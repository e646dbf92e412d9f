"""The packages that recordings need, which are installed by an extra."""

import importlib
from types import ModuleType

_INSTALL = "pip install 'syswatch[record]'"


class MissingPackageError(Exception):
    """A package of the extra is not installed; the message is one sentence for the user."""


def sentence_about(package: str) -> str:
    """Return what to do about a package that is missing."""
    return f"recordings need the package {package}: {_INSTALL}"


def load(name: str) -> ModuleType:
    """Import a package of the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackageError(sentence_about(name.partition(".")[0])) from error
