"""The command line of this process, as it may be shown: without its secrets."""

from collections.abc import Callable, Collection, Sequence

from syswatch.base.redaction import Redactor
from syswatch.base.text import inert
from syswatch.codec.frames import Job
from syswatch.model.messages import RunCommand
from syswatch.settings.access import Access

MASK = "***"


def shown(arguments: Sequence[str], job: Job, access: Access) -> tuple[str, ...]:
    """
    Return the arguments with every secret replaced, however its flag was written.

    The words of the watched command are the last ones; of these is shown what the trace shows.
    """
    patterns = job.options.redact
    tokens = (access.ws_token, access.http_token)
    secrets = {
        *patterns,
        *(token.secret.decode(errors="surrogateescape") for token in tokens if token is not None),
    }
    command = job.argv if isinstance(job, RunCommand) else ()
    ours = arguments[: len(arguments) - len(command)]
    return (
        *(inert(_without(secrets, argument)) for argument in ours),
        # What is to be masked is looked for in the text as it is shown, here as everywhere.
        *_redacted(tuple(map(inert, arguments[len(ours) :])), Redactor(patterns)),
    )


def _without(secrets: Collection[str], argument: str) -> str:
    flag, equals, value = argument.partition("=")
    if argument.strip() in secrets:
        return MASK
    return f"{flag}={MASK}" if equals and value.strip() in secrets else argument


def _redacted(words: Sequence[str], redact: Callable[[str], str]) -> Sequence[str]:
    # What is to be masked may reach over several words.
    whole = " ".join(words)
    masked = redact(whole)
    return words if masked == whole else (masked,)
