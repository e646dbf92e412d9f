"""`syswatch stats`: what a log holds."""

import os
import sys

import attrs
from twisted.python import usage

from syswatch.model.messages import ReadLogs
from syswatch.options.config import Config

from . import checks
from .filtering import FilteringOptions


class StatsOptions(FilteringOptions):
    """The flags of `stats`."""

    synopsis = "Usage: syswatch stats [options] FILE..."
    longdesc = "Read strace logs, gzipped ones too, or recordings; - is standard input."

    def parseArgs(self, *files: str) -> None:
        """Take the files."""
        if not files:
            raise usage.UsageError("stats needs at least one FILE (- is standard input)")
        checks.options_first(files)
        self.files = files

    def job(self) -> ReadLogs:
        """Return what the tracer is to read."""
        for name in self.files:
            checks.check_readable(name, alone=len(self.files) == 1)
        return ReadLogs(self.files, os.cpu_count() or 1, self.filters())

    def action(self) -> Config:
        """Show how far the reading is, where somebody looks."""
        config = super().action()
        if "-" in self.files:
            if self.given("tui") == "always":
                raise usage.UsageError("--tui always: standard input is the log, so it has no keys")
            config = attrs.evolve(config, tui=False)
        is_watched = sys.stderr.isatty() and sys.stdout.isatty()
        is_alone = config.serving is None and not config.tui
        return attrs.evolve(config, progress=is_watched and is_alone)
