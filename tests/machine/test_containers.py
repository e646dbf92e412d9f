"""Tests of the names of containers in the files of their runtimes."""

import json
import os
import pwd
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.containers import Containers
from syswatch.machine.discover import find

from .fake_proc import CONTAINER, add_process

_STORAGE = "containers/storage/overlay-containers"


class ContainerTests(SynchronousTestCase):
    """A simulated file system."""

    def setUp(self) -> None:
        """Create the directory."""
        self.root = Path(self.mktemp()).absolute()
        self.containers = Containers(self.root, Path("/home/ann"))

    def write(self, place: str, content: object) -> None:
        """Write a file of a runtime."""
        path = self.root / place
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))

    def assert_names(self, *names: str) -> None:
        """Compare the names of the container."""
        self.assertEqual(set(names), self.containers.names(CONTAINER))

    def test_no_home(self) -> None:
        """A user without HOME and without a name has no containers of their own."""
        self.patch(os, "environ", {})
        self.patch(pwd, "getpwuid", {}.__getitem__)
        self.assertEqual(frozenset(), Containers(self.root).names(CONTAINER))

    def test_docker(self) -> None:
        """Docker's names begin with a slash."""
        self.write(f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Name": "/web"})
        self.assert_names("web")

    def test_hostile(self) -> None:
        """A name from a file is escaped, including what JSON allows and UTF-8 does not."""
        self.write(
            f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Name": "/w\x1b\ud800\u202e"}
        )
        self.assert_names("w\\x1b\\ud800\\u202e")

    def test_podman(self) -> None:
        """Podman has lists, of root and of the user."""
        entries = [{"id": "other", "names": ["db"]}, {"id": CONTAINER, "names": ["web", "www"]}]
        self.write(f"home/ann/.local/share/{_STORAGE}/containers.json", entries)
        self.assert_names("web", "www")

    def write_pod(self, **notes: str) -> None:
        """Write a container of a pod as containerd does."""
        bundle = f"run/containerd/io.containerd.runtime.v2.task/k8s.io/{CONTAINER}/config.json"
        annotations = {
            f"io.kubernetes.cri.{key.replace('_', '-')}": note for key, note in notes.items()
        }
        self.write(bundle, {"annotations": annotations})

    def test_kubernetes(self) -> None:
        """A container of a pod is found by its name, by that of the pod, and by both."""
        self.write_pod(sandbox_name="shop-7d9f", container_name="web")
        self.assert_names("web", "shop-7d9f", "shop-7d9f/web")

    def test_pause_container(self) -> None:
        """A pause container is not offered."""
        self.write_pod(sandbox_name="shop", container_type="sandbox")
        self.assert_names()

    def test_cri_o(self) -> None:
        """CRI-O uses other annotations."""
        notes = {"io.kubernetes.pod.name": "shop", "io.kubernetes.container.name": "web"}
        self.write(f"run/{_STORAGE}/{CONTAINER}/userdata/config.json", {"annotations": notes})
        self.assert_names("web", "shop", "shop/web")

    def test_nonsense(self) -> None:
        """Damaged files contain no names."""
        self.write(f"var/lib/docker/containers/{CONTAINER}/config.v2.json", ["Name"])
        self.write(f"var/lib/{_STORAGE}/containers.json", {"id": CONTAINER})
        self.write(f"run/{_STORAGE}/{CONTAINER}/userdata/config.json", {"annotations": 7})
        self.assert_names()

    def test_discovered(self) -> None:
        """A process is found by the name of its container, before one of that command name."""
        self.write(f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Name": "/web"})
        proc = self.root / "proc"
        add_process(proc, 5, "web", "web")
        add_process(proc, 9, "python3", "python3 app", f"0::/system.slice/docker-{CONTAINER}.scope")

        matches = find("web", proc, 0, self.containers)

        self.assertEqual([9, 5], [match.pid for match in matches])
        self.assertEqual("container web, 724f319464fa", matches[0].why)
