"""Scripts that watch blocks, and tell what they have seen."""

COUNTS = """
seen = []
for times in (0, 1, 100, 10_000):
    with watch() as block:
        call(times)
    seen.append((dict(block.calls), block.doubts, block.backend))
tell(seen=seen)
"""
# A thread makes calls before, in and after a block; others begin and end in it.
THREADS = """
steps = threading.Barrier(2)
def follow():
    for _ in range(3):
        steps.wait()
        call(10)
        steps.wait()
thread = threading.Thread(target=follow)
thread.start()
steps.wait(); steps.wait()
with watch() as seen:
    steps.wait(); steps.wait()
    call(5)
    others = [threading.Thread(target=call, args=(250,)) for _ in range(4)]
    for each in others: each.start()
    for each in others: each.join()
steps.wait(); steps.wait()
thread.join()
tell(count=seen.calls["getppid"])
with watch(without_threads=[threading.get_native_id()]) as seen:
    call(5)
    other = threading.Thread(target=call, args=(7,))
    other.start(); other.join()
tell(others=seen.calls["getppid"])
"""
CHILDREN = """
with watch() as seen:
    pid = os.fork()
    if not pid:
        call(50)
        os._exit(0)
    os.waitpid(pid, 0)
    pid = os.fork()
    if not pid:
        call(3)
        os.execv("/bin/cat", ["cat", "/nonexistent/file"])
    os.waitpid(pid, 0)
    try:
        with watch():
            pid = os.fork()
            if not pid:
                call(4)
                raise KeyboardInterrupt
            os.waitpid(pid, 0)
    except KeyboardInterrupt:
        os._exit(0)
try:
    os.waitpid(-1, os.WNOHANG)
    alone = False
except ChildProcessError:
    alone = True
tell(count=seen.calls["getppid"], programs=seen.programs, failed=seen.failed_paths, alone=alone)
pid = os.fork()
if not pid:
    with watch() as seen:
        call(6)
    tell(child=seen.calls["getppid"])
    os._exit(0)
os.waitpid(pid, 0)
"""
NESTED = """
with watch() as outer:
    call(1)
    with watch() as inner:
        call(2)
        with watch() as innermost:
            call(4)
    call(8)
tell(seen=[dict(each.calls) for each in (outer, inner, innermost)])
"""
ASYNCIO = """
import asyncio
async def main():
    with watch() as seen:
        call(3)
        await asyncio.sleep(0.001)
        await asyncio.gather(*(asyncio.to_thread(call, 20) for _ in range(3)))
    return seen
seen = asyncio.run(main())
tell(count=seen.calls["getppid"], has_slept=seen.calls["epoll_wait"] > 0)
"""
OBJECTS = """
os.chdir(sys.argv[2])
with open("input", "wb") as file:
    file.write(b"x" * 1000)
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
# The first connection imports an encoding.
socket.create_connection(("127.0.0.1", port)).close()
with watch() as seen:
    data = os.open("input", os.O_RDONLY)
    os.read(data, 4096)
    client = socket.create_connection(("127.0.0.1", port))
    client.send(b"hello")
    try:
        os.open("missing", os.O_RDONLY)
    except OSError:
        pass
tell(
    paths=dict(seen.paths),
    failed=dict(seen.failed_paths),
    errors=dict(seen.errors),
    failures={name: dict(errnos) for name, errnos in seen.failures.items()},
    peer=seen.peers[f"127.0.0.1:{port}"].bytes_out,
    bytes=[seen.bytes_in, seen.bytes_out],
    net=seen.calls["%net"],
    total=seen.calls.total == seen.calls["all"] == sum(seen.calls.values()),
    has=["connect" in seen.calls, "accept" in seen.calls],
)
"""
ERRORS = """
block = watch()
try:
    with block as seen:
        call(2)
        try:
            seen.calls
        except watching.WatchError as error:
            early = str(error)
        raise ZeroDivisionError
except ZeroDivisionError:
    pass
try:
    with block:
        pass
except watching.WatchError as error:
    again = str(error)
try:
    seen.calls["opneat"]
except KeyError as error:
    unknown = str(error)
try:
    with watch():
        watching.run(["true"])
except watching.WatchError as error:
    inside = str(error)
tell(count=seen.calls["getppid"], early=early, again=again, unknown=unknown, inside=inside)
"""
# Everything that traces or helps to is killed; the program and its next block are not affected.
KILLED = """
def tracers():
    for name in os.listdir("/proc"):
        try:
            line = open(f"/proc/{name}/cmdline").read().split("\\0")
        except OSError:
            continue
        if line[1:2] == ["-I"] and "watching.watcher" in line[3] and line[4] == str(os.getpid()):
            yield int(name)
told = []
with watch():
    pass
for _ in range(2):
    try:
        with watch() as seen:
            call(1)
            for pid in tracers():
                os.kill(pid, signal.SIGKILL)
            call(1)
    except watching.WatchError as error:
        told.append(str(error))
with open("/proc/self/status") as file:
    traced = [line for line in file if line.startswith("TracerPid")]
with watch() as seen:
    call(3)
tell(told=told, traced=traced, count=seen.calls["getppid"])
"""
CLOSED = """
try:
    with watch():
        os.closerange(3, 1000)
        file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
        others = [os.dup(file) for _ in range(50)]
except watching.WatchError as error:
    told = str(error)
tell(told=told, size=os.fstat(file).st_size)
for each in others: os.close(each)
with watch() as seen:
    call(3)
tell(count=seen.calls["getppid"])
"""
WAITING = """
with watch() as seen:
    tell(pids=[os.getpid(), *tracers()])
    signal.pause()
"""
FIND = KILLED.partition("told = []")[0]
