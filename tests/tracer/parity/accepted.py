"""
Where our text of a call differs from strace's, and why that is so for now.

The list may only shrink: the test fails for a difference that is not here, and for one that is
here and does not occur although strace printed such a call.
"""

import re
from collections.abc import Mapping

import attrs

from .comparing import Difference


@attrs.frozen
class Accepted:
    """A difference: a pattern for the beginning of strace's line, and the reason."""

    pattern: str
    reason: str

    def matches(self, line: str) -> bool:
        """Return whether this is such a call."""
        return re.match(self.pattern, line) is not None

    def covers(self, difference: Difference) -> bool:
        """Return whether this difference is accepted."""
        return self.matches(difference.line)


_UNKNOWN_SOCKET = "what kind of socket a descriptor stands for is not in a sample"
_ACCEPTED_OF_EBPF = (Accepted(r"(sendto|sendmsg|recvmsg)\(.*nlmsg_", _UNKNOWN_SOCKET),)
ACCEPTED: Mapping[str, tuple[Accepted, ...]] = {
    "ptrace": (),
    "ebpf": _ACCEPTED_OF_EBPF,
}
