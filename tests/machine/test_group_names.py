"""Tests of what the paths of control groups say."""

import json
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.containers import Containers
from syswatch.machine.group_names import GroupNames
from syswatch.machine.group_paths import GroupPlace, place_of
from syswatch.model.grouping import Grouping
from syswatch.model.groups import GroupInfo, GroupKind

from .fake_proc import CONTAINER

_OTHER = CONTAINER[::-1]
_UID = "0b1f6e2c-6f0d-4a35-9a33-0f4c6d1a7e55"
_SYSTEMD_UID = _UID.replace("-", "_")
_STATIC = "d41d8cd98f00b204e9800998ecf8427e"
_BURSTABLE = f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{_SYSTEMD_UID}.slice"

_PLACES = {
    "/": GroupPlace(),
    "/init": GroupPlace(),
    "/system.slice/nginx.service": GroupPlace(unit="nginx.service"),
    "/system.slice": GroupPlace(unit="system.slice"),
    "/user.slice/user-0.slice/session-3.scope": GroupPlace(unit="session-3.scope"),
    "/user.slice/user-1.slice/user@1.service/app.slice/a.service": GroupPlace(unit="a.service"),
    "/system.slice/b.service/inner": GroupPlace(unit="b.service"),
    f"/docker/{CONTAINER}": GroupPlace(container=CONTAINER, runtime="docker"),
    f"/docker/{CONTAINER}/init": GroupPlace(container=CONTAINER, runtime="docker"),
    f"/system.slice/docker-{CONTAINER}.scope": GroupPlace(
        container=CONTAINER, runtime="docker", unit="system.slice"
    ),
    f"/machine.slice/libpod-{CONTAINER}.scope/container": GroupPlace(
        container=CONTAINER, runtime="podman", unit="machine.slice"
    ),
    # The process of Podman that observes a container is no part of it.
    f"/machine.slice/libpod-conmon-{CONTAINER}.scope": GroupPlace(
        unit=f"libpod-conmon-{CONTAINER}.scope"
    ),
    f"/libpod_parent/libpod-{CONTAINER}": GroupPlace(container=CONTAINER, runtime="podman"),
    f"/kubepods/burstable/pod{_UID}/{CONTAINER}": GroupPlace(container=CONTAINER, pod_uid=_UID),
    f"/kubepods/pod{_STATIC}/{CONTAINER}": GroupPlace(container=CONTAINER, pod_uid=_STATIC),
    f"/kubepods/besteffort/pod{_UID}": GroupPlace(pod_uid=_UID),
    f"{_BURSTABLE}/cri-containerd-{CONTAINER}.scope": GroupPlace(
        container=CONTAINER,
        runtime="containerd",
        pod_uid=_UID,
        unit=f"kubepods-burstable-pod{_SYSTEMD_UID}.slice",
    ),
    f"/kubepods.slice/kubepods-pod{_SYSTEMD_UID}.slice/crio-{CONTAINER}.scope": GroupPlace(
        container=CONTAINER,
        runtime="cri-o",
        pod_uid=_UID,
        unit=f"kubepods-pod{_SYSTEMD_UID}.slice",
    ),
    # A cluster inside of a container: the innermost container counts.
    f"/docker/{_OTHER}/kubelet.slice/kubepods/pod{_UID}/{CONTAINER}": GroupPlace(
        container=CONTAINER, pod_uid=_UID, unit="kubelet.slice"
    ),
    # Neither is a container.
    "/system.slice/docker-abc.scope": GroupPlace(unit="docker-abc.scope"),
    f"/podcast/{CONTAINER[:31]}": GroupPlace(),
}


class PlaceTests(SynchronousTestCase):
    """Paths of many runtimes and init systems."""

    def test_places(self) -> None:
        """Each path says which container, pod or unit it belongs to."""
        for path, place in _PLACES.items():
            self.assertEqual(place, place_of(path), path)


