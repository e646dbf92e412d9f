"""Text from elsewhere, made safe for a terminal."""


def inert(text: str) -> str:
    """Escape whatever would move a cursor, ring a bell or end a line."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
