"""Options that contradict each other, or that have no effect without, or beside, another."""

from syswatch.model.backends import find_backend, not_available

from .arguments import Arguments, UsageError
from .declaration import Clash, Option


def check_effects(arguments: Arguments) -> None:
    """Refuse options that cannot have the effect that the user wants."""
    given = [option for option in arguments.command.options if arguments.has(option.name)]
    checks = (_check_contradictions, _check_aliases, _check_backend, _check_needs, _check_clashes)
    for check in checks:
        for option in given:
            check(arguments, option)


def _check_contradictions(arguments: Arguments, option: Option) -> None:
    for other in option.excludes:
        if arguments.has(other):
            labels = arguments.label(option.name), arguments.label(other)
            raise UsageError(f"{labels[0]} and {labels[1]} contradict each other")


def _check_aliases(arguments: Arguments, option: Option) -> None:
    """Refuse an alias beside another value of the option that it stands for."""
    if option.alias_of is None:
        return
    name, meant = option.alias_of
    for label, value in arguments.occurrences(name):
        if value != meant:
            raise UsageError(f"{arguments.label(option.name)} and {label} contradict each other")


def _check_backend(arguments: Arguments, option: Option) -> None:
    backend = find_backend(arguments.value_or_default("backend"))
    capability = option.capability
    if backend is None or capability is None or capability in backend.capabilities:
        return
    if not capability.flag_value or arguments.value(option.name) == capability.flag_value:
        raise UsageError(not_available(capability, backend))


def _check_needs(arguments: Arguments, option: Option) -> None:
    if not option.needs or any(map(arguments.has, option.needs)):
        return
    known = {each.name for each in arguments.command.options}
    needed = " or ".join(f"--{name}" for name in option.needs if name in known)
    raise UsageError(f"{arguments.label(option.name)} has no effect without {needed}")


def _check_clashes(arguments: Arguments, option: Option) -> None:
    for clash in option.clashes:
        if _holds(arguments, clash):
            given = f"{arguments.label(clash.option)} {clash.value}".rstrip()
            label = arguments.label(option.name)
            raise UsageError(f"{label} has no effect with {given}, which {clash.reason}")


def _holds(arguments: Arguments, clash: Clash) -> bool:
    if clash.value:
        return arguments.value(clash.option) == clash.value
    return arguments.has(clash.option)
