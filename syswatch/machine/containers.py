"""
What containers are called by those who run them.

The kernel knows a container by its id only.  The names are in files that the runtimes keep, most
of them for root alone; what cannot be read is not found, and the id still is.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from syswatch.base.text import inert

# Podman's lists of all containers, of root and of the user.
_LISTS = (
    "var/lib/containers/storage/overlay-containers/containers.json",
    "var/lib/containers/storage/overlay-containers/volatile-containers.json",
    "{home}/.local/share/containers/storage/overlay-containers/containers.json",
    "{home}/.local/share/containers/storage/overlay-containers/volatile-containers.json",
)
# Docker's own file of a container.
_DOCKER = "var/lib/docker/containers/{id}/config.v2.json"
# The bundles that containerd (Kubernetes, nerdctl) and CRI-O start containers from.
_BUNDLES = (
    "run/containerd/io.containerd.runtime.v2.task/*/{id}/config.json",
    "run/containers/storage/overlay-containers/{id}/userdata/config.json",
)
_POD_NOTES = (
    ("io.kubernetes.cri.sandbox-name", "io.kubernetes.cri.container-name"),
    ("io.kubernetes.pod.name", "io.kubernetes.container.name"),
)
_PLAIN_NOTE = "nerdctl/name"
# Every pod has one that does nothing but hold the pod together.
_KINDS = ("io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType")
_HOLDER = "sandbox"


def _own_home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")  # Somebody who has neither HOME nor a name, as in many containers.


@attrs.define
class Containers:
    """Reads each file once; `root` is the root of the file system."""

    root: Path = Path("/")
    home: Path = attrs.field(factory=_own_home)
    _known: dict[str, frozenset[str]] = attrs.field(factory=dict, init=False)

    def names(self, identity: str) -> frozenset[str]:
        """Return every name of a container: of a pod's, also the pod's and `pod/container`."""
        if identity not in self._known:
            self._known[identity] = frozenset(map(inert, self._names(identity))) - {""}
        return self._known[identity]

    def _names(self, identity: str) -> Iterator[str]:
        docker = _read(self.root / _DOCKER.format(id=identity))
        if isinstance(docker, Mapping):
            yield str(docker.get("Name", "")).removeprefix("/")
        for pattern in _BUNDLES:
            for path in self.root.glob(pattern.format(id=identity)):
                yield from _notes(_read(path))
        for place in _LISTS:
            path = self.root / place.format(home=str(self.home).removeprefix("/"))
            yield from _listed(_read(path), identity)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _notes(bundle: Any) -> Iterator[str]:
    notes = bundle.get("annotations") if isinstance(bundle, Mapping) else None
    if not isinstance(notes, Mapping) or any(notes.get(kind) == _HOLDER for kind in _KINDS):
        return
    yield str(notes.get(_PLAIN_NOTE, ""))
    for of_pod, of_container in _POD_NOTES:
        pod, container = str(notes.get(of_pod, "")), str(notes.get(of_container, ""))
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
