"""
What the path of a control group says: which container, pod or unit its processes belong to.

Everything here is a function of the path alone.
"""

import re
from collections.abc import Sequence

from syswatch.base.classes import frozen

# `docker-<id>.scope`, `cri-containerd-<id>.scope`, `crio-<id>`, `libpod-<id>`, or the id alone.
_CONTAINER = re.compile(r"(?:(?P<prefix>[a-z-]+)-)?(?P<id>[0-9a-f]{64}|[0-9a-f]{32})(?:\.scope)?")
# The process of a runtime that observes a container from outside.
_MONITOR = "conmon"
_RUNTIMES = {
    "docker": "docker",
    "containerd": "containerd",
    "cri-containerd": "containerd",
    "nerdctl": "containerd",
    "crio": "cri-o",
    "libpod": "podman",
}
# `pod<uid>`, or `kubepods-burstable-pod<uid>.slice` with underscores; the UID of a static pod is a
# hash.
_POD = re.compile(
    r"(?:kubepods-(?:\w+-)?)?pod"
    r"(?P<uid>[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?"
)
_UNIT = re.compile(r".+\.(?:service|scope|socket|mount|swap)")
_SLICE = ".slice"
# The length of a container ID as container tools print it.
SHORT_ID = 12


@frozen
class GroupPlace:
    """What a path says; what it does not say is empty."""

    container: str = ""
    runtime: str = ""
    pod_uid: str = ""
    unit: str = ""


def container_id(segment: str) -> str | None:
    """Return the ID of a container that a component of a path names."""
    match = _container(segment)
    return match["id"] if match else None


def has_container_id(segment: str) -> bool:
    """Return whether a component of a path has the ID of a container, or is that of its monitor."""
    return _CONTAINER.fullmatch(segment) is not None


def _container(segment: str) -> re.Match[str] | None:
    """Match the name of a container; its monitor, which runs beside it, has its ID as well."""
    match = _CONTAINER.fullmatch(segment)
    return match if match and not (match["prefix"] or "").endswith(_MONITOR) else None


def place_of(path: str) -> GroupPlace:
    """Return what a path says of the innermost container, pod or unit."""
    segments = [segment for segment in path.split("/") if segment]
    for depth in range(len(segments), 0, -1):
        match = _container(segments[depth - 1])
        if match:
            around = segments[: depth - 1]
            return GroupPlace(
                container=match["id"],
                runtime=_runtime(match["prefix"] or (around[-1] if around else "")),
                pod_uid=_pod_uid(around),
                unit=_unit(around),
            )
    return GroupPlace(pod_uid=_pod_uid(segments), unit=_unit(segments))


def _runtime(name: str) -> str:
    return _RUNTIMES.get(name.removesuffix("_parent"), "")


def _pod_uid(segments: Sequence[str]) -> str:
    for segment in reversed(segments):
        match = _POD.fullmatch(segment)
        if match:
            return match["uid"].replace("_", "-")
    return ""


def _unit(segments: Sequence[str]) -> str:
    """Return the innermost unit; a slice is one only if it has no other."""
    units = [segment for segment in segments if _UNIT.fullmatch(segment)]
    slices = [segment for segment in segments if segment.endswith(_SLICE)]
    return (units or slices or [""])[-1]
