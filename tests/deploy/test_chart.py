"""Tests of what the chart renders, which is checked in: they need no other program."""

from pathlib import Path

import yaml
from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.version import VERSION
from syswatch.model.messages import Attach
from tests.deploy.manifests import (
    CHART,
    HELM,
    MODES,
    arguments_of,
    container_of,
    mistakes_in_pod,
    of_kind,
    pod_of,
    rendered,
)
from tests.options.parsing import config_of


class ChartTests(SynchronousTestCase):
    """Both modes."""

    def test_version(self) -> None:
        """The chart and the image have the version of the package."""
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())

        self.assertEqual([VERSION] * 2, [chart["version"], chart["appVersion"]])

    def test_pods(self) -> None:
        """The pods match the schema of Kubernetes."""
        for mode in MODES:
            spec = pod_of(rendered(mode))
            self.assertEqual([], list(mistakes_in_pod(spec)))
            # Misspelt keys would be found.
            wrong = {**spec, "hostPid": True}
            self.assertEqual(1, len(list(mistakes_in_pod(wrong))))

    def test_least(self) -> None:
        """Whatever is not needed is given up."""
        for mode in MODES:
            spec = pod_of(rendered(mode))
            rights = container_of(rendered(mode))["securityContext"]

            # Given, not left out: the defaults of Kubernetes are others.
            for given in (
                not spec["automountServiceAccountToken"],
                not rights["privileged"],
                not rights["allowPrivilegeEscalation"],
                rights["readOnlyRootFilesystem"],
            ):
                self.assertTrue(given)
            self.assertEqual(["ALL"], rights["capabilities"]["drop"])
            self.assertEqual({"type": "RuntimeDefault"}, rights["seccompProfile"])
            self.assertNotIn("hostNetwork", spec)
            self.assertNotIn("hostIPC", spec)

    def test_ports(self) -> None:
        """The server, the probes, the policy and the monitors agree on the port."""
        for mode in MODES:
            manifests, container = rendered(mode), container_of(rendered(mode))
            [port] = container["ports"]
            config = config_of(*arguments_of(container, Path(self.mktemp())))

            assert config.serving is not None
            self.assertEqual(f"0.0.0.0:{port['containerPort']}", config.serving.address.text)
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                self.assertEqual(port["name"], container[probe]["httpGet"]["port"])
            [first, *_] = of_kind(manifests, "NetworkPolicy")["spec"]["ingress"]
            self.assertEqual([{"port": port["name"], "protocol": "TCP"}], first["ports"])

    def test_selectors(self) -> None:
        """What selects pods selects these."""
        for mode, kind in (("daemonset", "DaemonSet"), ("sidecar", "Deployment")):
            manifests = rendered(mode)
            labels = of_kind(manifests, kind)["spec"]["template"]["metadata"]["labels"].items()
            for each in manifests:
                spec = each["spec"]
                if each["kind"] == "Service":
                    self.assertLessEqual(spec["selector"].items(), labels)
                    continue
                selector = spec.get("selector") or spec["podSelector"]
                self.assertLessEqual(selector["matchLabels"].items(), labels)


