"""Tests of what is in deploy/, as far as a machine without a cluster can."""

import importlib
import importlib.util
import shutil
from pathlib import Path
from typing import Any

import yaml
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.system.servers import ROOT, need
from tests.system.shell import run

DEPLOY = ROOT / "deploy"


class SystemdTests(SynchronousTestCase):
    """The units."""

    def test_verified(self) -> None:
        """There is nothing that systemd has against them."""
        need("systemd-analyze")
        folder = Path(self.mktemp())
        folder.mkdir()
        service = (DEPLOY / "systemd" / "syswatch.service").read_text()
        ours = "/usr/local/bin/syswatch"
        self.assertIn(ours, service)
        there = service.replace(ours, str(shutil.which("true"))).replace("User=syswatch\n", "")
        (folder / "syswatch.service").write_text(there)
        (folder / "syswatch.socket").write_text((DEPLOY / "systemd/syswatch.socket").read_text())

        for unit in ("syswatch.service", "syswatch.socket"):
            result = run(["systemd-analyze", "verify", "--man=no", str(folder / unit)])
            ours_alone = [line for line in result.stderr.splitlines() if "syswatch" in line]
            self.assertEqual([], ours_alone)

    def test_rights(self) -> None:
        """The service has the rights of a tracer and no more, and nothing takes them away."""
        lines = (DEPLOY / "systemd" / "syswatch.service").read_text().splitlines()
        rights = "CAP_SYS_PTRACE CAP_BPF CAP_PERFMON"

        self.assertIn(f"AmbientCapabilities={rights}", lines)
        self.assertIn(f"CapabilityBoundingSet={rights}", lines)
        self.assertIn("NoNewPrivileges=false", lines)
        # Each of these would turn NoNewPrivileges on.
        for setting in ("SystemCallFilter=", "RestrictAddressFamilies=", "PrivateDevices="):
            self.assertFalse(any(line.startswith(setting) for line in lines))


class KubernetesTests(SynchronousTestCase):
    """The sidecar."""

    def setUp(self) -> None:
        """Read it."""
        text = (DEPLOY / "kubernetes" / "sidecar.yaml").read_text()
        self.pod: dict[str, Any] = yaml.safe_load(text)

    def test_schema(self) -> None:
        """It has the shape that Kubernetes wants."""
        if importlib.util.find_spec("kubernetes_validate") is None:
            raise SkipTest("kubernetes-validate is not installed")
        module: Any = importlib.import_module("kubernetes_validate")

        module.validate(self.pod, "1.30", strict=True)

    def test_rights(self) -> None:
        """It sees the other container's processes and may trace them, and nothing else."""
        spec = self.pod["spec"]
        [sidecar] = [each for each in spec["containers"] if each["name"] == "syswatch"]
        rights = sidecar["securityContext"]

        self.assertTrue(spec["shareProcessNamespace"])
        self.assertEqual({"drop": ["ALL"], "add": ["SYS_PTRACE"]}, rights["capabilities"])
        self.assertFalse(rights["privileged"])
        self.assertTrue(rights["readOnlyRootFilesystem"])
        self.assertEqual({"type": "RuntimeDefault"}, rights["seccompProfile"])
        self.assertEqual("/healthz", sidecar["livenessProbe"]["httpGet"]["path"])
        self.assertEqual("/readyz", sidecar["readinessProbe"]["httpGet"]["path"])


class DockerTests(SynchronousTestCase):
    """The image."""

    def test_same_words(self) -> None:
        """The documentation and the file say the same command."""
        file = (DEPLOY / "docker" / "Dockerfile").read_text()
        page = (ROOT / "docs" / "deployment.rst").read_text()

        for words in ("--cap-drop=ALL --cap-add=SYS_PTRACE", "-p 127.0.0.1:8080:8080"):
            self.assertIn(words, file)
            self.assertIn(words, page)
