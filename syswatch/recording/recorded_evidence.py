"""The evidence of the calls of a recording, as the process that reads them hands it over."""

from syswatch.base.classes import frozen
from syswatch.model.evidence import EvidenceKey, EvidenceTally


@frozen
class RecordedEvidence:
    """What the calls of a recording tell, and what is missing, a sentence for each."""

    rows: tuple[tuple[EvidenceKey, EvidenceTally], ...]
    notes: tuple[str, ...] = ()
    # How many rows exceeded the limit.
    cut: int = 0