class DaemonSetTests(SynchronousTestCase):
    """The agent of each node."""

    def setUp(self) -> None:
        """Read what is checked in."""
        self.manifests = rendered("daemonset")
        self.pod, self.container = pod_of(self.manifests), container_of(self.manifests)

    def test_arguments(self) -> None:
        """It traces all processes of the node with eBPF, by pod, and needs the token."""
        config = config_of(*arguments_of(self.container, Path(self.mktemp())))

        assert isinstance(config.job, Attach)
        self.assertTrue(config.job.everybody)
        self.assertEqual("ebpf", config.job.options.backend)
        self.assertIn("--by=pod", self.container["args"])
        assert config.serving is not None
        self.assertIsNotNone(config.serving.access.http_token)
        self.assertIn("--http-token-file=/etc/syswatch/token", self.container["args"])
        [mount] = [each for each in self.container["volumeMounts"] if each["name"] == "token"]
        [volume] = [each for each in self.pod["volumes"] if each["name"] == "token"]
        [item] = volume["secret"]["items"]
        self.assertEqual("/etc/syswatch/token", f"{mount['mountPath']}/{item['path']}")

    def test_rights(self) -> None:
        """It sees the processes of the node, on every node, and reads its directories only."""
        rights = self.container["securityContext"]["capabilities"]

        self.assertTrue(self.pod["hostPID"])
        self.assertEqual(["BPF", "PERFMON"], rights["add"])
        self.assertEqual([{"operator": "Exists"}], self.pod["tolerations"])
        places = {each["hostPath"]["path"] for each in self.pod["volumes"] if "hostPath" in each}
        self.assertEqual({"/sys/fs/cgroup", "/var/log/pods"}, places)
        self.assertTrue(all(each["readOnly"] for each in self.container["volumeMounts"]))

    def test_scraped(self) -> None:
        """Prometheus gets the token from the same Secret, and no series without a node."""
        monitor = of_kind(self.manifests, "PodMonitor")["spec"]
        [endpoint] = monitor["podMetricsEndpoints"]
        [volume] = [each for each in self.pod["volumes"] if each["name"] == "token"]
        [item] = volume["secret"]["items"]

        self.assertEqual(
            {"name": volume["secret"]["secretName"], "key": item["key"]},
            endpoint["authorization"]["credentials"],
        )
        self.assertEqual(["node"], [each["targetLabel"] for each in endpoint["relabelings"]])

    def test_isolated(self) -> None:
        """Only the namespace of the monitoring may connect, and it opens no connection."""
        policy = of_kind(self.manifests, "NetworkPolicy")["spec"]

        self.assertEqual(["Ingress", "Egress"], policy["policyTypes"])
        self.assertEqual([], policy["egress"])
        self.assertEqual(1, len(policy["ingress"]))


class SidecarTests(SynchronousTestCase):
    """The container beside an application."""

    def test_arguments(self) -> None:
        """It waits for the application and ends with it."""
        spec, container = pod_of(rendered("sidecar")), container_of(rendered("sidecar"))
        config = config_of(*arguments_of(container, Path(self.mktemp())))

        assert isinstance(config.job, Attach)
        self.assertEqual("ptrace", config.job.options.backend)
        self.assertTrue(config.job.wait and config.exit_with_target)
        self.assertEqual(("nginx",), config.job.names)
        self.assertTrue(spec["shareProcessNamespace"])
        self.assertEqual(["SYS_PTRACE"], container["securityContext"]["capabilities"]["add"])

    def test_open(self) -> None:
        """The policy leaves the ports of the application open."""
        policy = of_kind(rendered("sidecar"), "NetworkPolicy")["spec"]

        self.assertEqual(["Ingress"], policy["policyTypes"])
        self.assertEqual([{"ports": [{"port": 80, "protocol": "TCP"}]}], policy["ingress"][1:])


class EphemeralTests(SynchronousTestCase):
    """The container that `kubectl debug` adds to a running pod."""

    def test_rights(self) -> None:
        """It has the rights of the sidecar, and Kubernetes accepts them."""
        text = (HELM.parent / "kubernetes" / "ephemeral.yaml").read_text()
        custom = yaml.safe_load(text)
        rights = container_of(rendered("sidecar"))["securityContext"]

        self.assertEqual(
            {**rights, "runAsNonRoot": False}, {"runAsGroup": 0, **custom["securityContext"]}
        )
        container = {"name": "debugger", "image": "syswatch", "targetContainerName": "app"}
        application = {"name": "app", "image": "app"}
        spec = {"containers": [application], "ephemeralContainers": [{**container, **custom}]}
        self.assertEqual([], list(mistakes_in_pod(spec)))

    def test_arguments(self) -> None:
        """The command in its comment attaches to the main process of the container."""
        text = (HELM.parent / "kubernetes" / "ephemeral.yaml").read_text()
        [line] = [each for each in text.splitlines() if "--arguments-only -- " in each]
        config = config_of(*line.partition(" -- ")[2].split())

        assert isinstance(config.job, Attach)
        self.assertEqual((1,), config.job.pids)
