"""The rendered files, by their path below the prefix of an installation."""

from collections.abc import Mapping

from syswatch.options.registry import PROGRAM

from . import bash, fish, manual, zsh


def render() -> Mapping[str, str]:
    """Return the text of each file."""
    return {
        "share/man/man1/syswatch.1": manual.render(PROGRAM),
        "share/bash-completion/completions/syswatch": bash.render(PROGRAM),
        "share/zsh/site-functions/_syswatch": zsh.render(PROGRAM),
        "share/fish/vendor_completions.d/syswatch.fish": fish.render(PROGRAM),
    }
