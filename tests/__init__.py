"""The tests of syswatch, laid out as the package is."""

from hypothesis import HealthCheck, settings

# A machine with other work to do is slow now and then, and no test is about that.
settings.register_profile("syswatch", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("syswatch")
