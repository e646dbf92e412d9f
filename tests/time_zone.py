"""The time zone that a test runs in."""

import os
import time

from twisted.trial.unittest import SynchronousTestCase


def use_time_zone(test: SynchronousTestCase, zone: str) -> None:
    """Set the time zone for the duration of a test."""
    test.addCleanup(_set, os.environ.get("TZ"))
    _set(zone)


def _set(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    time.tzset()
