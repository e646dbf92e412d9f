"""Tests of the files in deploy/, as far as possible without a cluster."""

import json
import re
import shutil
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Attach
from tests.options.parsing import config_of
from tests.system.servers import ROOT, need
from tests.system.shell import run

DEPLOY = ROOT / "deploy"


class SystemdTests(SynchronousTestCase):
    """The systemd units."""

    def test_verified(self) -> None:
        """systemd-analyze verify accepts them."""
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
        """The service has exactly the capabilities that a tracer needs."""
        lines = (DEPLOY / "systemd" / "syswatch.service").read_text().splitlines()
        rights = "CAP_SYS_PTRACE CAP_BPF CAP_PERFMON"

        self.assertIn(f"AmbientCapabilities={rights}", lines)
        self.assertIn(f"CapabilityBoundingSet={rights}", lines)
        self.assertIn("NoNewPrivileges=false", lines)
        # Each of these implies NoNewPrivileges.
        for setting in ("SystemCallFilter=", "RestrictAddressFamilies=", "PrivateDevices="):
            self.assertFalse(any(line.startswith(setting) for line in lines))

    def test_arguments(self) -> None:
        """The example arguments of the units are valid and name one target."""
        for unit in ("syswatch.service", "syswatch.socket"):
            text = (DEPLOY / "systemd" / unit).read_text()
            [arguments] = re.findall(r"^#     SYSWATCH_ARGS=(.*)", text, re.MULTILINE)
            config = config_of(*arguments.split())
            self.assertIsNotNone(config.serving)
            assert isinstance(config.job, Attach)
            self.assertEqual((("nginx",), True), (config.job.names, config.job.wait))


class KubernetesTests(SynchronousTestCase):
    """The Kubernetes sidecar."""

    def setUp(self) -> None:
        """Parse the manifest."""
        text = (DEPLOY / "kubernetes" / "sidecar.yaml").read_text()
        self.pod: dict[str, Any] = yaml.safe_load(text)

    def test_schema(self) -> None:
        """The manifest matches the schema of Kubernetes."""
        schema = json.loads(Path(__file__).with_name("kubernetes_pod.json").read_text())
        kubernetes = Draft202012Validator(schema)

        self.assertEqual([], [str(error) for error in kubernetes.iter_errors(self.pod)])
        # Misspelt keys and wrong types would be found.
        sidecar = self.pod["spec"]["containers"][1]
        sidecar["securitycontext"] = {}
        sidecar["ports"][0]["containerPort"] = "http"
        self.assertEqual(2, len(list(kubernetes.iter_errors(self.pod))))

    def test_arguments(self) -> None:
        """The sidecar waits for the other container's program and ends with it."""
        app, sidecar = self.pod["spec"]["containers"]
        config = config_of(*sidecar["args"])

        assert isinstance(config.job, Attach)
        self.assertTrue(config.job.wait and config.exit_with_target)
        [name] = config.job.names
        self.assertIn(f"/{name}:", app["image"])
        assert config.serving is not None
        [port] = sidecar["ports"]
        self.assertEqual(f"0.0.0.0:{port['containerPort']}", config.serving.address.text)
        self.assertEqual("Always", self.pod["spec"].get("restartPolicy", "Always"))

    def test_rights(self) -> None:
        """The sidecar shares the process namespace and has only the capabilities to trace."""
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
    """The container image."""

    def test_same_words(self) -> None:
        """The command in the documentation is that in the Dockerfile."""
        file = (DEPLOY / "docker" / "Dockerfile").read_text()
        page = (ROOT / "docs" / "deployment.rst").read_text()

        for words in ("--cap-drop=ALL --cap-add=SYS_PTRACE", "-p 127.0.0.1:8080:8080"):
            self.assertIn(words, file)
            self.assertIn(words, page)

    def test_slim(self) -> None:
        """A slim installation has every dependency but that of the terminal UI, and no extra."""
        lines = (DEPLOY / "docker" / "slim.txt").read_text().splitlines()
        slim = {line.replace(" ", "") for line in lines if not line.startswith("#")}
        needed = {each for each in requires("syswatch") or () if "extra ==" not in each}
        self.assertEqual({"textual"}, {re.split(r"\W", text)[0] for text in needed - slim})
        self.assertEqual(set(), slim - needed)


class LogrotateTests(SynchronousTestCase):
    """The rotation of a daemon's log."""

    def test_same_files(self) -> None:
        """It rotates the daemon's log file and signals the daemon."""
        text = (DEPLOY / "logrotate" / "syswatch").read_text()

        for flag, use in (("logfile", "{} {{\n"), ("pidfile", 'kill -HUP "$(cat {})"')):
            [name] = re.findall(rf"--{flag}=(\S+)", text)
            self.assertIn(use.format(name), text)

    def test_understood(self) -> None:
        """Logrotate accepts it."""
        need("logrotate")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        text = (DEPLOY / "logrotate" / "syswatch").read_text()
        (folder / "twistd.log").write_text("a line")
        there = text.replace("/var/log/syswatch", str(folder)).replace("syswatch syswatch", "0 0")
        (folder / "conf").write_text(there)

        result = run(["logrotate", "-d", "-s", str(folder / "state"), str(folder / "conf")])

        self.assertEqual(0, result.returncode, result.stderr)
        self.assertNotIn("error:", result.stderr)
