"""Work in threads, one after the other, so that they do not race."""

import queue
import threading

inbox: queue.Queue[int] = queue.Queue()


def work(number: int) -> None:
    """Read a file and store the answer."""
    with open("/proc/self/comm", "rb") as file:  # noqa: PTH123
        file.read()
    inbox.put(number)


for each in range(4):
    thread = threading.Thread(target=work, args=(each,))
    thread.start()
    thread.join()
    inbox.get()
