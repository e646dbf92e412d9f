"""Starting a module of syswatch in an interpreter of its own, whatever the program has changed."""

import os
import sys
from pathlib import Path

# Isolated: neither the working directory nor the variables of tests matter.  What this process can
# import, the other one can import, too.
_RUN = """\
import sys
from runpy import run_module
sys.path += {places!r}
run_module({module!r}, run_name="__main__", alter_sys=True)
"""
# The interpreter that starts ends at once, so that what remains is not a child of its starter.
_DETACH = "import os\nos.fork() and os._exit(0)\n"


def command(module: str, *arguments: str, detached: bool = False) -> list[str]:
    """Return a command that runs a module; a detached one is not a child of its starter."""
    code = _RUN.format(places=_places(), module=module)
    return [sys.executable, "-I", "-c", _DETACH * detached + code, *arguments]


def _places() -> list[str]:
    """Return where this process finds syswatch and what that needs."""
    own = str(Path(__file__).parents[2])
    return [own, *(place for place in sys.path if os.path.isabs(place) and place != own)]  # noqa: PTH117
