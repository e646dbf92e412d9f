"""Commands and settings that grant what a tracer lacks, for the environment it runs in."""

from collections.abc import Iterable

from .capabilities import Facts


def for_ptrace_scope(scope: int) -> tuple[str, ...]:
    """Return how to relax Yama's restriction of tracing."""
    return (f"sudo sysctl kernel.yama.ptrace_scope={scope}",)


def at_next_boot(scope: int) -> tuple[str, ...]:
    """Return how to relax it if it can only be changed at boot."""
    line = f"echo kernel.yama.ptrace_scope={scope} | sudo tee /etc/sysctl.d/10-ptrace.conf"
    return (f"{line}, then reboot",)


def for_capabilities(facts: Facts, names: Iterable[str]) -> tuple[str, ...]:
    """Return how to grant capabilities to a process, the most usual way first."""
    wanted = sorted(names)
    short = [name.removeprefix("CAP_") for name in wanted]
    if facts.container == "kubernetes":
        listed = ", ".join(f'"{name}"' for name in short)
        user = "runAsUser: 0, " if facts.uid else ""
        return (f"securityContext: {{{user}capabilities: {{add: [{listed}]}}}}",)
    if facts.container in {"docker", "podman", "containerd"}:
        return (_in_container(facts, wanted),)
    if facts.container == "lxc":
        # Not lxc.cap.keep, which drops all others.
        return (f"lxc.cap.drop without {' '.join(name.lower() for name in short)}",)
    return _on_host(facts, wanted)


def _in_container(facts: Facts, wanted: list[str]) -> str:
    """Return how to start a process that has them: added ones are effective for root only."""
    tool = "podman" if facts.container == "podman" else "docker"
    user = "--user root " if facts.uid else ""
    if user and facts.of_root.issuperset(wanted):
        return f"{tool} exec {user}…"
    added = " ".join(f"--cap-add {name.removeprefix('CAP_')}" for name in wanted)
    return f"{tool} run {user}{added} …"


def _on_host(facts: Facts, wanted: list[str]) -> tuple[str, ...]:
    service = f"AmbientCapabilities={' '.join(wanted)} in the [Service] section of a systemd unit"
    if facts.no_new_privileges:
        # Neither sudo nor file capabilities have an effect then.
        return (f"NoNewPrivileges=no and {service}",)
    setcap = f"sudo setcap {','.join(wanted).lower()}+ep {facts.interpreter}"
    return (
        "sudo syswatch …",
        service,
        f"{setcap}  (applies to every script of this interpreter)",
    )
