"""
The process that reads a recording: questions on standard input, answers on standard output.

    python -m syswatch.recording.read DIR

It ends when its standard input is closed, so it does not outlive the service.
"""

import os
import resource
import signal
import sys
from pathlib import Path

import msgspec

from syswatch.codec.frames import WireError
from syswatch.codec.recording import RecordingError
from syswatch.recording.extra import MissingPackageError

from .files import reason_of
from .opening import Recording
from .requests import REQUESTS, QuestionError, Reader
from .wire import Answered, Asked, Receiver, encode

_BLOCK = 1 << 16
# A damaged file may claim to hold any amount of data.  Reading takes 200 MB at most.
_MOST_MEMORY = 1 << 30


def main() -> None:
    """Open the recording, and answer until there are no more questions."""
    # They are for the service, which ends this process by closing its input.
    for number in (signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    answers = _private_stdout()
    folder = Path(sys.argv[1])
    opened = _opened(folder)
    receiver = Receiver()
    while data := os.read(sys.stdin.fileno(), _BLOCK):
        for body in receiver.receive_data(data):
            if isinstance(opened, str):
                # The recorder may have begun it meanwhile.
                opened = _opened(folder)
            asked = msgspec.msgpack.decode(body, type=Asked)
            _send(answers, _answered(opened, asked))


def _opened(folder: Path) -> Reader | str:
    """Return the open recording, or why it cannot be opened."""
    try:
        return Reader(Recording.open(folder))
    except (RecordingError, OSError) as error:
        return reason_of(error)


def _private_stdout() -> int:
    """Return a descriptor for answers; what a library prints goes to standard error."""
    answers = os.dup(1)
    os.dup2(2, 1)
    return answers


def _answered(opened: Reader | str, asked: Asked) -> bytes:
    """Return the frame that answers a question."""
    if isinstance(opened, str):
        return encode(Answered(asked.number, error=opened))
    try:
        return encode(Answered(asked.number, _answer(opened, asked)))
    except MemoryError:
        return encode(Answered(asked.number, error="the answer takes too much memory"))
    except QuestionError as error:
        return encode(Answered(asked.number, error=str(error), is_mistake=True))
    except (RecordingError, MissingPackageError, WireError, OSError) as error:
        return encode(Answered(asked.number, error=reason_of(error)))
    except Exception as error:  # noqa: BLE001  whatever a damaged recording causes
        text = f"internal error: {type(error).__name__}: {reason_of(error)}"
        return encode(Answered(asked.number, error=text))


def _answer(reader: Reader, asked: Asked) -> bytes:
    request = REQUESTS[asked.name]
    question = msgspec.msgpack.decode(asked.question, type=request.kind.question)
    return msgspec.msgpack.encode(request.respond(reader, question))


def _send(answers: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(answers, rest) :]


if __name__ == "__main__":
    main()
