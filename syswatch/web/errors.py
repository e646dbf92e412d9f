"""Errors as the API answers them."""

import attrs


@attrs.frozen
class ApiError(Exception):
    """An answer that is no success: a status, a word for programs, a sentence for people."""

    status: int
    word: str
    message: str


def bad_request(message: str) -> ApiError:
    """The request asks for something that makes no sense."""
    return ApiError(400, "bad_request", message)


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


def internal() -> ApiError:
    """Something broke that should not have; the log of the server says what."""
    return ApiError(500, "internal_error", "The server could not answer; its log says why.")


def _short(name: str) -> str:
    return name if len(name) <= 64 else name[:64] + "…"
