"""The manifests in deploy/, rendered by helm or checked in, and what they say."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from twisted.trial.unittest import SkipTest

from tests.system.servers import ROOT, need
from tests.system.shell import run

HELM = ROOT / "deploy" / "helm"
CHART = HELM / "syswatch"
# The modes of the chart: each has an example of values, and what helm makes of them.
MODES = ("daemonset", "sidecar")
# The oldest that the chart supports, and one of the newest.
VERSIONS = ("1.25.0", "1.35.0")
_TOKEN_FOLDER = "/etc/syswatch"
_TOKEN_OPTION = f"--http-token-file={_TOKEN_FOLDER}/token"
_POD_SCHEMA = ROOT / "tests" / "system" / "kubernetes_pod.json"

Manifest = dict[str, Any]


def rendered(mode: str) -> list[Manifest]:
    """Return the manifests of a mode that are checked in."""
    return list(yaml.safe_load_all((HELM / "rendered" / f"{mode}.yaml").read_text()))


def template(mode: str, *settings: str, version: str = VERSIONS[-1]) -> str:
    """Return what helm renders from the example of a mode, with other values on top."""
    need("helm")
    values = [word for each in settings for word in ("--set-json", each)]
    example = str(HELM / "examples" / f"{mode}.yaml")
    words = ["template", "syswatch", str(CHART), "--namespace", "monitoring", "--values", example]
    result = run(["helm", *words, "--kube-version", version, *values])
    if result.returncode:
        raise ValueError(result.stderr)
    return result.stdout


def of_kind(manifests: Sequence[Manifest], kind: str) -> Manifest:
    """Return the only manifest of a kind."""
    [found] = [each for each in manifests if each["kind"] == kind]
    return found


def pod_of(manifests: Sequence[Manifest]) -> Manifest:
    """Return the specification of the pods that the manifests make."""
    [found] = [each for each in manifests if "template" in each.get("spec", {})]
    spec: Manifest = found["spec"]["template"]["spec"]
    return spec


def container_of(manifests: Sequence[Manifest]) -> Manifest:
    """Return the container of syswatch."""
    [found] = [each for each in pod_of(manifests)["containers"] if each["name"] == "syswatch"]
    return dict(found)


def arguments_of(container: Manifest, token: Path) -> list[str]:
    """Return the arguments of a container, with a file in place of that from the Secret."""
    token.write_text("secret\n")
    mounts = [each["mountPath"] for each in container.get("volumeMounts", ())]
    words = list(container["args"])
    if _TOKEN_FOLDER in mounts:
        words[words.index(_TOKEN_OPTION)] = f"--http-token-file={token}"
    return words


@cache
def _pod_schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads(_POD_SCHEMA.read_text()))


def mistakes_in_pod(spec: Manifest) -> Iterator[str]:
    """Yield what Kubernetes does not accept in the specification of a pod."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "any"}, "spec": spec}
    return map(str, _pod_schema().iter_errors(pod))


def validate(manifest: Manifest, version: str) -> None:
    """Validate a manifest of Kubernetes itself; unknown keys are mistakes, too."""
    try:
        import kubernetes_validate
    except ImportError:
        raise SkipTest("kubernetes-validate is not installed (dependency group deploy)") from None
    kubernetes_validate.validate(manifest, version.rpartition(".")[0], strict=True)


def crd_schema(kind: str) -> Draft202012Validator:
    """Return the schema of a kind of the Prometheus Operator, if Go has downloaded its module."""
    need("go")
    module = "github.com/prometheus-operator/prometheus-operator"
    cache_folder = run(["go", "env", "GOMODCACHE"]).stdout.strip()
    folder = "example/prometheus-operator-crd"
    name = f"monitoring.coreos.com_{kind.lower()}s.yaml"
    found = sorted(Path(cache_folder).glob(f"{module}@*/{folder}/{name}"))
    if not found:
        raise SkipTest(f"no schema of {kind}: run 'go mod download {module}@latest'")
    definition = yaml.safe_load(found[-1].read_text())
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return Draft202012Validator(_strict(schema))


def _strict(schema: Any) -> Any:
    """Return a schema in which unknown keys are mistakes, as the API server warns of them."""
    if isinstance(schema, list):
        return list(map(_strict, schema))
    if not isinstance(schema, dict):
        return schema
    # The API server adds the metadata, whose fields a definition does not list.
    strict = {"additionalProperties": False} if len(schema.get("properties", {})) else {}
    return {**strict, **{key: _strict(value) for key, value in schema.items()}}
