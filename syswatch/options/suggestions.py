"""Suggestions for mistyped commands, options and values."""

from collections.abc import Iterable, Sequence

_SIMILAR = 0.6


def did_you_mean(word: str, accepted: Iterable[str]) -> str:
    """Return `; did you mean 'X'?` with the accepted word that is most similar, or nothing."""
    found = most_similar(word, accepted)
    return f"; did you mean '{found}'?" if found else ""


def most_similar(word: str, accepted: Iterable[str]) -> str:
    """Return the accepted word that is most similar, or nothing."""
    # Only a mistake needs it.
    import difflib

    # What is longer than any accepted word is not a typing mistake, and is slow to compare.
    candidates = [text for text in accepted if abs(len(text) - len(word)) <= len(text)]
    # All options begin with dashes, which says nothing about how similar they are.
    bare = {text.lstrip("-"): text for text in candidates}
    near = difflib.get_close_matches(word.lower().lstrip("-"), bare, n=1, cutoff=_SIMILAR)
    return bare[near[0]] if near else ""


def invalid_choice(label: str, value: str, choices: Sequence[str]) -> str:
    """Return the error for a value that is none of the choices."""
    hint = did_you_mean(value, choices) or f" (choose from {', '.join(choices)})"
    return f"{label}: invalid value '{value}'{hint}"
