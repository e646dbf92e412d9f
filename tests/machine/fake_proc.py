"""A directory that looks like /proc."""

from pathlib import Path

CONTAINER = "724f319464fa9b4a6e0b54d98bf1243c724f319464fa9b4a6e0b54d98bf1243c"


def add_process(  # noqa: PLR0913  what /proc has of a process
    root: Path,
    pid: int,
    comm: str,
    command: str = "",
    groups: str = "0::/",
    parent: int = 1,
    state: str = "S",
    flags: int = 0,
) -> Path:
    """Add a process, with arguments separated by spaces; return its directory."""
    folder = root / str(pid)
    folder.mkdir(parents=True)
    (folder / "stat").write_text(f"{pid} ({comm}) {state} {parent} {pid} {pid} 0 -1 {flags} 0\n")
    words = command.split() if command else []
    (folder / "cmdline").write_text("".join(f"{word}\0" for word in words))
    (folder / "cgroup").write_text(f"{groups}\n")
    return folder
