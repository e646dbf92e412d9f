"""Settings for a systemd unit: what goes into `/etc/systemd/system/NAME.service.d/`."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from syswatch.model.errnos import errno_name
from syswatch.profiles.actions import ActionKind
from syswatch.profiles.architectures import known_calls
from syswatch.profiles.profile import Profile

from .outcome import FormatError, Written
from .systemd_groups import IMPLIED, covering, groups
from .systemd_restrictions import denies_write_execute, families_of, namespaces_of

_LINE: Final = 96
# Their conditions are written as settings of their own, or else lost.
_FAMILIES: Final = frozenset({"socket"})
_NAMESPACES: Final = frozenset({"clone", "unshare", "setns"})
_UNKNOWN_WRITES: Final = (
    "files that were opened for writing but not written, and the second paths of rename and link,"
    " are not known: add them to ReadWritePaths="
)
_UNKNOWN_FILES: Final = (
    "it is not known which files the program writes, so ProtectSystem= and ReadWritePaths= are not"
    " set"
)
_LOG_ONLY: Final = (
    "systemd can log only by the names of calls, so settings that limit arguments, files and"
    " architectures, which would refuse, are left out"
)
_EXECUTABLE: Final = frozenset({"mmap", "mmap2", "mprotect", "pkey_mprotect", "shmat"})


def write(profile: Profile, written_paths: Collection[str] | None = None) -> Written:
    """Return the settings of a profile; raise FormatError if systemd has none for it."""
    if profile.default.permits and profile.default.kind is not ActionKind.LOG:
        raise FormatError(
            "a profile that permits what it does not list can't be written for systemd"
        )
    writer = _Writer(profile)
    if profile.default.kind is ActionKind.LOG:
        return _written(["NoNewPrivileges=yes", *writer.logging()], [_LOG_ONLY])
    settings = [*writer.settings(), *_paths(written_paths)]
    losses = (*writer.losses, _UNKNOWN_FILES if written_paths is None else _UNKNOWN_WRITES)
    return _written(settings, losses)


def _written(settings: Sequence[str], losses: Sequence[str]) -> Written:
    comments = [f"# {each}" for each in losses]
    return Written("\n".join([*comments, "[Service]", *settings, ""]).encode(), tuple(losses))


def _paths(paths: Collection[str] | None) -> Iterator[str]:
    if paths is not None:
        yield "ProtectSystem=strict"
        # A minus sign: a path that does not exist yet is no error.
        yield from (f"ReadWritePaths={_quoted(f'-{path}')}" for path in sorted(set(paths)))


def _quoted(text: str) -> str:
    """Return a word of a setting; a percent sign would begin a specifier."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


class _Writer:
    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._known = known_calls(profile.architectures)
        self._carried: set[str] = set()
        self.losses: list[str] = []

    def settings(self) -> list[str]:
        """Return the settings, and note what they do not express."""
        restrictions = list(self._restrictions())
        found = [
            "NoNewPrivileges=yes",
            f"SystemCallArchitectures={' '.join(self._architectures())}",
            *self._filter(),
            *restrictions,
        ]
        self._note_losses()
        return found

    def _architectures(self) -> list[str]:
        architectures = self._profile.architectures
        if len(architectures) == 1 and architectures[0].is_main:
            return ["native"]
        return [each.systemd for each in architectures]

    def logging(self) -> Iterator[str]:
        """Yield settings by which everything but the calls is logged, and nothing refused."""
        return _lines("SystemCallLog=~", sorted(self._profile.calls & self._known))

    def _filter(self) -> Iterator[str]:
        # RestrictNamespaces= makes clone3 fail with ENOSYS, but only if no filter refuses it.
        extra = {"clone3"} if self._pretends_absent() else set()
        calls = frozenset(self._profile.calls | extra) & self._known
        chosen, rest = covering(calls, self._known)
        yield from _lines("SystemCallFilter=", [IMPLIED, *chosen])
        yield from _lines("SystemCallFilter=", sorted(rest))
        if self._profile.default.kind is ActionKind.ERRNO:
            yield f"SystemCallErrorNumber={errno_name(-self._profile.default.number)}"

    def _restrictions(self) -> Iterator[str]:
        families = families_of(self._profile)
        if families is not None:
            self._carried |= _FAMILIES
            yield f"RestrictAddressFamilies={' '.join(families) or 'none'}"
        namespaces = namespaces_of(self._profile)
        if namespaces is not None:
            self._carried |= _NAMESPACES
            yield f"RestrictNamespaces={' '.join(namespaces) or 'yes'}"
        if denies_write_execute(self._profile):
            self._carried |= _EXECUTABLE
            yield "MemoryDenyWriteExecute=yes"

    def _pretends_absent(self) -> bool:
        return any(not rule.action.permits for rule in self._profile.of_call("clone3"))

    def _note_losses(self) -> None:
        implied = groups()[IMPLIED] & self._known - self._profile.calls
        if implied:
            self.losses.append(f"systemd also permits {', '.join(sorted(implied))}")
        limited = {rule.call for rule in self._profile.rules if rule.conditions} - self._carried
        if limited:
            self.losses.append(
                "systemd has no setting for these limits of arguments, and permits any:"
                f" {', '.join(sorted(limited))}"
            )
        refused = {rule.call for rule in self._profile.rules if not rule.action.permits}
        refused -= {"clone3"} if "clone" in self._carried else set()
        if refused:
            self.losses.append(
                f"systemd has no own action for single calls: {', '.join(sorted(refused))}"
            )


def _lines(start: str, words: Sequence[str]) -> Iterator[str]:
    """Yield settings that are added up, with as many words as fit into a line."""
    line = start
    for word in words:
        if line != start and len(line) + len(word) >= _LINE:
            yield line
            line = start
        line += word if line == start else f" {word}"
    if line != start:
        yield line
