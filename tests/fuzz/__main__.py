"""
Fuzz one target after the other with Atheris: `python -m tests.fuzz [TARGET...] [-OPTION...]`.

Options are those of libFuzzer; `-max_total_time=60` gives each target a minute.  New inputs are
kept in a folder for this run alone, whose name is printed, and so is what makes a target fail.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

_CORPUS = Path(__file__).parent / "corpus"
_TARGETS = sorted(folder.name for folder in _CORPUS.iterdir())
_ONE = "--one="
# Exceeding these limits is a defect: no input is larger than some kilobytes.
_LIMITS = ("-timeout=20", "-rss_limit_mb=1024", "-max_len=4096")


def main(words: list[str]) -> int:
    """Fuzz the given targets, each in a process of its own; return 1 if one fails."""
    if words and words[0].startswith(_ONE):
        fuzz(words[0].removeprefix(_ONE), words[1:])
    options = [word for word in words if word.startswith("-")]
    failed = []
    for name in [word for word in words if word in _TARGETS] or _TARGETS:
        folder = Path(tempfile.mkdtemp(prefix=f"syswatch-fuzz-{name}-"))
        print(f"fuzzing {name}, new inputs in {folder}", flush=True)  # noqa: T201  a program
        places = [str(folder), str(_CORPUS / name), f"-artifact_prefix={folder}/"]
        command = [sys.executable, "-m", "tests.fuzz", f"{_ONE}{name}", *_LIMITS, *options, *places]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed) or 'none'}")  # noqa: T201  as above
    return int(bool(failed))


def fuzz(name: str, arguments: list[str]) -> None:
    """Fuzz a target until libFuzzer ends the process."""
    import atheris

    # Modules that are imported here report their branches to the fuzzer.
    with atheris.instrument_imports(include=["syswatch"]):
        from tests.fuzz.targets import TARGETS

    atheris.Setup([sys.argv[0], *arguments], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
