"""What all benchmarks have in common."""

import argparse
import shutil


def parser(purpose: str) -> argparse.ArgumentParser:
    """Return a parser with the option that every benchmark has."""
    made = argparse.ArgumentParser(description=purpose)
    made.add_argument(
        "--tiny",
        action="store_true",
        help="run everything once, as small as it gets: to see that it works, not how fast it is",
    )
    return made


def leave_out(what: str, why: str) -> None:
    """Print which comparison is not made, and why."""
    print(f"  left out: {what}: {why}", flush=True)


def has(program: str, what: str) -> bool:
    """Return whether a program is there; print what is left out if it is not."""
    if shutil.which(program):
        return True
    leave_out(what, f"{program} is not installed")
    return False
