"""The log file of twistd: opened while there is a terminal to complain to, and reopened later."""

import os
import signal
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO, cast

import attrs
from twisted.application.service import MultiService
from twisted.logger import ILogObserver, Logger
from twisted.python.components import Componentized
from twisted.python.logfile import LogFile

from syswatch.app.logs import text_lines
from syswatch.service.reactor import Reactor

# Where twistd writes if nobody says another place.
_USUAL_NAME = "twistd.log"


@attrs.frozen
class ReopenedLog:
    """A log file that a program such as logrotate may rename at any time."""

    file: LogFile
    _mode: int
    _log = Logger()

    @classmethod
    def open(cls, name: str) -> "ReopenedLog":
        """Open the file; OSError says why that cannot be done."""
        file = LogFile.fromFullPath(name)
        return cls(file, stat.S_IMODE(Path(file.path).stat().st_mode))

    def rotate_on_request(self, reactor: Reactor) -> None:
        """Rotate the file on SIGUSR1, as twistd does with its own."""
        if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
            signal.signal(signal.SIGUSR1, lambda *_: reactor.callFromThread(self.file.rotate))

    def reopen(self) -> None:
        """Go on in the file that has the name now; where there can be none, in the one before."""
        try:
            self._make_or_check()
        except OSError as error:
            self._log.warn(
                "the log file {path} cannot be reopened: {reason}",
                path=self.file.path,
                reason=error.strerror,
            )
        else:
            self.file.reopen()
            self._log.info("the log file has been reopened")

    def _make_or_check(self) -> None:
        """
        Make a file where there is none; OSError where it cannot be written.

        The server may have given up the rights that it opened the first one with.
        """
        is_new = not Path(self.file.path).exists()
        descriptor = os.open(self.file.path, os.O_RDWR | os.O_CREAT, self._mode)
        try:
            if is_new:
                # The umask of a daemon is not the one that the first file was made under.
                os.fchmod(descriptor, self._mode)
        finally:
            os.close(descriptor)


class Logging(MultiService):
    """Services whose application writes to a log file."""

    def __init__(self, log: ReopenedLog) -> None:
        super().__init__()
        self._log = log

    def setServiceParent(self, parent: Any) -> None:  # noqa: N802  the name is Twisted's
        """Tell the application where to write; twistd opens no file of its own then."""
        if isinstance(parent, Componentized):
            parent.setComponent(ILogObserver, text_lines(cast("TextIO", self._log.file)))
        super().setServiceParent(parent)


def name_of_log(twistd: Mapping[str, Any]) -> str:
    """Return the log file that twistd was told to write to, or nothing if that is not a file."""
    if twistd["syslog"] or twistd["logger"] or twistd["logfile"] == "-":
        return ""
    return twistd["logfile"] or ("" if twistd["nodaemon"] else _USUAL_NAME)
