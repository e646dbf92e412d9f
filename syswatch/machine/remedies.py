"""The lines that would give a tracer what it lacks, for the place where it runs."""

from collections.abc import Iterable

from .capabilities import Facts


def for_ptrace_scope(scope: int) -> tuple[str, ...]:
    """Return how the machine's own rule about tracing is relaxed."""
    return (f"sudo sysctl kernel.yama.ptrace_scope={scope}",)


def at_next_boot(scope: int) -> tuple[str, ...]:
    """Return how it is relaxed where it is so strict that it cannot be changed any more."""
    line = f"echo kernel.yama.ptrace_scope={scope} | sudo tee /etc/sysctl.d/10-ptrace.conf"
    return (f"{line}, then reboot",)


def for_capabilities(facts: Facts, names: Iterable[str]) -> tuple[str, ...]:
    """Return how a process comes to have capabilities, the likeliest way first."""
    wanted = sorted(names)
    short = [name.removeprefix("CAP_") for name in wanted]
    if facts.container == "kubernetes":
        listed = ", ".join(f'"{name}"' for name in short)
        return (f"securityContext: {{capabilities: {{add: [{listed}]}}}}",)
    if facts.container in {"docker", "podman", "containerd"}:
        tool = "podman" if facts.container == "podman" else "docker"
        return (f"{tool} run {' '.join(f'--cap-add {name}' for name in short)} …",)
    if facts.container == "lxc":
        return (f"lxc.cap.keep = {' '.join(name.lower() for name in short)}",)
    return _on_the_machine(facts, wanted)


def _on_the_machine(facts: Facts, wanted: list[str]) -> tuple[str, ...]:
    service = f"AmbientCapabilities={' '.join(wanted)} in the [Service] part of a systemd unit"
    if facts.no_new_privileges:
        # Neither sudo nor the capabilities of a file have an effect then.
        return (f"NoNewPrivileges=no and {service}",)
    setcap = f"sudo setcap {','.join(wanted).lower()}+ep {facts.interpreter}"
    return (
        "sudo syswatch …",
        service,
        f"{setcap}  (for every script that this interpreter runs)",
    )
