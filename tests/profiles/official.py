"""What others publish about profiles: modules of Go, which are downloaded if Go is installed."""

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest

RUNTIME_SPEC = "github.com/opencontainers/runtime-spec@v1.3.0"
OPERATOR = "sigs.k8s.io/security-profiles-operator@v0.9.1"
DOCKER = "github.com/moby/profiles/seccomp@v0.3.0"
_PATIENCE_S = 300
_PRINT_DEFAULT = """
package main

import (
	"encoding/json"
	"os"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

func main() {
	capabilities := &specs.LinuxCapabilities{Bounding: os.Args[1:]}
	spec := &specs.Spec{Process: &specs.Process{Capabilities: capabilities}}
	profile, err := seccomp.GetDefaultProfile(spec)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(profile); err != nil {
		panic(err)
	}
}
"""


def _go(folder: str, *words: str) -> bytes:
    """Run Go in a folder; skip the test if it is not installed or fails, as without a network."""
    if not shutil.which("go"):
        raise SkipTest("go is not installed, which downloads what is compared with")
    done = subprocess.run(
        ["go", *words],
        cwd=folder,
        env={**os.environ, "GOFLAGS": "-mod=mod"},
        capture_output=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip() or done.stdout.decode()
        raise SkipTest(f"go {words[0]} failed: {message}")
    return done.stdout


@cache
def module(name: str) -> Path:
    """Return the folder of a module of Go."""
    with tempfile.TemporaryDirectory() as folder:
        return Path(json.loads(_go(folder, "mod", "download", "-json", name))["Dir"])


def docker_default(capabilities: frozenset[str]) -> dict[str, Any]:
    """Return the profile that Docker gives to a container on this machine, by its own code."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.go").write_text(_PRINT_DEFAULT)
        _go(folder, "mod", "init", "example.org/print")
        _go(folder, "get", DOCKER)
        printed: dict[str, Any] = json.loads(_go(folder, "run", ".", *sorted(capabilities)))
        return printed
