"""Tests of the chart with helm."""

from pathlib import Path

import yaml
from twisted.trial.unittest import SynchronousTestCase

from tests.deploy.manifests import (
    CHART,
    HELM,
    MODES,
    VERSIONS,
    Manifest,
    arguments_of,
    container_of,
    crd_schema,
    mistakes_in_pod,
    pod_of,
    rendered,
    template,
    validate,
)
from tests.options.parsing import error_of
from tests.system.servers import need
from tests.system.shell import run

_MONITORS = ("PodMonitor", "ServiceMonitor")
# Every template, and each of its branches.
_VARIANTS = {
    "daemonset": (
        ('daemonset.by=""', 'token.existingSecret=""'),
        ('daemonset.by="process-name"', 'extraArgs=["--no-args", "--redact=secrets"]'),
        ('daemonset.by="container"', 'imagePullSecrets=[{"name": "pull"}]'),
        (
            'daemonset.by="cgroup"',
            'daemonset.nodeSelector={"pool": "a"}',
            "daemonset.tolerations=[]",
        ),
        ('daemonset.priorityClassName="high"', 'podAnnotations={"a": "b"}', 'podLabels={"c": "d"}'),
        ('extraEnv=[{"name": "A", "value": "b"}]', f'image.digest="sha256:{"0" * 64}"'),
        ("podMonitor.enabled=false", "serviceMonitor.enabled=true"),
        ("networkPolicy.enabled=false", 'podMonitor.labels={"release": "prometheus"}'),
        ('networkPolicy.egress=[{"ports": [{"port": 4318}]}]', "networkPolicy.from=[]"),
        ('daemonset.seccompProfile={"type": "Localhost", "localhostProfile": "syswatch.json"}',),
    ),
    "sidecar": (
        ("sidecar.runAsUser=101", 'token.existingSecret="syswatch"'),
        ("networkPolicy.enabled=false", 'imagePullSecrets=[{"name": "pull"}]'),
        ("serviceMonitor.enabled=false", "podMonitor.enabled=true", 'fullnameOverride="web"'),
    ),
}


class HelmTests(SynchronousTestCase):
    """The chart, as helm understands it."""

    def setUp(self) -> None:
        """Skip the test without helm."""
        need("helm")

    def test_lint(self) -> None:
        """It has no warnings in any mode."""
        for mode in MODES:
            values = str(HELM / "examples" / f"{mode}.yaml")
            result = run(["helm", "lint", "--strict", "--values", values, str(CHART)])
            self.assertEqual(0, result.returncode, result.stdout)

    def test_current(self) -> None:
        """What is checked in is what helm renders: `python -m tests.deploy.rendering`."""
        for mode in MODES:
            self.assertEqual(list(yaml.safe_load_all(template(mode))), rendered(mode))

    def test_variants(self) -> None:
        """With other values, it renders pods and arguments that are accepted."""
        for mode, settings in self.variants():
            manifests = list(yaml.safe_load_all(template(mode, *settings)))
            self.assertEqual([], list(mistakes_in_pod(pod_of(manifests))), settings)
            words = arguments_of(container_of(manifests), Path(self.mktemp()))
            self.assertEqual("", error_of(*words), settings)

    def test_schemas(self) -> None:
        """Kubernetes accepts all of them, in its oldest and its newest version."""
        for version in VERSIONS:
            for mode, settings in self.variants():
                for each in yaml.safe_load_all(template(mode, *settings, version=version)):
                    if each["kind"] not in _MONITORS:
                        validate(each, version)

    def test_monitors(self) -> None:
        """The Prometheus Operator accepts the monitors."""
        schemas = {kind: crd_schema(kind) for kind in _MONITORS}
        seen = set()
        for mode, settings in self.variants():
            for each in yaml.safe_load_all(template(mode, *settings)):
                if each["kind"] in schemas:
                    seen.add(each["kind"])
                    self.assertEqual([], self.mistakes(schemas[each["kind"]], each))
        self.assertEqual(set(_MONITORS), seen)
        # Misspelt keys would be found.
        [monitor] = [each for each in rendered("daemonset") if each["kind"] == "PodMonitor"]
        monitor["spec"]["podMetricsEndpoints"][0]["intervall"] = "30s"
        self.assertEqual(1, len(self.mistakes(schemas["PodMonitor"], monitor)))

    def test_user(self) -> None:
        """A user other than root gets no capability."""
        manifests = list(yaml.safe_load_all(template("sidecar", "sidecar.runAsUser=101")))
        rights = container_of(manifests)["securityContext"]

        self.assertEqual({"drop": ["ALL"]}, rights["capabilities"])
        self.assertEqual((101, True), (rights["runAsUser"], rights["runAsNonRoot"]))

    def test_refused(self) -> None:
        """Values that make no sense are refused in a sentence."""
        for mode, settings, said in (
            (
                "daemonset",
                ('token.existingSecret=""', "networkPolicy.enabled=false"),
                "everyone in the cluster could read the calls of all nodes",
            ),
            ("daemonset", ("serviceMonitor.enabled=true",), "everything would be scraped twice"),
            ("daemonset", ('daemonset.by="pods"',), "value must be one of"),
            ("daemonset", ("tokne=1",), "additional properties 'tokne' not allowed"),
            (
                "sidecar",
                ('sidecar.target=""',),
                "sidecar.target must be the name of what is",
            ),
            ("sidecar", ("sidecar.containers=[]",), "must have the containers of the application"),
        ):
            error = self.assertRaises(ValueError, template, mode, *settings)
            self.assertIn(said, str(error))

    def variants(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return each mode with the values of its example, and with other ones."""
        return [(mode, settings) for mode in MODES for settings in ((), *_VARIANTS[mode])]

    def mistakes(self, schema: object, monitor: Manifest) -> list[str]:
        """Return what a schema does not accept, apart from metadata, which it does not describe."""
        body = {key: value for key, value in monitor.items() if key != "metadata"}
        return [error.message for error in schema.iter_errors(body)]  # type: ignore[attr-defined]
