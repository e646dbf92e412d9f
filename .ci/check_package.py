#!/usr/bin/env python3
"""Build the distributions, and use the wheel in a clean environment.

Usage: check_package.py CHECKOUT FOLDER
"""

import email
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

from readme_renderer import markdown

checkout, folder = map(Path, sys.argv[1:])
distributions = folder / "dist"
clean = folder / "clean"


def run(*command: object) -> str:
    """Run a command outside the checkout; return its output, or exit if it fails."""
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}\nexit status {done.returncode}")
    return done.stdout


def expect(what: str, *, holds: bool) -> None:
    """Exit with a message unless a statement holds."""
    if not holds:
        sys.exit(f"failed: {what}")
    print(f"ok: {what}")


for old in distributions.glob("*"):
    old.unlink()
# Without --wheel and --sdist the wheel is built from the sdist: both are checked at once.
run(sys.executable, "-m", "build", "--outdir", distributions, checkout)
(sdist,) = distributions.glob("*.tar.gz")
with tarfile.open(sdist) as archive:
    folders = {name.split("/")[1] for name in archive.getnames() if "/" in name}
expect(
    "the sdist has everything that its tests need",
    holds={"syswatch", "tests", "examples", "bench", "deploy", "docs", "share"} <= folders,
)
(wheel,) = distributions.glob("*.whl")
names = zipfile.ZipFile(wheel).namelist()
expect("the wheel has the twistd plugin", holds="twisted/plugins/syswatch_plugin.py" in names)
expect(
    "it has nothing else in the package twisted",
    holds=sum(name.startswith("twisted/") for name in names) == 1,
)
expect(
    "it has no tests, docs or examples",
    holds={name.split("/")[0].split("-")[0] for name in names} == {"syswatch", "twisted"},
)
sources = [path for path in (checkout / "syswatch").rglob("*.c") if "bpf" not in path.name]
compiled = {str(path.relative_to(checkout).with_suffix(".abi3.so")) for path in sources}
expect(
    "it has the compiled modules, for all versions of Python",
    holds=bool(compiled) and compiled <= set(names) and "-cp311-abi3-" in wheel.name,
)
shared = [path.relative_to(checkout) for path in (checkout / "share").rglob("*") if path.is_file()]
expect(
    "the wheel has the manual page and the completions",
    holds=bool(shared) and all(any(n.endswith(f"/data/{path}") for n in names) for path in shared),
)

# An index shows the long description on a page of its own, where a relative link leads nowhere.
(metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
description = email.message_from_bytes(zipfile.ZipFile(wheel).read(metadata))
expect(
    "the long description is Markdown",
    holds=description["Description-Content-Type"] == "text/markdown",
)
page = markdown.render(bytes(description.get_payload(decode=True)).decode()) or ""
expect("it is rendered in full", holds=all(tag in page for tag in ("<h1", "<table", "<pre")))
links = re.findall(r'(?:href|src|srcset)="([^"]*)"', page)
dead = [link for link in links if not re.match(r"https?://|#user-content-", link)]
expect(f"it has no relative link {dead or ''}".rstrip(), holds=not dead)

venv.create(clean, clear=True, with_pip=True)
binaries = clean / "bin"
run(binaries / "python", "-m", "pip", "install", "--quiet", wheel)
run(binaries / "python", "-m", "pip", "check")

version = wheel.name.split("-")[1]
expect("twistd lists syswatch", holds="syswatch" in run(binaries / "twistd", "--help"))
expect("syswatch knows its version", holds=version in run(binaries / "syswatch", "--version"))
expect("they are installed", holds=all((clean / path).is_file() for path in shared))
table = run(binaries / "syswatch", "stats", checkout / "examples" / "git-clone.log")
expect("it reads a sample log", holds="openat" in table)
run(binaries / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "textual")
slim_table = run(binaries / "syswatch", "stats", checkout / "examples" / "git-clone.log")
expect("it does the same without the terminal UI's library", holds=slim_table == table)
