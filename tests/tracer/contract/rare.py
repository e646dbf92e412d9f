"""Tests of kinds of descriptors that few programs have."""

from unittest import SkipTest

from syswatch.model.objects import ObjectKind
from tests.tracer.programs import program

from .activity import total
from .case import BackendCase

_KINDS = {
    "pidfd": ObjectKind.DESCRIPTOR,
    "perf_event": ObjectKind.DESCRIPTOR,
    "io_uring": ObjectKind.IO_URING,
    "userfaultfd": ObjectKind.DESCRIPTOR,
    "bpf-map": ObjectKind.DESCRIPTOR,
}
_USES = 5


class RareDescriptorContract(BackendCase):
    """Kinds that few programs have, one after the other with the same number."""

    def test_kinds(self) -> None:
        """Each has an object of its own; those that the kernel refuses are the reason of a skip."""
        outcome = self.trace(program("exotic"))
        refused = outcome.output.decode().splitlines()
        for name, kind in _KINDS.items():
            if any(line.startswith(f"{name}:") for line in refused):
                continue
            rows = total(
                outcome.delta,
                lambda key, info, name=name, kind=kind: (  # type: ignore[misc]
                    key.call == "pread64"
                    and info.kind is kind
                    and info.name.startswith(f"{name} 3 of exotic ")
                ),
            )
            self.assertEqual((_USES, _USES), (rows.count, rows.errors), name)
        self.assertEqual(0, outcome.delta.ledger.untracked_objects)
        if refused:
            raise SkipTest(f"the kernel refuses {', '.join(refused)}")
