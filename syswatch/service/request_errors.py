"""Why an HTTP request failed, without Twisted's descriptions of classes of errors."""

import os

from twisted.internet.error import ConnectError, DNSLookupError
from twisted.python.failure import Failure
from twisted.web.client import RequestTransmissionFailed, ResponseFailed

# Requests fail with one of these.
NOT_CONNECTED = (ConnectError, DNSLookupError, OSError)
NOT_ANSWERED = (RequestTransmissionFailed, ResponseFailed)


def why_not_connected(error: BaseException) -> str:
    """Return why a connection failed."""
    if isinstance(error, DNSLookupError):
        return "unknown host"
    number = getattr(error, "osError", None)
    return os.strerror(number) if isinstance(number, int) else str(error)


def why_not_answered(error: RequestTransmissionFailed | ResponseFailed) -> str:
    """Return why there is no response."""
    return "; ".join(filter(None, map(_message, error.reasons)))


def _message(reason: Failure) -> str:
    """Return the message of an error; an OpenSSL error has a list of them."""
    match getattr(reason.value, "args", ()):
        case ([*errors],) if errors:
            return ", ".join(str(error[-1]) for error in errors)
        case _:
            return reason.getErrorMessage()
