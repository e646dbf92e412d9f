"""Options that contradict each other, or that have no effect without, or beside, another."""

from .arguments import Arguments, UsageError
from .declaration import Clash, Option


def check_effects(arguments: Arguments) -> None:
    """Refuse options that cannot have the effect that the user wants."""
    given = [option for option in arguments.command.options if arguments.has(option.name)]
    for check in (_check_contradictions, _check_ebpf, _check_needs, _check_clashes):
        for option in given:
            check(arguments, option)


def _check_contradictions(arguments: Arguments, option: Option) -> None:
    for other in option.excludes:
        if arguments.has(other):
            labels = arguments.label(option.name), arguments.label(other)
            raise UsageError(f"{labels[0]} and {labels[1]} contradict each other")


def _check_ebpf(arguments: Arguments, option: Option) -> None:
    if option.ebpf_only is None or arguments.value("backend") != "ptrace":
        return
    if not option.ebpf_only or arguments.value(option.name) == option.ebpf_only:
        given = f"{arguments.label(option.name)} {option.ebpf_only}".rstrip()
        raise UsageError(f"{given} needs eBPF, which --backend ptrace rules out")


def _check_needs(arguments: Arguments, option: Option) -> None:
    if option.needs and not arguments.has(option.needs):
        raise UsageError(f"{arguments.label(option.name)} has no effect without --{option.needs}")


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
