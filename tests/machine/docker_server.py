"""A server on a Unix socket that lists containers as Docker and Podman do."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any

import attrs
from twisted.trial.unittest import SynchronousTestCase

# Of the example in the documentation of Docker: what else an entry has.
_MORE = {
    "Image": "ubuntu:latest",
    "ImageID": "sha256:d74508fb6632491cea586a1fd7d748dfc5274cd6fdfedee309ecdcbc2bf5cb82",
    "Command": "echo 1",
    "Created": 1367854155,
    "State": "running",
    "Status": "Up 2 minutes",
    "Ports": [{"PrivatePort": 2222, "PublicPort": 3333, "Type": "tcp"}],
    "HostConfig": {"NetworkMode": "default"},
    "NetworkSettings": {"Networks": {"bridge": {"IPAddress": "172.17.0.2"}}},
    "Mounts": [],
}


def listed(identity: str, *names: str, **labels: str) -> dict[str, Any]:
    """Return a container as it is listed."""
    named = [f"/{name}" for name in names]
    return {"Id": identity, "Names": named, "Labels": labels, **_MORE}


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True

    def handle_error(self, *_arguments: object) -> None:
        """Print nothing if a client does not read to the end."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    docker: "DockerServer"

    def do_GET(self) -> None:
        """Answer as Docker does, in chunks."""
        docker = self.docker
        docker.requests.append(self.path)
        docker.may_answer.wait()
        body = docker.body()
        self.send_response(docker.status)
        self.send_header("Api-Version", "1.44")
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = len(body) // 2
        for part in filter(None, (body[:half], body[half:])):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_arguments: object) -> None:
        """Print nothing."""


@attrs.define(eq=False)
class DockerServer:
    """A server that runs until the end of a test."""

    path: Path
    containers: list[dict[str, Any]] = attrs.field(factory=list)
    status: int = 200
    # In place of the list.
    raw: bytes = b""
    requests: list[str] = attrs.field(factory=list)
    # Cleared, it does not answer yet.
    may_answer: threading.Event = attrs.field(factory=threading.Event)

    @classmethod
    def start(
        cls, test: SynchronousTestCase, path: Path, *containers: dict[str, Any]
    ) -> "DockerServer":
        """Start a server."""
        docker = cls(path, list(containers))
        docker.may_answer.set()
        handler: Callable[..., Any] = type("Handler", (_Handler,), {"docker": docker})
        server = _Server(str(path), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

        def stop() -> None:
            docker.may_answer.set()
            server.shutdown()
            server.server_close()

        test.addCleanup(stop)
        return docker

    def body(self) -> bytes:
        """Return what it answers."""
        return self.raw or json.dumps(self.containers).encode()
