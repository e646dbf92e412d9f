"""The limit on open files: a server with thousands of clients needs thousands."""

import resource


def open_many_files() -> None:
    """Raise the soft limit to the hard one; what is started before keeps the old one."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
