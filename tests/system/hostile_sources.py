"""Hostile programs, logs and recordings, and all outputs that could show their text."""

import html
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from syswatch.base.text import escape_text
from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import MAGIC
from syswatch.model.messages import Ended
from tests.hostile import COMM_BYTES, HOSTILE, delta_of, forbidden, started_of
from tests.system.servers import PATIENCE_S, SYSWATCH, Server

FORMATS = ("text", "csv", "json", "ndjson")
# The process names that the kernel keeps if each hostile text is used as one.
COMMS = frozenset(escape_text(raw[:COMM_BYTES]) for raw in HOSTILE)
SHOWN = frozenset(HOSTILE.values())
# A recording must be UTF-8.
_DECODED = {raw.decode(errors="replace"): shown for raw, shown in HOSTILE.items()}
SHOWN_OF_RECORDING = frozenset(
    shown for text, shown in _DECODED.items() if text.encode() in HOSTILE
)
_ANSWERS = (
    "/api/status",
    "/api/stats",
    "/api/log",
    "/api/files?limit=10000",
    "/api/processes",
    "/api/categories",
    "/api/fidelity",
    "/api/history",
    "/api/alerts",
    "/api/dashboard?with=log,files,processes",
    "/api/dashboard/openat",
    "/api/syscall/openat",
    "/metrics",
    "/debug/pprof/cmdline",
)


def run(*words: str | bytes | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run syswatch with any bytes as its arguments."""
    return subprocess.run(
        [*SYSWATCH, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        **options,
    )


def recording(path: Path) -> Path:
    """Write a recording that no tracer of syswatch would write."""
    messages: list[Message] = [
        started_of("".join(_DECODED)),
        *map(delta_of, (*_DECODED, "x" * 100_000)),
        Ended(),
    ]
    path.write_bytes(MAGIC + b"".join(map(encode, messages)))
    return path


def log(path: Path) -> Path:
    """Write a log in which hostile text is raw; strace itself would escape it."""
    lines = []
    for at, raw in enumerate(HOSTILE):
        text = raw.replace(b"\n", b"").replace(b'"', b"")
        head = b"%d 1700000000.%06d " % (100 + at, at)
        lines += [
            head + b'execve("/bin/%s", ["%s", "%s"...], 0x7 /* 3 vars */) = 0' % (text, text, text),
            head + b'openat(AT_FDCWD, "/nonexistent/%s", O_RDONLY) = -1 ENOENT (%s)' % (text, text),
            head + b'read(3<%s>, "%s", 16) = 16' % (text, text),
            b"odd " + text,
        ]
    path.write_bytes(b"\n".join([*lines, b'7 read(3, "%s", 9) = 9' % (b"\xff" * 100_000), b""]))
    return path


def answers(server: Server) -> Iterator[tuple[str, bytes]]:
    """Yield the answers of all endpoints of a server, and the output of `top`."""
    for path in _ANSWERS:
        yield path, server.ask(path)[1].replace(b"\0", b" ")
    with server.stream() as client:
        yield "/stream", str(client.recv(PATIENCE_S)).encode()
    top = run("top", f"localhost:{server.port}")
    yield "top", top.stdout + top.stderr


def summaries(*words: str | Path) -> Mapping[str, bytes]:
    """Return the output with the summary in every format, stderr included."""
    found = {}
    for form in FORMATS:
        result = run("stats", "--debug", "--per-pid", "--format", form, *words)
        found[form] = result.stdout + result.stderr
    return found


def raw_in(name: str, data: bytes) -> set[str]:
    """Return the forbidden characters of a document; raise if it cannot be parsed."""
    text = data.decode()
    found = forbidden(text, but="\n")
    if name.endswith("html"):
        return found | forbidden(html.unescape(text), but="\n")
    if text.startswith(("{", "[")):
        for line in text.splitlines() if name == "ndjson" else [text]:
            found |= set().union(*map(forbidden, texts_in(json.loads(line))))
    return found


def texts_in(value: object) -> Iterator[str]:
    """Yield every text within a JSON document."""
    match value:
        case str():
            yield value
        case dict():
            yield from texts_in([*value, *value.values()])
        case list():
            for each in value:
                yield from texts_in(each)
