"""What several logs and recordings that are read together have in common."""

import attrs

from syswatch.model.messages import Ended, Failed, Started


@attrs.define
class CombinedSources:
    """The sources of one reading, each by its name; `only` is what the reader leaves out itself."""

    only: str
    _starts: dict[str, Started] = attrs.field(factory=dict, init=False)
    _ends: dict[str, Ended | Failed] = attrs.field(factory=dict, init=False)

    def __contains__(self, name: str) -> bool:
        """Return whether a source has been started."""
        return name in self._starts

    def start(self, name: str, start: Started) -> None:
        """Take note of a source; its process may be described again later."""
        self._starts[name] = start

    def end(self, name: str, end: Ended | Failed) -> None:
        """Take note of how a source ended."""
        self._ends[name] = end

    @property
    def started(self) -> Started:
        """Return what they are together; the process is that of the first."""
        starts = list(self._starts.values())
        sizes = [start.total_bytes for start in starts if start.total_bytes is not None]
        return Started(
            backend=", ".join(dict.fromkeys(start.backend for start in starts)),
            process=starts[0].process,
            total_bytes=sum(sizes) if sizes else None,
            only=" ".join(dict.fromkeys(filter(None, [*(s.only for s in starts), self.only]))),
        )

    @property
    def ending(self) -> Ended | Failed:
        """Return how all of them ended; where that differs, nothing is known of the whole."""
        failures = [
            f"{name}: the recording ends with: {end.message}"
            for name, end in self._ends.items()
            if isinstance(end, Failed)
        ]
        if failures:
            return Failed("; ".join(failures))
        ends = {end for end in self._ends.values() if isinstance(end, Ended)}
        return ends.pop() if len(ends) == 1 else Ended()
