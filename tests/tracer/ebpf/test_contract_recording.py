"""Tests of what is recorded that hold for every backend."""

from tests.tracer.contract import recording

from .case import EbpfCase


class RecordingTests(EbpfCase, recording.RecordingContract):
    """Every call that is counted, and no other one."""


class RecordedTextTests(EbpfCase, recording.RecordedTextContract):
    """The texts of recorded calls."""


class LifeTests(EbpfCase, recording.LifeContract):
    """What is recorded of processes."""
