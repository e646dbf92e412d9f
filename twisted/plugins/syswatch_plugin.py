"""Tell ``twistd`` that ``syswatch`` exists, and where its service is made."""

from twisted.application.service import ServiceMaker

syswatch = ServiceMaker(
    "syswatch",
    "syswatch.app.daemon",
    "Watch the system calls of a running program.",
    "syswatch",
)
