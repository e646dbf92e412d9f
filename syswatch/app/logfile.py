"""The log file of twistd: opened before it goes into the background, and reopened later."""

import os
import signal
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO, cast

from twisted.application.service import MultiService
from twisted.logger import ILogObserver, Logger
from twisted.python.components import Componentized
from twisted.python.logfile import LogFile

from syswatch.app.logs import text_lines
from syswatch.base.classes import frozen
from syswatch.service.reactor import Reactor

# The default of twistd.
_DEFAULT_NAME = "twistd.log"


@frozen
class ReopenedLog:
    """A log file that a program such as logrotate may rename at any time."""

    file: LogFile
    _mode: int
    _log = Logger()

    @classmethod
    def open(cls, name: str) -> "ReopenedLog":
        """Open the file; raise OSError if it cannot be opened."""
        file = LogFile.fromFullPath(name)
        return cls(file, stat.S_IMODE(Path(file.path).stat().st_mode))

    def rotate_on_request(self, reactor: Reactor) -> None:
        """Rotate the file on SIGUSR1, as twistd does with its own."""
        if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
            signal.signal(signal.SIGUSR1, lambda *_: reactor.callFromThread(self.file.rotate))

    def reopen(self) -> None:
        """Continue in the file that has the name now; if there can be none, in the previous one."""
        try:
            self._create_or_check()
        except OSError as error:
            self._log.warn(
                "cannot reopen the log file {path}: {reason}",
                path=self.file.path,
                reason=error.strerror,
            )
        else:
            self.file.reopen()
            self._log.info("log file reopened")

    def _create_or_check(self) -> None:
        """
        Create the file if it does not exist; raise OSError if it cannot be written.

        The server may have dropped the privileges with which it opened the first one.
        """
        is_new = not Path(self.file.path).exists()
        descriptor = os.open(self.file.path, os.O_RDWR | os.O_CREAT, self._mode)
        try:
            if is_new:
                # The umask of a daemon is not the one with which the first file was created.
                os.fchmod(descriptor, self._mode)
        finally:
            os.close(descriptor)


class Logging(MultiService):
    """Services whose application writes to a log file."""

    def __init__(self, log: ReopenedLog) -> None:
        super().__init__()
        self._log = log

    def setServiceParent(self, parent: Any) -> None:  # noqa: N802  the name is Twisted's
        """Give the application its log observer, so that twistd opens no file of its own."""
        if isinstance(parent, Componentized):
            parent.setComponent(ILogObserver, text_lines(cast("TextIO", self._log.file)))
        super().setServiceParent(parent)


def name_of_log(twistd: Mapping[str, Any]) -> str:
    """Return the log file that twistd was given, or nothing if it logs elsewhere."""
    if twistd["syslog"] or twistd["logger"] or twistd["logfile"] == "-":
        return ""
    return twistd["logfile"] or ("" if twistd["nodaemon"] else _DEFAULT_NAME)
