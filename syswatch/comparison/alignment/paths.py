"""
Paths without what differs between runs of the same program.

Two kinds of rules: those of `align_path` are certain, since PIDs and temporary names mean nothing
elsewhere.  Those of `shape_of_path` may also match what identifies a file, so they are only for
paths that some runs have and others have not.
"""

import re
from functools import lru_cache

# What all of these begin with.
SIGN = "‹"
PID = "‹pid›"
NAME = "‹name›"
HASH = "‹hash›"
DATE = "‹date›"
NUMBER = "‹n›"

_PROCESS = re.compile(r"^/proc/\d+(?=/|$)")
_TASK = re.compile(r"(?<=/task/)\d+(?=/|$)")
_DESCRIPTOR = re.compile(r"(?<=/fd/)\d+$|(?<=/fdinfo/)\d+$|(?<=/map_files/)[0-9a-f]+-[0-9a-f]+$")
_TERMINAL = re.compile(r"(?<=^/dev/pts/)\d+$")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TEMPORARY_PLACES = (
    "/tmp/",  # noqa: S108
    "/var/tmp/",  # noqa: S108
    "/dev/shm/",  # noqa: S108
    "/run/user/",
)
# What mkstemp(3), tempfile and File::Temp make: random characters after a usual prefix, or where
# they cannot be a word.
_AFTER_PREFIX = re.compile(
    r"(?:(?<=^tmp)|(?<=^cc)|(?<=^sed)|(?<=^sort)|(?<=^sem\.)|(?<=^sem\.mp-)|(?<=^pymp-)|(?<=_obj_)|(?<=_pack_)"
    r"|(?<=_idx_)|(?<=^\.tmp))[A-Za-z0-9_]{6,10}(?=\.\w+$|$)"
)
_CANDIDATE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{6,12}(?=\.\w+$|$)")
# The whole name, if Python or File::Temp made it: their random characters include the underscore.
_WITH_UNDERSCORE = re.compile(r"(?=[A-Za-z0-9]*_)(?:\w{2})?\w{8}(?=\.\w+$|$)")
_WORD = re.compile(r"(?:[A-Z]?[a-z]+)+\d*|[A-Z]+\d*|\d+")
_GIT_OBJECT = re.compile(r"(?<=/objects/)[0-9a-f]{2}(?:/[0-9a-f]{38})?(?=/|$)")
_HASH = re.compile(r"(?<![0-9A-Za-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}(?![0-9A-Za-z])")
_DATE = re.compile(
    r"(?<!\d)20\d\d([-_.]?)[01]\d\1[0-3]\d(?:[-_.T]?[0-2]\d(?:[-_.:]?\d\d){1,2})?(?!\d)"
)
_NUMBER = re.compile(r"\d{4,}")


@lru_cache(maxsize=1 << 15)
def align_path(path: str) -> str:
    """Return a path with a sign for each PID and temporary name."""
    if path.startswith("/proc/"):
        path = _TASK.sub(PID, _PROCESS.sub(f"/proc/{PID}", path))
        return _DESCRIPTOR.sub(NUMBER, path)
    if path.startswith("/dev/pts/"):
        return _TERMINAL.sub(NUMBER, path)
    if path.startswith(_TEMPORARY_PLACES):
        path = "/".join(map(_without_random, path.split("/")))
    return _UUID.sub(NAME, path) if "-" in path else path


def shape_of_path(path: str) -> str:
    """Return a path with a sign for each part that looks like a hash, a date or a random name."""
    path = _GIT_OBJECT.sub(HASH, path)
    path = _HASH.sub(HASH, _DATE.sub(DATE, path))
    path = "/".join(map(_without_random, path.split("/")))
    return _NUMBER.sub(NUMBER, path)


@lru_cache(maxsize=1 << 15)
def _without_random(name: str) -> str:
    """Return a name of a file with its random part replaced, if it has one."""
    if len(name) < len("XXXXXX"):
        return name
    replaced = _AFTER_PREFIX.sub(NAME, name)
    if replaced != name:
        return replaced
    replaced = _CANDIDATE.sub(_name_unless_word, name)
    if replaced != name and _WITH_UNDERSCORE.match(name):
        return _WITH_UNDERSCORE.sub(NAME, name, count=1)
    return replaced


def _name_unless_word(found: re.Match[str]) -> str:
    return found[0] if _WORD.fullmatch(found[0]) else NAME
