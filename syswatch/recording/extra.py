"""The packages that recordings need, which are installed by an extra."""

import importlib
from types import ModuleType

_INSTALL = "pip install 'syswatch[record]'"


class MissingPackageError(Exception):
    """A package of the extra is not installed; the message is one sentence for the user."""


def load(name: str) -> ModuleType:
    """Import a package of the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingPackageError(f"recordings need the package {package}: {_INSTALL}") from error
