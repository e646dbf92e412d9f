"""The names of the formats of profiles, which the command line knows without writing them."""

from collections.abc import Mapping
from typing import Final

CONTENTS: Final[Mapping[str, str]] = {
    "text": "what is permitted and why, for people",
    "json": "everything that is known, with reasons; the format to keep and to merge",
    "oci": "the OCI runtime-spec: Docker, Podman, containerd, crun, runc",
    "systemd": "settings for a unit",
    "kubernetes": "a SeccompProfile of the Security Profiles Operator",
    "bwrap": "a binary filter for 'bwrap --seccomp FD'",
}
TITLES: Final[Mapping[str, str]] = {
    "text": "Text",
    "json": "JSON",
    "oci": "OCI (Docker, Podman)",
    "systemd": "systemd",
    "kubernetes": "Kubernetes",
    "bwrap": "bubblewrap",
}
# Those that are not text, and would disturb a terminal.
BINARY: Final = frozenset({"bwrap"})
# What a profile is saved as.
FILE_NAMES: Final[Mapping[str, str]] = {
    "text": "profile.txt",
    "json": "profile.json",
    "oci": "seccomp.json",
    "systemd": "seccomp.conf",
    "kubernetes": "seccompprofile.yaml",
    "bwrap": "seccomp.bpf",
}
