"""The categories of system calls, with everything that views show of them."""

import enum
from typing import Self


class Category(enum.StrEnum):
    """
    What kind of work a system call does; each has a heading, a description and colours.

    The colours are those of Okabe and Ito, which colour-blind people can tell apart, with
    variants where the contrast to a light or dark background would be low.
    """

    heading: str
    description: str
    light: str
    dark: str

    def __new__(
        cls, label: str, heading: str, description: str, light: str, dark: str = ""
    ) -> Self:
        """Keep the facts beside the label, which is the value."""
        member = str.__new__(cls, label)
        member._value_ = label
        member.heading, member.description = heading, description
        member.light, member.dark = light, dark or light
        return member

    IO = "I/O", "Input and output", "Reading, writing and waiting on descriptors", "#56b4e9"
    FS = "FS", "File system", "Names, directories, attributes and mounts", "#e69f00"
    NET = "NET", "Network", "Sockets", "#009e73"
    MEM = "MEM", "Memory", "The address space", "#cc79a7"
    PROC = (
        "PROC",
        "Processes",
        "Processes and threads: start, end, identity, limits, scheduling",
        "#0072b2",
        "#3d8fd1",
    )
    SIG = "SIG", "Signals", "Sending, blocking and handling signals", "#d55e00"
    TIME = "TIME", "Time", "Clocks, sleeps and timers", "#d8c616", "#f0e442"
    IPC = (
        "IPC",
        "Inter-process communication",
        "Pipes, futexes, System V IPC and POSIX message queues",
        "#3c434d",
        "#dde2e8",
    )
    OTHER = "OTHER", "Other", "The machine, the kernel, and everything else", "#8a929c"

    @property
    def css_class(self) -> str:
        """The name of its CSS class."""
        return self.value.lower().replace("/", "")
