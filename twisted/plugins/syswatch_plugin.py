"""Register `twistd syswatch`."""

from twisted.application.service import ServiceMaker

syswatch = ServiceMaker(
    "syswatch",
    "syswatch.app.daemon",
    "System call tracer with a web dashboard.",
    "syswatch",
)
