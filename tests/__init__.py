"""The tests of syswatch, laid out as the package is."""

import os
import signal

from hypothesis import HealthCheck, settings

# A machine with other work to do is slow now and then, and no test is about that.
settings.register_profile(
    "syswatch",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="SYSWATCH_SAME_EXAMPLES" in os.environ,
)
settings.load_profile("syswatch")

# A shell ignores Ctrl+C on behalf of what it runs in the background, and nohup a hang-up.  What is
# started here must not inherit that: many tests send just these signals.
for _number, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)
