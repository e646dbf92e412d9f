"""The errors of the API: each function returns one, to be sent or raised."""

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import islice

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.model.catalog.entries import documented

# Longer than the name of any system call.
_MAX_QUOTED = 64
_SUGGESTIONS = 3
# As many as a sentence can have.
_MAX_LISTED = 10


@frozen
class ApiError(Exception):
    """An error response: HTTP status, machine-readable code and a sentence."""

    status: int
    code: str
    message: str


def bad_request(message: str) -> ApiError:
    """Reject an invalid request."""
    return ApiError(400, "bad_request", message)


def bad_handshake(message: str) -> ApiError:
    """Reject an invalid WebSocket handshake."""
    return ApiError(400, "bad_handshake", message)


def moved() -> ApiError:
    """Redirect a path that lacks its final slash."""
    return ApiError(301, "moved", "This path ends with a slash.")


def unauthorized() -> ApiError:
    """Reject a missing or wrong token, without telling which."""
    return ApiError(401, "unauthorized", "A valid bearer token is required.")


def forbidden_host() -> ApiError:
    """Reject a foreign name in the Host header, as DNS rebinding causes."""
    message = "The Host header does not name this server (to permit the name, use --allow-host)."
    return ApiError(403, "forbidden_host", message)


def bad_query(reason: str) -> ApiError:
    """Reject a query with a mistake, or one that takes too long."""
    return ApiError(400, "bad_query", f"{reason[:1].upper()}{reason[1:]}.")


def forbidden_origin() -> ApiError:
    """Reject a request that a page of another origin sent."""
    return ApiError(403, "forbidden_origin", "Not available to pages of another origin.")


def not_found() -> ApiError:
    """Reject an unknown path."""
    return ApiError(404, "not_found", "No such path (see /api for the list of endpoints).")


def not_seen(name: str) -> ApiError:
    """Reject the name of a system call that has not been called yet."""
    return ApiError(404, "not_seen", f"{name} has not been called yet.")


def unknown_syscall(name: str) -> ApiError:
    """Reject a name that is not a Linux system call."""
    similar = similar_calls(name)
    hint = f" (did you mean {', '.join(similar)}?)" if similar else ""
    return ApiError(404, "unknown_syscall", f"Unknown system call: {quoted(name)}{hint}.")


def unknown_object(text: str) -> ApiError:
    """Reject the ID of an object that no call used."""
    message = f"No object has the ID {quoted(text)} (/api/objects lists them)."
    return ApiError(404, "unknown_object", message)


def unknown_group(key: str) -> ApiError:
    """Reject the key of a group that made no call."""
    message = f"No group has the key {quoted(key)} (/api/groups lists them)."
    return ApiError(404, "unknown_group", message)


def unknown_process(pid: int, known: Mapping[int, str]) -> ApiError:
    """Reject the PID of a process that was not traced."""
    some = ", ".join(
        f"{each} {comm}".rstrip() for each, comm in islice(sorted(known.items()), _MAX_LISTED)
    )
    more = ", …" if len(known) > _MAX_LISTED else ""
    listed = f"traced: {some}{more}" if known else "no process is known yet"
    return ApiError(404, "unknown_process", f"No traced process has the PID {pid} ({listed}).")


def no_recording() -> ApiError:
    """Reject a request for single calls if they are not recorded."""
    message = "Single calls are not recorded (to record them, use --record DIR)."
    return ApiError(404, "no_recording", message)


def no_baseline() -> ApiError:
    """Reject a request for a comparison if there is nothing to compare with."""
    message = "There is no run to compare with (to have one, use --baseline SOURCE)."
    return ApiError(404, "no_baseline", message)


def no_evidence() -> ApiError:
    """Reject a request for a profile if nothing is counted that it is made of."""
    message = "What profiles are made of is not counted (to count it, trace with --profile)."
    return ApiError(404, "no_evidence", message)


def not_expressible(reason: str) -> ApiError:
    """Reject a format, or a machine, for which the profile cannot be written."""
    message = f"The profile cannot be written: {escape_text(reason)}."
    return ApiError(409, "not_expressible", message)


def nothing_to_save() -> ApiError:
    """Reject a request to save if not only the newest part is kept."""
    message = "There is no flight recorder to save (to have one, use --record DIR --keep TIME)."
    return ApiError(404, "nothing_to_save", message)


def not_saved(reason: str) -> ApiError:
    """Reject a request to save a flight recorder that cannot be saved."""
    return ApiError(503, "not_saved", f"The recording cannot be saved: {escape_text(reason)}.")


def unknown_call(identifier: str) -> ApiError:
    """Reject the ID of a call that was not recorded."""
    return ApiError(404, "unknown_call", f"No recorded call has the ID {quoted(identifier)}.")


def method_not_allowed(allowed: str) -> ApiError:
    """Reject a method that the path does not support."""
    return ApiError(405, "method_not_allowed", f"Method not allowed (use {allowed}).")


def busy() -> ApiError:
    """Reject a second profile: only one can be recorded at a time."""
    return ApiError(409, "busy", "Another profile is being recorded; try again later.")


def query_running() -> ApiError:
    """Reject a second query: only one is run at a time."""
    return ApiError(409, "query_running", "Another query is running; try again in a moment.")


def upgrade_required() -> ApiError:
    """Reject a plain request for a WebSocket."""
    message = "This endpoint is a WebSocket; send an upgrade request."
    return ApiError(426, "upgrade_required", message)


def internal_error() -> ApiError:
    """Hide an unexpected exception, which is in the log."""
    return ApiError(500, "internal_error", "Internal error; see the log of the server.")


def not_ready() -> ApiError:
    """Reject a readiness probe before the tracer has started."""
    return ApiError(503, "not_ready", "The tracer has not started yet.")


def not_readable(reason: str) -> ApiError:
    """Reject a range of time of a recording that cannot be read."""
    return ApiError(503, "not_readable", f"This range cannot be read: {reason}.")


def no_exact_range() -> ApiError:
    """Reject a range of time where only a recording of every call knows it."""
    message = "The calls of a range are known only in a replay (syswatch replay DIR --serve)."
    return ApiError(400, "no_exact_range", message)


def unreadable_recording(reason: str) -> ApiError:
    """Reject a request because the recording cannot be read."""
    message = f"The recording cannot be read: {escape_text(reason)}."
    return ApiError(503, "unreadable_recording", message)


def too_many_downloads() -> ApiError:
    """Reject a download beyond the limit."""
    message = "The maximum number of downloads is in progress; try again later."
    return ApiError(503, "too_many_downloads", message)


def too_many_clients() -> ApiError:
    """Reject a stream client beyond the limit."""
    return ApiError(503, "too_many_clients", "The maximum number of clients is connected.")


def similar_calls(name: str) -> list[str]:
    """Return the names of the system calls that a name may have been meant for."""
    known = [entry.name for entry in documented()]
    return get_close_matches(name[:_MAX_QUOTED], known, _SUGGESTIONS)


def quoted(name: str) -> str:
    """Return a name of a request for use in a message: escaped, and cut if it is long."""
    return escape_text(name if len(name) <= _MAX_QUOTED else name[:_MAX_QUOTED] + "…")
