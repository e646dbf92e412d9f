"""Tests of the Dockerfile and the compose file, as far as possible without an engine."""

import shlex
import tomllib
from typing import Any

import yaml
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Attach
from tests.deploy.dockerfile import FOLDER, ignored, stages
from tests.deploy.manifests import container_of, rendered
from tests.docs.pages import CHECKOUT
from tests.options.parsing import config_of


def instructions(name: str) -> list[str]:
    """Return the arguments of all instructions of a kind in the Dockerfile."""
    return [each.arguments for stage in stages() for each in stage.all_of(name)]


class DockerfileTests(SynchronousTestCase):
    """The image."""

    def test_stages(self) -> None:
        """Both stages have the same base, as one has the interpreter of the other's files."""
        first, last = stages()

        self.assertEqual("build", first.name)
        self.assertEqual(first.base, last.base)

    def test_commands(self) -> None:
        """What runs in the container is syswatch, and a check whether its server answers."""
        image = stages()[-1]

        self.assertEqual(["syswatch"], image.entry_point)
        self.assertEqual(["python", "-c"], image.health_check[:2])
        self.assertIn("/healthz", image.health_check[2])

    def test_sources(self) -> None:
        """What is copied exists, in the checkout or in the stage before."""
        made = [shlex.split(each) for each in instructions("RUN")]
        for each in map(str.split, instructions("COPY")):
            if "--from=build" in each:
                self.assertTrue(any(each[1] in words for words in made), each)
            else:
                self.assertTrue((CHECKOUT / each[0]).exists(), each)

    def test_requirements(self) -> None:
        """What pip reads was copied before."""
        copied = {each.split()[-1] for each in instructions("COPY")}
        for words in map(shlex.split, instructions("RUN")):
            if "--requirement" in words:
                self.assertIn(words[words.index("--requirement") + 1], copied)

    def test_push(self) -> None:
        """The image has the packages of the extra with which agents push."""
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
        installed = set(shlex.split(" ".join(instructions("RUN"))))
        needed = [each.split()[0] for each in project["optional-dependencies"]["otlp"]]
        self.assertEqual([], [each for each in needed if each not in installed])

    def test_ignored(self) -> None:
        """Nothing that is needed for the installation is kept from the build."""
        needed = ["pyproject.toml", "README.md", "LICENSE", "setup.py", "share", "syswatch"]
        for each in needed:
            self.assertTrue((CHECKOUT / each).exists())

        self.assertEqual(set(), ignored(str(CHECKOUT), needed))
        self.assertEqual({".git", "dist"}, ignored(str(CHECKOUT), [".git", "dist", "twisted"]))
        inside = str(CHECKOUT / "syswatch" / "web")
        self.assertEqual({"__pycache__"}, ignored(inside, ["__pycache__", "dist", "static"]))


class ComposeTests(SynchronousTestCase):
    """The services of the compose file."""

    def setUp(self) -> None:
        """Read the file."""
        found: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
        self.services, self.volumes = found["services"], found["volumes"]
        self.ours = {
            name: each for name, each in self.services.items() if each["image"] == "syswatch"
        }

    def test_commands(self) -> None:
        """The commands are accepted, and serve on a port that is published on the loopback."""
        self.assertEqual({"machine", "web-syswatch", "log"}, set(self.ours))
        for name, service in self.ours.items():
            words = [
                each.replace("/logs", str(CHECKOUT / "examples")) for each in service["command"]
            ]
            config = config_of(*words)
            assert config.serving is not None
            port = config.serving.address.text.removeprefix("0.0.0.0:")
            self.assertRegex(service["ports"][0], rf"^127\.0\.0\.1:\d+:{port}$", name)

    def test_local(self) -> None:
        """No port is open to other machines."""
        for service in self.services.values():
            for port in service.get("ports", ()):
                self.assertTrue(port.startswith("127.0.0.1:"))

    def test_rights(self) -> None:
        """The containers have the capabilities of those in the chart, and others have none."""
        for name, mode in (("machine", "daemonset"), ("web-syswatch", "sidecar")):
            rights = container_of(rendered(mode))["securityContext"]["capabilities"]
            self.assertEqual(rights["add"], self.ours[name]["cap_add"])
        self.assertEqual("65534:65534", self.ours["log"]["user"])
        self.assertNotIn("cap_add", self.ours["log"])
        for service in self.ours.values():
            self.assertEqual(["ALL"], service["cap_drop"])
            self.assertEqual(["no-new-privileges:true"], service["security_opt"])
            self.assertTrue(service["read_only"])

    def test_targets(self) -> None:
        """The sidecar waits for the program of the service whose processes it sees."""
        sidecar = self.ours["web-syswatch"]
        config = config_of(*sidecar["command"])

        assert isinstance(config.job, Attach)
        [name] = config.job.names
        self.assertIn(f"/{name}:", self.services[sidecar["pid"].removeprefix("service:")]["image"])

    def test_files(self) -> None:
        """What is mounted exists, and the builds find the Dockerfile."""
        for name, service in self.services.items():
            for volume in service.get("volumes", ()):
                source = volume.split(":")[0]
                is_file = source.startswith(".")
                self.assertTrue(
                    (FOLDER / source).exists() if is_file else source in self.volumes,
                    (name, volume),
                )
            if build := service.get("build"):
                self.assertTrue((FOLDER / build["context"] / build["dockerfile"]).exists())

    def test_scraped(self) -> None:
        """Prometheus scrapes the port of the service whose network it shares; so does Grafana."""
        text = (CHECKOUT / "deploy" / "prometheus.yml").read_text()
        self.assertIn("127.0.0.1:8080", text)
        self.assertIn("--serve=0.0.0.0:8080", self.ours["machine"]["command"])
        sources = yaml.safe_load((FOLDER / "grafana" / "datasources.yaml").read_text())
        self.assertEqual("http://127.0.0.1:9090", sources["datasources"][0]["url"])
        for name in ("prometheus", "grafana"):
            self.assertEqual("service:machine", self.services[name]["network_mode"])

    def test_dashboards(self) -> None:
        """Grafana looks for dashboards where they are mounted."""
        provider = yaml.safe_load((FOLDER / "grafana" / "dashboards.yaml").read_text())
        [path] = [each["options"]["path"] for each in provider["providers"]]

        self.assertIn(f"../grafana:{path}:ro", self.services["grafana"]["volumes"])
