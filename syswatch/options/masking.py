"""The command line of this process without its secrets, as the server may show it."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from syswatch.base.redaction import Redactor
from syswatch.base.text import escape_text
from syswatch.model.messages import RunCommand
from syswatch.settings.access import Access

if TYPE_CHECKING:
    from syswatch.codec.frames import Job

MASK = "***"


def mask_arguments(arguments: Sequence[str], job: "Job", access: Access) -> tuple[str, ...]:
    """
    Return the arguments with every secret replaced, however its option was written.

    The last arguments are those of the traced command; they are masked as they are in the trace.
    """
    patterns = job.options.redact
    tokens = (access.ws_token, access.http_token)
    secrets = {
        *patterns,
        *(token.secret.decode(errors="surrogateescape") for token in tokens if token is not None),
    }
    command = job.argv if isinstance(job, RunCommand) else ()
    own = arguments[: len(arguments) - len(command)]
    # Passwords are given to programs in this way.
    variables = job.environment if isinstance(job, RunCommand) else {}
    secrets.update(f"{name}={value}" for name, value in variables.items())
    return (
        *(escape_text(_without(secrets, argument)) for argument in own),
        # Patterns are matched against the escaped text, as they are in the trace.
        *_redacted(tuple(map(escape_text, arguments[len(own) :])), Redactor(patterns)),
    )


def _without(secrets: Collection[str], argument: str) -> str:
    option, equals, value = argument.partition("=")
    if argument.strip() in secrets:
        return MASK
    if argument.startswith("-E") and argument[2:].strip() in secrets:
        return f"-E{MASK}"
    return f"{option}={MASK}" if equals and value.strip() in secrets else argument


def _redacted(words: Sequence[str], redact: Callable[[str], str]) -> Sequence[str]:
    # A match may span several arguments.
    joined = " ".join(words)
    masked = redact(joined)
    return words if masked == joined else (masked,)
