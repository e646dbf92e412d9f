"""SeccompProfile, a custom resource of the Security Profiles Operator for Kubernetes."""

import re
from typing import Any, Final

import msgspec

from syswatch.profiles.profile import Profile

from . import oci, yaml
from .outcome import FormatError, Loaded, Target, Written

_API: Final = "security-profiles-operator.x-k8s.io/v1beta1"
_KIND: Final = "SeccompProfile"
_ERRNO: Final = "defaultErrnoRet"
# Architectures that its schema does not have.
_UNKNOWN: Final = frozenset({"SCMP_ARCH_LOONGARCH64"})
# Numbers of its schema are signed.
_LARGEST: Final = (1 << 63) - 1
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 63


def write(profile: Profile, name: str = "profile") -> Written:
    """Return a manifest; comments say how pods use the profile, with the operator and without."""
    document, losses = oci.as_document(profile)
    lost = [*losses, *_fitted(document)]
    name = resource_name(name)
    manifest = {
        "apiVersion": _API,
        "kind": _KIND,
        "metadata": {"name": name},
        "spec": {key: value for key, value in document.items() if value != []},
    }
    lines = [*(f"# {each}" for each in (*_usage(name), *lost)), *yaml.write(manifest)]
    return Written("\n".join([*lines, ""]).encode(), tuple(lost))


def read(content: bytes, target: Target) -> Loaded:
    """Return the profile of a manifest, as YAML or as JSON; raise FormatError."""
    try:
        is_json = content.lstrip().startswith(b"{")
        manifest = msgspec.json.decode(content) if is_json else yaml.read(content.decode())
    except (UnicodeDecodeError, msgspec.DecodeError, yaml.YamlError) as error:
        raise FormatError(f"not a manifest of a SeccompProfile: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        raise FormatError("not a manifest of a SeccompProfile: its kind is another one")
    spec = manifest.get("spec")
    if not isinstance(spec, dict):
        raise FormatError("not a manifest of a SeccompProfile: it has no spec")
    loaded = oci.of_document(spec, target)
    if base := spec.get("baseProfileName"):
        return Loaded(
            loaded.profile,
            (f"the operator adds the calls of the profile {base!r}, which is not in the file",),
        )
    return loaded


def resource_name(text: str) -> str:
    """Return a name that Kubernetes accepts."""
    return _NOT_IN_NAMES.sub("-", text.lower())[:_LONGEST_NAME].strip("-") or "profile"


def _usage(name: str) -> tuple[str, ...]:
    return (
        "With the Security Profiles Operator: kubectl apply -f this file, then in the pod:",
        "  securityContext:",
        "    seccompProfile:",
        "      type: Localhost",
        f"      localhostProfile: operator/{name}.json",
        "The status of the resource has the path: older versions of the operator put the namespace",
        f"in it, as in operator/NAMESPACE/{name}.json.",
        "Without the operator: write the profile with '--format oci' to",
        f"/var/lib/kubelet/seccomp/{name}.json on each node, with localhostProfile: {name}.json.",
    )


def _fitted(document: dict[str, Any]) -> list[str]:
    """Change a document to what the schema can express, and return what is lost."""
    lost = []
    number = document.pop(_ERRNO, None)
    if number not in (None, 1):
        lost.append(f"refused calls fail with EPERM instead of error {number}")
    names = document["architectures"]
    if unknown := _UNKNOWN.intersection(names):
        document["architectures"] = [name for name in names if name not in _UNKNOWN]
        lost.append(f"the operator does not know {', '.join(sorted(unknown))}")
    kept = []
    for entry in document["syscalls"]:
        values = [each.get(key, 0) for each in entry.get("args", ()) for key in _VALUES]
        if max(values, default=0) > _LARGEST:
            lost.append(f"{', '.join(entry['names'])}: left out, since a value has 64 bits")
        else:
            kept.append(entry)
    document["syscalls"] = kept
    return lost


_VALUES: Final = ("value", "valueTwo")
