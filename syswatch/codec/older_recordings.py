"""Reads recordings of earlier versions: recordings are kept for years."""

import msgspec

from syswatch.model.activity import Sums
from syswatch.model.delta import Delta

from .frames import BODY_ERRORS, Message, body_of, damaged, decoded, kind_of


def message_of_version_1(frame: bytes) -> Message:
    """Return the message of a frame of version 1, in which sums were maps and not arrays."""
    if kind_of(frame) is not Delta:
        return decoded(frame)
    try:
        content = msgspec.msgpack.decode(body_of(frame))
        for table in ("activity", "groups"):
            content[table] = {
                key: [sums[name] for name in Sums._fields] for key, sums in content[table].items()
            }
        return msgspec.convert(content, Delta)
    # Anyone may have written it, so anything may be in place of a map.
    except (*BODY_ERRORS, AttributeError, LookupError) as error:
        raise damaged(Delta, error) from error
