"""
The program `syswatch`.

Until it runs, Ctrl+C causes a traceback.  So nothing is imported at the top that Python has not
loaded by then; `syswatch.app.starting` has the rest.
"""

# What `signal` adds to it are enumerations, which take longer to import than all else here.
import _signal  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def program() -> "NoReturn":
    """Run `main`, and end without taking the interpreter apart."""
    _end_on_interrupt()
    from syswatch.app.starting import run

    run()


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Parse the command line, run it, and exit with its status."""
    _end_on_interrupt()
    from syswatch.app.starting import start

    start(arguments)


def _end_on_interrupt() -> None:
    """Let Ctrl+C end the process, as nothing has been started that needs cleaning up."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
