"""Host names from samples of calls that have received answers of name servers."""

from syswatch.base.classes import frozen
from syswatch.tracer.decode.traced_call import WORD_BYTES
from syswatch.tracer.objects.answers import RECEIVING, learn, may_answer
from syswatch.tracer.objects.received import received

from . import layout
from .calls import CallName, name_of_row
from .memory import SampledMemory, sampled
from .objects import Objects
from .sample import Raw, header_of

_ROWS = frozenset(row for row in range(layout.STRANGE) if name_of_row(row).plain_name in RECEIVING)


@frozen
class SampledCall:
    """A call with its arguments and the memory after it."""

    call: CallName
    arguments: tuple[int, ...]
    memory: SampledMemory

    @property
    def name(self) -> str:
        """The name."""
        return self.call.plain_name

    @property
    def word(self) -> int:
        """The size of a pointer."""
        return WORD_BYTES.get(self.call.architecture, 8)

    def number(self, index: int) -> int:
        """Return an argument."""
        return self.arguments[index]

    def read(self, address: int, length: int) -> bytes:
        """Return memory as far as it is in the sample."""
        return self.memory.read(address, length)


@frozen
class Answers:
    """Learns host names from samples; names in other calls are missed."""

    objects: Objects

    def sampled(self, row: int, raw: Raw) -> None:
        """Learn from a sample if it is that of a call that has received an answer."""
        if row not in _ROWS:
            return
        header = header_of(raw)
        facts = self.objects.socket(header.object)
        if header.result > 0 and facts is not None and may_answer(facts):
            call = SampledCall(name_of_row(row), header.arguments, sampled(raw).after)
            for data, source in received(call, header.result):
                learn(self.objects.known.hosts, facts, data, source)
