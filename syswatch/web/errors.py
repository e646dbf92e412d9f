"""Errors as the API answers them."""

import attrs

from syswatch.base.text import inert

# No system call has a name that long: the rest says nothing.
_SHOWN = 64


@attrs.frozen
class ApiError(Exception):
    """An answer that is no success: a status, a word for programs, a sentence for people."""

    status: int
    word: str
    message: str


def bad_request(message: str) -> ApiError:
    """The request asks for something that makes no sense."""
    return ApiError(400, "bad_request", message)


def moved() -> ApiError:
    """The path lacks the slash at its end."""
    return ApiError(301, "moved", "This path ends in a slash.")


def bad_host(message: str) -> ApiError:
    """The Host header says nothing that could be the name of a server."""
    return bad_request(message)


def bad_target() -> ApiError:
    """The request line names neither a path nor a URL of ours."""
    return bad_request("The request target must be a path, or a URL of this server.")


def bad_encoding() -> ApiError:
    """The path holds bytes that are no text."""
    return bad_request("The path is no UTF-8.")


def bad_handshake(message: str) -> ApiError:
    """A WebSocket is asked for in a way that makes no sense."""
    return ApiError(400, "bad_handshake", message)


def unknown_syscall(name: str) -> ApiError:
    """No Linux system call has this name."""
    return ApiError(404, "unknown_syscall", f"{_short(name)} is no system call of Linux.")


def not_seen(name: str) -> ApiError:
    """A real system call that the watched process has not made."""
    return ApiError(404, "not_seen", f"{name} has not been called so far.")


def not_found() -> ApiError:
    """Nothing is served at this path."""
    return ApiError(404, "not_found", "Nothing is served here; /api lists what is.")


def method_not_allowed(allowed: str) -> ApiError:
    """The path exists, but not with this method."""
    return ApiError(405, "method_not_allowed", f"Only {allowed} is possible here.")


def forbidden_host() -> ApiError:
    """The Host header names another machine: a page elsewhere may be rebinding its DNS name."""
    return ApiError(
        403,
        "forbidden_host",
        "The Host header names no address of this server; --allow-host permits further names.",
    )


def unauthorized() -> ApiError:
    """The token is missing or wrong; which of the two is nobody's business."""
    return ApiError(401, "unauthorized", "A valid bearer token is required.")


def forbidden_origin() -> ApiError:
    """A page of another origin asks for what only our own pages may use."""
    return ApiError(403, "forbidden_origin", "Pages of another origin cannot use this path.")


def upgrade_required() -> ApiError:
    """A plain request where a WebSocket is spoken."""
    return ApiError(426, "upgrade_required", "This is a WebSocket; ask with an upgrade request.")


def too_many_clients() -> ApiError:
    """The cap on clients is reached."""
    return ApiError(503, "too_many_clients", "As many clients as permitted are connected.")


def busy() -> ApiError:
    """Only one profile can be made at a time."""
    return ApiError(409, "busy", "Another profile is being made; ask again when it is done.")


def not_ready() -> ApiError:
    """The tracer has not begun."""
    return ApiError(503, "not_ready", "The tracer has not begun yet.")


def internal() -> ApiError:
    """Something broke that should not have; the log of the server says what."""
    return ApiError(500, "internal_error", "The server could not answer; its log says why.")


def _short(name: str) -> str:
    return inert(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")
