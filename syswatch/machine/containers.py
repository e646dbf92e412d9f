"""
The names of containers and pods.

The kernel knows a container by its ID only.  The names are in files of the container runtimes, most
of which only root can read; without them, containers are still found by ID.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from syswatch.base.classes import define, frozen
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
_BUNDLES = {
    "containerd": "run/containerd/io.containerd.runtime.v2.task/*/{id}/config.json",
    "cri-o": "run/containers/storage/overlay-containers/{id}/userdata/config.json",
}
_NERDCTL_NAME = "nerdctl/name"
# Every pod has a pause container, which is not offered.
_KINDS = ("io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType")
_SANDBOX = "sandbox"
_POD_LOGS = "var/log/pods"
# Of each container, and of each label.
_MOST_LABELS = 32
_LONGEST_LABEL = 200


class _Annotations(NamedTuple):
    """What a runtime calls the facts of a container of a pod."""

    namespace: str
    pod: str
    container: str


_POD_ANNOTATIONS = (
    _Annotations(
        "io.kubernetes.cri.sandbox-namespace",
        "io.kubernetes.cri.sandbox-name",
        "io.kubernetes.cri.container-name",
    ),
    _Annotations(
        "io.kubernetes.pod.namespace", "io.kubernetes.pod.name", "io.kubernetes.container.name"
    ),
)


class PodName(NamedTuple):
    """A pod."""

    namespace: str
    name: str


@frozen
class ContainerFacts:
    """What the files of a runtime say of a container; its text is not escaped yet."""

    runtime: str
    name: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    # The one that only keeps a pod together.
    is_sandbox: bool = False
    labels: Mapping[str, str] = attrs.field(factory=dict)
    # Whether they are all that it has: the files of Podman do not have them.
    tells_labels: bool = True

    @property
    def names(self) -> Iterator[str]:
        """Every name that it may be called by."""
        if self.is_sandbox:
            return
        yield from (self.name, self.pod, self.container)
        if self.pod and self.container:
            yield f"{self.pod}/{self.container}"


def _own_home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")  # A user without HOME and without a name, as in many containers.


@define
class Containers:
    """The names of containers by ID; each file is read once."""

    root: Path = Path("/")
    home: Path = attrs.field(factory=_own_home)
    _known: dict[str, frozenset[str]] = attrs.field(factory=dict, init=False)

    def names(self, identity: str) -> frozenset[str]:
        """Return all names of a container; in a pod, also the pod's and `pod/container`."""
        if identity not in self._known:
            names = (name for facts in self.facts(identity) for name in facts.names)
            self._known[identity] = frozenset(map(escape_text, names)) - {""}
        return self._known[identity]

    def facts(self, identity: str) -> Iterator[ContainerFacts]:
        """Yield what each file says of a container."""
        docker = _read(self.root / _DOCKER.format(id=identity))
        if isinstance(docker, Mapping):
            name = str(docker.get("Name", "")).removeprefix("/")
            config = docker.get("Config")
            labels = config.get("Labels") if isinstance(config, Mapping) else None
            yield ContainerFacts("docker", name, labels=label_texts(labels))
        for runtime, pattern in _BUNDLES.items():
            for path in self.root.glob(pattern.format(id=identity)):
                yield from _annotated(runtime, _read(path))
        for place in _LISTS:
            path = self.root / place.format(home=str(self.home).removeprefix("/"))
            for name in _listed(_read(path), identity):
                yield ContainerFacts("podman", name, tells_labels=False)

    def pod(self, uid: str) -> PodName | None:
        """Return the pod that has this UID, as the directory of its logs is named."""
        for path in (self.root / _POD_LOGS).glob(f"*_*_{uid}"):
            namespace, name, _ = path.name.split("_", 2)
            return PodName(namespace, name)
        return None


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _annotated(runtime: str, bundle: Any) -> Iterator[ContainerFacts]:
    annotations = bundle.get("annotations") if isinstance(bundle, Mapping) else None
    if not isinstance(annotations, Mapping):
        return
    texts = {str(key): str(value) for key, value in annotations.items()}
    is_sandbox = any(texts.get(kind) == _SANDBOX for kind in _KINDS)
    name, labels = texts.get(_NERDCTL_NAME, ""), label_texts(annotations)
    found = [
        ContainerFacts(
            runtime,
            name,
            namespace=texts.get(keys.namespace, ""),
            pod=texts.get(keys.pod, ""),
            container=texts.get(keys.container, ""),
            is_sandbox=is_sandbox,
            labels=labels,
        )
        for keys in _POD_ANNOTATIONS
        if not texts.keys().isdisjoint(keys)
    ]
    yield from found or [ContainerFacts(runtime, name, is_sandbox=is_sandbox, labels=labels)]


def label_texts(labels: Any) -> Mapping[str, str]:
    """Return labels of a bounded size."""
    if not isinstance(labels, Mapping):
        return {}
    first = sorted((str(key), str(value)) for key, value in labels.items())[:_MOST_LABELS]
    return {key[:_LONGEST_LABEL]: value[:_LONGEST_LABEL] for key, value in first}


def _listed(entries: Any, identity: str) -> Iterable[str]:
    if not isinstance(entries, list):
        return ()
    return (
        str(name)
        for entry in entries
        if isinstance(entry, Mapping) and entry.get("id") == identity
        for name in entry.get("names") or ()
    )
