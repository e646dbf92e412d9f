"""What is said about the server of a run; only `--serve` imports it, and the server."""

from syswatch.base.redaction import PRESET
from syswatch.codec.frames import Job
from syswatch.service.announcing import announce
from syswatch.web.server import Server


def announce_server(server: Server, job: Job) -> None:
    """Print the URL of the server, and warnings about it."""
    announce(f"serving {' '.join(server.urls)}")
    if server.is_public:
        announce(
            f"warning: {server.address.text} is reachable from every network of this machine, and"
            " so are traced command lines, paths and arguments" + _masking_hint(job)
        )
    stream = server.web.stream
    if stream.capacity < stream.max_clients:
        announce(
            f"warning: at most {stream.capacity} clients can connect to /stream, because of the"
            " limit on open files (ulimit -Hn)"
        )


def _masking_hint(job: Job) -> str:
    if PRESET in job.options.redact:
        return ""
    return " (--redact secrets masks likely secrets)"
