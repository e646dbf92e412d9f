"""What can keep a program from being watched."""


class WatchError(Exception):
    """Watching failed; the message is for people."""


class NotPermittedError(WatchError):
    """This user may not trace here; the message says which right is missing and what gives it."""
