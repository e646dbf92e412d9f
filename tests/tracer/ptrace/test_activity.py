"""Tests of objects, waits and threads with ptrace."""

from tests.tracer.contract import activity, host_names

from .case import PtraceCase


class ActivityTests(PtraceCase, activity.ActivityContract):
    """Rows add up."""


class DescriptorTests(PtraceCase, activity.DescriptorContract):
    """A reused number never credits the wrong object."""


class WaitTests(PtraceCase, activity.WaitContract):
    """Waits are credited to what they were for."""


class InProgressTests(PtraceCase, activity.InProgressContract):
    """Calls in progress are reported."""


class HostNameTests(PtraceCase, host_names.HostNameContract):
    """Peers are named as the target has looked them up."""
