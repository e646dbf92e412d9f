"""
Paths and peers of calls that the source of a run does not tell.

A call is counted for one object.  Of a further path or peer that it names, there is a row without
calls, if the backend notes it.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from syswatch.comparison.facts import Facts, ObjectFacts
from syswatch.model.objects import ObjectKind, names_peer
from syswatch.tracer.objects.socket_calls import SENDING
from syswatch.tracer.objects.targets import target_of

_EBPF = "ebpf"


def untold_paths(facts: Facts) -> str:
    """Return why the second path of a call is not known; empty if all are."""
    made = {each.name for each in facts.calls if target_of(each.name).other_path >= 0}
    names = made - _noted(facts)
    return f"the second path of {_listed(names)} is not known{_hint(facts)}" if names else ""


def untold_hosts(facts: Facts) -> str:
    """Return why the host that a message was sent to is not known; empty if all are."""
    noted = _noted(facts)
    names = {
        call
        for call, each in _made_on(ObjectKind.UDP, facts)
        if call in SENDING and call not in noted
        if not names_peer(each.name) or _may_have_others(call, each, facts)
    }
    return f"the peers of {_listed(names)} are not known{_hint(facts)}" if names else ""


def untold_sockets(facts: Facts) -> str:
    """Return why the path of the Unix socket of a peer is not known; empty if all are."""
    noted = _noted(facts)
    names = {
        call
        for call, each in _made_on(ObjectKind.UNIX, facts)
        if _is_unnamed(each.name)
        if call == "connect" or (call in SENDING and call not in noted)
    }
    return f"the Unix sockets of {_listed(names)} are not known{_hint(facts)}" if names else ""


def _made_on(kind: ObjectKind, facts: Facts) -> Iterator[tuple[str, ObjectFacts]]:
    """Yield the calls that were made on each object of a kind."""
    for each in facts.objects or ():
        if each.kind is kind:
            yield from ((call, each) for call, counts in each.calls.items() if counts.made)


def _noted(facts: Facts) -> AbstractSet[str]:
    """Return the calls of which a further path or peer was noted."""
    return {
        call
        for each in facts.objects or ()
        for call, counts in each.calls.items()
        if not counts.made
    }


def _may_have_others(call: str, peer: ObjectFacts, facts: Facts) -> bool:
    """Return whether eBPF may have seen only the first one of the peers of a call."""
    # The messages of a connected socket have one peer.
    return facts.backend == _EBPF and call == "sendmmsg" and "connect" not in peer.calls


def _is_unnamed(name: str) -> bool:
    """Return whether neither a path nor the process at the other end of a socket is known."""
    return name.startswith("socket ") and not name.startswith("socket pair ")


def _listed(names: AbstractSet[str]) -> str:
    return ", ".join(sorted(names))


def _hint(facts: Facts) -> str:
    return " (--backend ptrace records it)" if facts.backend == _EBPF else ""
