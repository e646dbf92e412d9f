"""
Measure how fast the service answers probes while slowhttptest attacks it.

    python bench/slowhttp.py [--tiny] [--connections N] [--seconds N]

The attacks are slow headers, slow bodies and slow reading, one after the other, on loopback.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import common

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.system.servers import Server, serving

# The options of each attack, and the path that it requests.
ATTACKS = {
    "slow headers": (("-H", "-i", "2"), "api/stats"),
    "slow bodies": (("-B", "-i", "2", "-s", "8192", "-x", "10"), "api/stats"),
    "slow reading": (("-X", "-w", "10", "-y", "20", "-n", "2", "-z", "32", "-k", "3"), "api/log"),
}
_GOAL_MS = 100
_MOST_S = 30
# Of a tiny run.
_FEW = 20
_SHORT_S = 2


def main() -> None:
    """Attack and measure."""
    options = common.parser("Attack the service with slowhttptest.")
    options.add_argument("--connections", type=int, default=300, help="how many are held")
    options.add_argument("--seconds", type=int, default=15, help="how long each attack lasts")
    arguments = options.parse_args()
    seconds = min(arguments.seconds, _MOST_S)
    if arguments.tiny:
        arguments.connections, seconds = _FEW, _SHORT_S
    if not common.has("slowhttptest", "the attacks"):
        return
    with serving() as server:
        print(f"{server.resident_mb:.0f} MB resident before")
        for name, (how, path) in ATTACKS.items():
            attack = start(server, how, path, arguments.connections, seconds)
            times_ms: list[float] = []
            while attack.poll() is None:
                times_ms.append(answer_ms(server))
            report(name, times_ms, attack)
            print(f"         {server.resident_mb:.0f} MB resident after it")


def start(
    server: Server, how: tuple[str, ...], path: str, connections: int, seconds: int
) -> subprocess.Popen[str]:
    """Start an attack."""
    limits = ["-c", str(connections), "-r", "200", "-l", str(seconds), "-p", "3"]
    url = f"http://127.0.0.1:{server.port}/{path}"
    command = ["slowhttptest", *how, *limits, "-u", url]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True)


def answer_ms(server: Server) -> float:
    """Return the time of a request on its own connection, as probes send it."""
    time.sleep(0.02)
    began = time.monotonic()
    if server.ask("/healthz") != (200, b"ok"):
        raise SystemExit("/healthz did not answer ok")
    return 1000 * (time.monotonic() - began)


def report(name: str, times_ms: list[float], attack: subprocess.Popen[str]) -> None:
    """Print the times of the probes."""
    what = f"ms to answer /healthz on average, under {name}"
    common.judge(statistics.mean(times_ms), what, _GOAL_MS, runs=times_ms)
    print(f"         {len(times_ms)} probes; slowhttptest ended with {attack.returncode}")


if __name__ == "__main__":
    main()
