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
        return (f"securityContext: {{capabilities: {{add: [{listed}]}}}}",)
    if facts.container in {"docker", "podman", "containerd"}:
        tool = "podman" if facts.container == "podman" else "docker"
        return (f"{tool} run {' '.join(f'--cap-add {name}' for name in short)} …",)
    if facts.container == "lxc":
        return (f"lxc.cap.keep = {' '.join(name.lower() for name in short)}",)
    return _on_host(facts, wanted)


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