class NameTests(SynchronousTestCase):
    """Keys and descriptions, with the files of a simulated machine."""

    def setUp(self) -> None:
        """Create the directory."""
        self.root = Path(self.mktemp()).absolute()

    def named(self, path: str, grouping: Grouping = Grouping.CONTAINER) -> tuple[str, GroupInfo]:
        """Return key and description of a group."""
        return GroupNames(grouping, Containers(self.root, Path("/home/ann"))).of_path(path)

    def write(self, place: str, content: object) -> None:
        """Write a file of a runtime."""
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))

    def write_pod(self, container: str = CONTAINER, **notes: str) -> None:
        """Write a container of a pod as containerd does."""
        known = {"sandbox-name": "web-7d9f", "sandbox-namespace": "shop", **notes}
        self.write(
            f"run/containerd/io.containerd.runtime.v2.task/k8s.io/{container}/config.json",
            {"annotations": {f"io.kubernetes.cri.{key}": note for key, note in known.items()}},
        )

    def test_docker(self) -> None:
        """A container is known by its name, with its labels; a restart changes the ID only."""
        for identity in (CONTAINER, _OTHER):
            self.write(
                f"var/lib/docker/containers/{identity}/config.v2.json",
                {"Name": "/web", "Config": {"Labels": {"team": "shop"}}},
            )
        key, info = self.named(f"/system.slice/docker-{CONTAINER}.scope")
        self.assertEqual("docker:web", key)
        self.assertEqual(
            (GroupKind.CONTAINER, "web", "docker", "web", CONTAINER, {"team": "shop"}, 1),
            (
                *(info.kind, info.name, info.runtime, info.container, info.id),
                *(info.labels, info.lives),
            ),
        )
        again, newer = self.named(f"/docker/{_OTHER}/inner")
        self.assertEqual((key, _OTHER), (again, newer.id))

    def test_without_files(self) -> None:
        """A container whose files are not readable is known by the beginning of its ID."""
        key, info = self.named(f"/docker/{CONTAINER}")
        self.assertEqual((f"docker:{CONTAINER[:12]}", CONTAINER[:12]), (key, info.name))

    def test_pod(self) -> None:
        """A container of a pod has the names of namespace, pod and container; or the pod's."""
        self.write_pod(**{"container-name": "nginx"})
        path = f"{_BURSTABLE}/cri-containerd-{CONTAINER}.scope"
        key, info = self.named(path)
        self.assertEqual("pod:shop/web-7d9f/nginx", key)
        self.assertEqual(
            (GroupKind.CONTAINER, "containerd", "shop", "web-7d9f", "nginx"),
            (info.kind, info.runtime, info.namespace, info.pod, info.container),
        )
        key, info = self.named(path, Grouping.POD)
        self.assertEqual(("pod:shop/web-7d9f", GroupKind.POD, ""), (key, info.kind, info.container))

    def test_sandbox(self) -> None:
        """The container that keeps a pod together is part of the pod."""
        self.write_pod(**{"container-type": "sandbox"})
        path = f"{_BURSTABLE}/cri-containerd-{CONTAINER}.scope"
        self.assertEqual("pod:shop/web-7d9f/(sandbox)", self.named(path)[0])
        self.assertEqual("pod:shop/web-7d9f", self.named(path, Grouping.POD)[0])

    def test_cri_o(self) -> None:
        """CRI-O has other annotations in another place."""
        notes = {
            "io.kubernetes.pod.namespace": "shop",
            "io.kubernetes.pod.name": "web-0",
            "io.kubernetes.container.name": "nginx",
        }
        self.write(
            f"run/containers/storage/overlay-containers/{CONTAINER}/userdata/config.json",
            {"annotations": notes},
        )
        path = f"/kubepods.slice/kubepods-pod{_SYSTEMD_UID}.slice/crio-{CONTAINER}.scope"
        key, info = self.named(path)
        self.assertEqual(("pod:shop/web-0/nginx", "cri-o"), (key, info.runtime))

    def test_pod_by_its_logs(self) -> None:
        """The directory of its logs names a pod whose containers are not known."""
        path = f"/kubepods/burstable/pod{_UID}/{CONTAINER}"
        self.assertEqual(f"pod:?/{_UID}/{CONTAINER[:12]}", self.named(path)[0])
        (self.root / f"var/log/pods/shop_web-0_{_UID}").mkdir(parents=True)
        self.assertEqual(f"pod:shop/web-0/{CONTAINER[:12]}", self.named(path)[0])
        key, info = self.named(f"/kubepods/burstable/pod{_UID}")
        self.assertEqual(("pod:shop/web-0", GroupKind.POD), (key, info.kind))

    def test_podman(self) -> None:
        """Podman lists its containers."""
        self.write(
            "var/lib/containers/storage/overlay-containers/containers.json",
            [{"id": CONTAINER, "names": ["db"]}],
        )
        self.assertEqual("podman:db", self.named(f"/machine.slice/libpod-{CONTAINER}.scope")[0])

    def test_nerdctl(self) -> None:
        """So does containerd for nerdctl, beside the bundle."""
        self.write(
            f"run/containerd/io.containerd.runtime.v2.task/default/{CONTAINER}/config.json",
            {"annotations": {"nerdctl/name": "db"}},
        )
        self.assertEqual("containerd:db", self.named(f"/default/{CONTAINER}")[0])

    def test_no_container(self) -> None:
        """Everything else is a unit, or a control group with a path."""
        for grouping in (Grouping.CONTAINER, Grouping.POD):
            key, info = self.named("/system.slice/ssh.service", grouping)
            self.assertEqual(("unit:ssh.service", GroupKind.UNIT), (key, info.kind))
            key, info = self.named("/mine/a", grouping)
            self.assertEqual(("cgroup:/mine/a", GroupKind.CGROUP), (key, info.kind))

    def test_control_groups(self) -> None:
        """Control groups have their paths as names, and what is known of the container."""
        self.write(f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Name": "/web"})
        path = f"/docker/{CONTAINER}/inner"
        key, info = self.named(path, Grouping.CGROUP)
        self.assertEqual(
            (f"cgroup:{path}", GroupKind.CGROUP, path, "web"),
            (key, info.kind, info.name, info.container),
        )

    def test_hostile(self) -> None:
        """Paths, names and labels are escaped, and labels bounded."""
        key, info = self.named("/a\x1b[2J\udcff")
        self.assertEqual(("cgroup:/a\\x1b[2J\\xff", "/a\\x1b[2J\\xff"), (key, info.path))
        labels = {f"a\x1b{each}": "b" * 9999 for each in range(99)}
        self.write(
            f"var/lib/docker/containers/{CONTAINER}/config.v2.json",
            {"Name": "/w\x1b", "Config": {"Labels": labels}},
        )
        key, info = self.named(f"/docker/{CONTAINER}")
        self.assertEqual("docker:w\\x1b", key)
        self.assertEqual(32, len(info.labels))
        self.assertEqual({200}, {len(label) for label in info.labels.values()})
        self.assertIn("a\\x1b0", info.labels)
        self.write(f"var/lib/docker/containers/{CONTAINER}/config.v2.json", {"Config": 7})
        self.assertEqual(f"docker:{CONTAINER[:12]}", self.named(f"/docker/{CONTAINER}")[0])

    def test_process(self) -> None:
        """Processes are grouped by the name of their first thread."""
        key, info = GroupNames(Grouping.PROCESS_NAME).of_name(b"w\x1b")
        self.assertEqual(
            ("process:w\\x1b", "w\\x1b", GroupKind.PROCESS), (key, info.name, info.kind)
        )
