"""Tests that profiles are valid by the schemas of those who use them, and that Docker's is read."""

import json
import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from jsonschema import Draft4Validator, Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.capabilities import DOCKER_CAPABILITIES
from syswatch.profiles.conditions import Known
from syswatch.profiles.formats import kubernetes, oci
from syswatch.profiles.formats.outcome import Target
from syswatch.profiles.profile import Profile
from syswatch.profiles.starting import startable

from .official import DOCKER, OPERATOR, RUNTIME_SPEC, docker_default, module
from .strategies import profiles

_FAMILIES = (1, 2, 10, 16, 40)


def _resource(folder: Path, name: str) -> "Resource[Any]":
    return DRAFT4.create_resource(json.loads((folder / name).read_text()))


@cache
def _runtime() -> Draft4Validator:
    """Return what validates the configuration of a container."""
    folder = module(RUNTIME_SPEC) / "schema"
    names = [each.name for each in folder.glob("*.json")]
    registry = Registry().with_resources((each, _resource(folder, each)) for each in names)
    return Draft4Validator(_resource(folder, "config-schema.json").contents, registry=registry)


@cache
def _operator() -> Draft202012Validator:
    """Return what validates a resource of the operator."""
    file = module(OPERATOR) / "deploy/base-crds/crds/seccompprofile.yaml"
    (version,) = yaml.safe_load(file.read_text())["spec"]["versions"]
    assert version["name"] == "v1beta1"
    return Draft202012Validator(version["schema"]["openAPIV3Schema"])


class SchemaTests(SynchronousTestCase):
    """The schemas of the OCI runtime-spec and of the Security Profiles Operator."""

    def setUp(self) -> None:
        """Download them."""
        module(RUNTIME_SPEC)
        module(OPERATOR)

    @given(profiles())
    def test_oci(self, profile: Profile) -> None:
        """Every profile is valid in the configuration of a container."""
        document = json.loads(oci.write(startable(profile)).content)
        _runtime().validate({"ociVersion": "1.3.0", "linux": {"seccomp": document}})

    @given(profiles())
    def test_kubernetes(self, profile: Profile) -> None:
        """Every manifest is valid for the operator."""
        manifest = yaml.safe_load(kubernetes.write(startable(profile)).content)
        _operator().validate(manifest)

    def test_mistakes(self) -> None:
        """The schemas find mistakes, so they are those of profiles."""
        wrong = {"defaultAction": "SCMP_ACT_MAYBE"}
        spec = {"ociVersion": "1.3.0", "linux": {"seccomp": wrong}}
        self.assertFalse(_runtime().is_valid(spec))
        self.assertFalse(_operator().is_valid({"spec": wrong}))


class DockerTests(SynchronousTestCase):
    """Docker's default profile, which depends on the machine."""

    def setUp(self) -> None:
        """Read it."""
        if platform.machine() != "x86_64":
            raise SkipTest("Docker's code prints the profile of the machine")
        kernel = tuple(map(int, os.uname().release.split(".")[:2]))
        self.target = Target("x86_64", DOCKER_CAPABILITIES, (kernel[0], kernel[1]))
        content = (module(DOCKER) / "default.json").read_bytes()
        self.profile = oci.read(content, self.target).profile

    def test_as_docker_reads_it(self) -> None:
        """Docker's own code makes the same profile of it."""
        printed = json.dumps(docker_default(DOCKER_CAPABILITIES)).encode()
        self.assertEqual(oci.read(printed, self.target).profile, self.profile)

    def test_answers(self) -> None:
        """It refuses what Docker's documentation says, and permits what programs need."""
        for call in ("mount", "keyctl", "bpf", "unshare", "kexec_load", "perf_event_open"):
            action = self.profile.answer(call, {}, ARCHITECTURES["x86_64"])
            self.assertEqual(action and action.permits, False, call)
        for call in ("read", "openat", "execve", "futex", "chroot"):
            action = self.profile.answer(call, {}, ARCHITECTURES["x86_64"])
            self.assertEqual(action and action.permits, True, call)
        permitted = [
            family
            for family in _FAMILIES
            if (action := self.profile.answer("socket", {0: Known(family)})) and action.permits
        ]
        self.assertEqual(permitted, [1, 2, 10, 16])
