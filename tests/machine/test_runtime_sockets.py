"""Tests of the names that container runtimes tell on their sockets."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine import runtime_sockets
from syswatch.machine.containers import Containers
from syswatch.machine.group_names import GroupNames
from syswatch.machine.runtime_sockets import RuntimeSockets, own_sockets
from syswatch.model.grouping import Grouping

from .docker_server import DockerServer, listed
from .fake_proc import CONTAINER

_OTHER = CONTAINER[::-1]
_PATH = f"/system.slice/docker-{CONTAINER}.scope"
_LONG_S = 20


class SocketCase(SynchronousTestCase):
    """A directory for sockets, whose paths must be short."""

    def setUp(self) -> None:
        """Create the directory."""
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(rmtree, self.folder)
        self.now = 0.0
        self.sockets = RuntimeSockets(
            (self.folder / "docker.sock", self.folder / "podman.sock"), lambda: self.now
        )

    def docker(self, *containers: dict[str, object], name: str = "docker.sock") -> DockerServer:
        """Start a server."""
        return DockerServer.start(self, self.folder / name, *containers)

    def await_true(self, check: Callable[[], bool]) -> None:
        """Wait until something is true."""
        end = time.monotonic() + _LONG_S
        while not check():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.002)

    def await_ready(self, identity: str = CONTAINER) -> None:
        """Wait until nothing more will be known."""
        self.await_true(lambda: self.sockets.is_ready(identity))


class RuntimeSocketTests(SocketCase):
    """Real servers on Unix sockets."""

    def test_listed(self) -> None:
        """One request tells names and labels of all containers; looking does not block."""
        docker = self.docker(
            listed(CONTAINER, "db/alias", "web", team="shop"), listed(_OTHER, "db")
        )
        docker.may_answer.clear()
        for _ in range(9):
            self.assertFalse(self.sockets.is_ready(CONTAINER))
            self.assertFalse(self.sockets.is_ready(_OTHER))
        docker.may_answer.set()
        self.await_ready()
        self.assertTrue(self.sockets.is_ready(_OTHER))
        (facts,) = self.sockets.facts(CONTAINER)
        self.assertEqual(("web", {"team": "shop"}), (facts.name, facts.labels))
        self.assertEqual(["db"], [facts.name for facts in self.sockets.facts(_OTHER)])
        self.assertEqual(["/containers/json?all=1"], docker.requests)

    def test_podman(self) -> None:
        """Several runtimes are asked, and one that is not running is no problem."""
        self.docker(listed(CONTAINER, "web"))
        self.docker(listed(_OTHER, "db"), name="podman.sock")
        self.await_ready(_OTHER)
        self.assertEqual(["db"], [facts.name for facts in self.sockets.facts(_OTHER)])
        self.assertTrue(self.sockets.is_ready(CONTAINER))

    def test_none(self) -> None:
        """Without a socket there is nothing to wait for."""
        self.assertTrue(self.sockets.is_ready(CONTAINER))
        (self.folder / "docker.sock").write_text("not a socket")
        self.assertTrue(self.sockets.is_ready(CONTAINER))
        self.assertEqual([], list(self.sockets.facts(CONTAINER)))
        # A place that cannot even be looked at, here because of its name.
        self.assertTrue(RuntimeSockets((self.folder / ("a" * 999),)).is_ready(CONTAINER))

    def test_new(self) -> None:
        """A container that is not listed is asked for once; one that is made later is found."""
        docker = self.docker(listed(_OTHER, "db"))
        self.await_ready()
        self.assertEqual([], list(self.sockets.facts(CONTAINER)))
        docker.containers.append(listed(CONTAINER, "web"))
        self.assertFalse(self.sockets.is_ready(CONTAINER))
        self.await_ready()
        self.assertEqual(["web"], [facts.name for facts in self.sockets.facts(CONTAINER)])
        self.assertEqual(2, len(docker.requests))

    def test_silent(self) -> None:
        """A runtime that does not answer is waited for only so long."""
        self.docker(listed(CONTAINER, "web")).may_answer.clear()
        self.assertFalse(self.sockets.is_ready(CONTAINER))
        self.now = 3.1
        self.assertTrue(self.sockets.is_ready(CONTAINER))

    def test_unusable(self) -> None:
        """An answer that is none is as if nothing were listed."""
        self.patch(runtime_sockets, "_MOST_BYTES", 60_000)
        docker = self.docker(listed(CONTAINER, "web"))
        for status, raw in (
            (403, b""),
            (200, b"<html>"),
            (200, b"[" * 50_000),
            (200, b"[" + b"1," * 40_000),
            (200, b'{"Id": 7}'),
            (200, b'[7, {}, {"Id": [], "Names": 7, "Labels": 7}, {"Names": [7]}]'),
        ):
            docker.status, docker.raw = status, raw
            self.assertFalse(self.sockets.is_ready(CONTAINER), raw[:20])
            self.await_ready()
            self.assertEqual([], list(self.sockets.facts(CONTAINER)))
        self.assertEqual(6, len(docker.requests))

    def test_finish(self) -> None:
        """The end waits for what was asked for; after that, nothing is asked any more."""
        docker = self.docker(listed(CONTAINER, "web"))
        self.assertFalse(self.sockets.is_ready(CONTAINER))
        self.sockets.finish()
        self.assertEqual(["web"], [facts.name for facts in self.sockets.facts(CONTAINER)])
        self.assertTrue(self.sockets.is_ready("f" * 64))
        self.assertEqual(1, len(docker.requests))

    def test_own(self) -> None:
        """Only sockets of this machine are asked, at fixed places."""
        self.patch(os, "environ", {"DOCKER_HOST": "tcp://192.0.2.1:2375"})
        self.assertEqual(
            {"/run/docker.sock", "/run/podman/podman.sock"},
            {str(path) for path in own_sockets() if "user" not in path.parts},
        )


class NameTests(SocketCase):
    """The names of groups."""

    def setUp(self) -> None:
        """Create an empty file system."""
        super().setUp()
        self.root = self.folder / "root"
        containers = Containers(self.root, Path("/home/ann"))
        self.names = GroupNames(Grouping.CONTAINER, containers, self.sockets)

    def test_named(self) -> None:
        """A container without readable files is named as its runtime says, escaped."""
        self.docker(listed(CONTAINER, "web\x1b", **{"team\x1b": "shop"}))
        self.assertFalse(self.names.is_ready(_PATH))
        self.await_true(lambda: self.names.is_ready(_PATH))
        key, info = self.names.of_path(_PATH)
        self.assertEqual("docker:web\\x1b", key)
        self.assertEqual({"team\\x1b": "shop"}, info.labels)
        key, _ = self.names.of_path(f"/machine.slice/libpod-{CONTAINER}.scope")
        self.assertEqual("podman:web\\x1b", key)

    def test_files(self) -> None:
        """A runtime is not asked for what its files say, nor for anything but containers."""
        docker = self.docker(listed(CONTAINER, "web"))
        file = self.root / f"var/lib/docker/containers/{CONTAINER}/config.v2.json"
        file.parent.mkdir(parents=True)
        file.write_text('{"Name": "/db"}')
        for path in (_PATH, "/system.slice/ssh.service", "/"):
            self.assertTrue(self.names.is_ready(path))
        self.names.finish()
        self.assertEqual("docker:db", self.names.of_path(_PATH)[0])
        self.assertEqual([], docker.requests)

    def test_labels(self) -> None:
        """The files of Podman tell names only, so it is asked for labels."""
        place = f"/machine.slice/libpod-{CONTAINER}.scope"
        file = self.root / "var/lib/containers/storage/overlay-containers/containers.json"
        file.parent.mkdir(parents=True)
        file.write_text(f'[{{"id": "{CONTAINER}", "names": ["db"]}}]')
        self.assertTrue(self.names.is_ready(place))
        self.assertEqual("podman:db", self.names.of_path(place)[0])
        self.docker(listed(CONTAINER, "db", team="shop"), name="podman.sock")
        self.assertFalse(self.names.is_ready(place))
        self.await_true(lambda: self.names.is_ready(place))
        key, info = self.names.of_path(place)
        self.assertEqual(("podman:db", {"team": "shop"}), (key, info.labels))

    def test_unknown(self) -> None:
        """A container that no runtime lists is known by its ID, as without a socket."""
        self.docker()
        self.await_true(lambda: self.names.is_ready(_PATH))
        self.assertEqual(f"docker:{CONTAINER[:12]}", self.names.of_path(_PATH)[0])
