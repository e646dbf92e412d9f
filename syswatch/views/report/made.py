"""How a report came about."""

import attrs


@attrs.frozen
class Made:
    """What somebody who finds the file in ten years wants to know."""

    command: str
    version: str
    kernel: str
    when: str
