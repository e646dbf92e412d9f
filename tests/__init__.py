"""Tests of syswatch."""

import os
import signal

from hypothesis import HealthCheck, settings

# A busy machine may be slow; no test is about speed.
settings.register_profile(
    "syswatch",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="SYSWATCH_SAME_EXAMPLES" in os.environ,
)
settings.register_profile("few examples", settings.get_profile("syswatch"), max_examples=20)
settings.load_profile("few examples" if "SYSWATCH_FEW_EXAMPLES" in os.environ else "syswatch")

# Background jobs of a shell ignore SIGINT, and those of nohup SIGHUP.  Programs that tests start
# must not inherit that: many tests send these signals.
for _number, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)
