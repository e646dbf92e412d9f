"""
The names of containers.

The kernel knows a container by its ID only.  The names are in files of the container runtimes, most
of which only root can read; without them, containers are still found by ID.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from syswatch.base.text import escape_text

# Podman's lists of all containers, of root and of the user.
_LISTS = (
    "var/lib/containers/storage/overlay-containers/containers.json",
    "var/lib/containers/storage/overlay-containers/volatile-containers.json",
    "{home}/.local/share/containers/storage/overlay-containers/containers.json",
    "{home}/.local/share/containers/storage/overlay-containers/volatile-containers.json",
)
# Docker's file about a container.
_DOCKER = "var/lib/docker/containers/{id}/config.v2.json"
# The bundles of containerd (Kubernetes, nerdctl) and CRI-O.
_BUNDLES = (
    "run/containerd/io.containerd.runtime.v2.task/*/{id}/config.json",
    "run/containers/storage/overlay-containers/{id}/userdata/config.json",
)
_POD_ANNOTATIONS = (
    ("io.kubernetes.cri.sandbox-name", "io.kubernetes.cri.container-name"),
    ("io.kubernetes.pod.name", "io.kubernetes.container.name"),
)
_NERDCTL_NAME = "nerdctl/name"
# Every pod has a pause container, which is not offered.
_KINDS = ("io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType")
_SANDBOX = "sandbox"


def _own_home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")  # A user without HOME and without a name, as in many containers.


@attrs.define
class Containers:
    """The names of containers by ID; each file is read once."""

    root: Path = Path("/")
    home: Path = attrs.field(factory=_own_home)
    _known: dict[str, frozenset[str]] = attrs.field(factory=dict, init=False)

    def names(self, identity: str) -> frozenset[str]:
        """Return all names of a container; in a pod, also the pod's and `pod/container`."""
        if identity not in self._known:
            self._known[identity] = frozenset(map(escape_text, self._names(identity))) - {""}
        return self._known[identity]

    def _names(self, identity: str) -> Iterator[str]:
        docker = _read(self.root / _DOCKER.format(id=identity))
        if isinstance(docker, Mapping):
            yield str(docker.get("Name", "")).removeprefix("/")
        for pattern in _BUNDLES:
            for path in self.root.glob(pattern.format(id=identity)):
                yield from _annotated_names(_read(path))
        for place in _LISTS:
            path = self.root / place.format(home=str(self.home).removeprefix("/"))
            yield from _listed(_read(path), identity)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _annotated_names(bundle: Any) -> Iterator[str]:
    annotations = bundle.get("annotations") if isinstance(bundle, Mapping) else None
    if not isinstance(annotations, Mapping) or any(
        annotations.get(kind) == _SANDBOX for kind in _KINDS
    ):
        return
    yield str(annotations.get(_NERDCTL_NAME, ""))
    for of_pod, of_container in _POD_ANNOTATIONS:
        pod, container = str(annotations.get(of_pod, "")), str(annotations.get(of_container, ""))
        yield from (pod, container)
        if pod and container:
            yield f"{pod}/{container}"


def _listed(entries: Any, identity: str) -> Iterable[str]:
    if not isinstance(entries, list):
        return ()
    return (
        str(name)
        for entry in entries
        if isinstance(entry, Mapping) and entry.get("id") == identity
        for name in entry.get("names") or ()
    )
