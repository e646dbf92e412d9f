"""Limits for system calls, with pytest: `pip install 'syswatch[pytest]'`, and run `pytest`."""

import sys

import pytest
from orders import load, print_total, total


@pytest.fixture(name="file")
def _file(tmp_path):
    """Return a file with three orders."""
    file = tmp_path / "orders.json"
    file.write_text("[1, 2, 39]")
    return file


@pytest.mark.syscalls(
    max={"openat": 1, "read": 2},
    max_bytes_in="1 KiB",
    max_errors={"ENOENT": 0},
    forbid=["%net"],
    forbid_programs=["*"],
)
def test_load(file):
    """The file is opened once; neither the network nor another program is used."""
    assert load(file) == (1, 2, 39)


@pytest.mark.syscalls(forbid_programs=["*"], allow_programs=["python*"], forbid_peers=["*"])
def test_print_total(file, capfd):
    """Processes that a test starts count as well."""
    print_total(file)
    assert capfd.readouterr().out == "42\n"


def test_cache(syscalls, file):
    """A block of a test: the second time, nothing is read."""
    load(file)
    with syscalls.watch() as seen:
        assert total(file) == 42
    assert seen.bytes_in == 0
    syscalls.check(seen, max={"%file": 0}, forbid_paths=[file])


def test_command(syscalls):
    """A command, with the arguments of `subprocess.run`."""
    done = syscalls.run([sys.executable, "-c", "print(42)"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert "connect" not in done.calls
    syscalls.check(done, max={"execve": 1}, forbid=["fork", "vfork", "ptrace"])
