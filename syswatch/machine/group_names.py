"""
Names the groups of processes that are counted together.

The key of a group is made of its name, not of its ID: so a container that was restarted, or made
again under the same name, continues the row of the one before it.
"""

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.grouping import Grouping
from syswatch.model.groups import GroupInfo, GroupKind

from .containers import ContainerFacts, Containers
from .group_paths import SHORT_ID, GroupPlace, place_of
from .runtime_sockets import RuntimeSockets

Named = tuple[str, GroupInfo]


@define
class GroupNames:
    """Finds key and description of a group."""

    grouping: Grouping
    containers: Containers = attrs.field(factory=Containers)
    # None if only files are read.
    sockets: RuntimeSockets | None = None

    def is_ready(self, path: str) -> bool:
        """Return whether all is known of a control group that can be; if not, ask for it."""
        container = place_of(path).container
        if self.sockets is None or not container:
            return True
        # A runtime is only asked for what the files do not say.
        return _is_complete(_best(self._files(container))) or self.sockets.is_ready(container)

    def finish(self) -> None:
        """Wait a moment for what was asked for; after that, every control group is ready."""
        if self.sockets is not None:
            self.sockets.finish()

    def of_path(self, path: str) -> Named:
        """Return key and description of a control group."""
        place = place_of(path)
        known = self._known(place)
        info = attrs.evolve(known, path=path, lives=1)
        if self.grouping is Grouping.CGROUP:
            return _named("cgroup", attrs.evolve(info, kind=GroupKind.CGROUP, name=path))
        if self.grouping is Grouping.POD and info.pod:
            name = f"{info.namespace}/{info.pod}"
            pod = attrs.evolve(
                info, kind=GroupKind.POD, name=name, container="", id=place.pod_uid, labels={}
            )
            return _named("pod", pod)
        if place.container:
            name = "/".join(filter(None, (info.namespace, info.pod, info.container)))
            container = attrs.evolve(info, kind=GroupKind.CONTAINER, name=name, id=place.container)
            return _named("pod" if info.pod else info.runtime or "container", container)
        if info.pod:
            return _named("pod", attrs.evolve(info, kind=GroupKind.POD))
        if place.unit:
            return _named("unit", attrs.evolve(info, kind=GroupKind.UNIT, name=place.unit))
        return _named("cgroup", attrs.evolve(info, kind=GroupKind.CGROUP, name=path))

    def of_name(self, comm: bytes) -> Named:
        """Return key and description of the processes with a name."""
        name = escape_text(comm)
        return _named("process", GroupInfo(GroupKind.PROCESS, name, lives=1))

    def _known(self, place: GroupPlace) -> GroupInfo:
        """Return what is known of the container and the pod at a place."""
        facts = _best(self._files(place.container))
        if self.sockets is not None and not _is_complete(facts):
            facts = _best([*self.sockets.facts(place.container), facts])
        pod, namespace = facts.pod, facts.namespace
        if place.pod_uid and not (pod and namespace):
            found = self.containers.pod(place.pod_uid)
            namespace, pod = found or (namespace or "?", pod or place.pod_uid)
        container = facts.container or facts.name
        if facts.is_sandbox:
            container = "(sandbox)"
        return GroupInfo(
            name=f"{namespace}/{pod}" if pod else "",
            runtime=facts.runtime or place.runtime,
            namespace=namespace,
            pod=pod,
            container=container or place.container[:SHORT_ID],
            labels=facts.labels,
        )

    def _files(self, container: str) -> list[ContainerFacts]:
        return list(self.containers.facts(container)) if container else []


def _best(facts: list[ContainerFacts]) -> ContainerFacts:
    """Return the facts that say most: one runtime may use another, which knows only the ID."""
    return max(facts, key=_known_names, default=ContainerFacts(""))


def _is_complete(facts: ContainerFacts) -> bool:
    return _known_names(facts) > 0 and facts.tells_labels


def _known_names(facts: ContainerFacts) -> int:
    return sum(map(bool, (facts.name, facts.namespace, facts.pod, facts.container)))


def _named(kind: str, info: GroupInfo) -> Named:
    texts = {
        field: escape_text(getattr(info, field))
        for field in ("name", "namespace", "pod", "container", "path")
    }
    labels = {escape_text(key): escape_text(value) for key, value in info.labels.items()}
    shown = attrs.evolve(info, labels=labels, **texts)  # type: ignore[arg-type]
    return f"{kind}:{shown.name}", shown
