"""Tests of objects and waits that hold for every backend."""

from tests.tracer.contract import activity, connecting, host_names, rare, redirecting, scheduling

from .case import EbpfCase


class ActivityTests(EbpfCase, activity.ActivityContract):
    """Rows add up."""


class DescriptorTests(EbpfCase, redirecting.DescriptorContract):
    """A reused number never credits the wrong object."""


class RareDescriptorTests(EbpfCase, rare.RareDescriptorContract):
    """Rare kinds of descriptors have objects of their own."""


class WaitTests(EbpfCase, activity.WaitContract):
    """Waits are credited to what they were for."""


class InProgressTests(EbpfCase, activity.InProgressContract):
    """Calls in progress are reported."""


class HostNameTests(EbpfCase, host_names.HostNameContract):
    """Peers are named as the target has looked them up, by calls that are sampled."""


class ConnectTests(EbpfCase, connecting.ConnectContract):
    """Connections that fail are credited to their peers."""


class SchedulingTests(EbpfCase, scheduling.SchedulingContract):
    """The time without a CPU is the kernel's."""
