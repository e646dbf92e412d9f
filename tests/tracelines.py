"""Hypothesis strategies for log lines as strace writes them."""

from hypothesis import strategies as st

_S = st.sampled_from

_string_parts = st.one_of(
    _S([b"a", b"/etc/hosts", b"\\n", b'\\"', b"\\\\", b"\\0", b"\\377", b"\\x7f", b"\xc3\xa4"]),
    _S([b") = 1", b") = 0 <0.000001>", b" = -1 ENOENT (x)", b"<", b">", b"->", b"(", b"/*", b"{"]),
    _S([b"<unfinished ...>", b"+++ exited with 0 +++", b"write(1, ", b", ", b" ", b"...", b"?"]),
)
strings = st.builds(
    lambda parts, cut: b'"' + b"".join(parts) + b'"' + cut,
    st.lists(_string_parts, max_size=4),
    _S([b"", b"", b"..."]),
)
decorations = _S(
    [
        b"",
        b"",
        b"</etc/passwd>",
        b"</dev/null<char 1:3>>",
        b"</dev/pts/0<char 136:0>>",
        b"<TCP:[127.0.0.1:40000->127.0.0.1:80]>",
        b"<TCPv6:[[::1]:40000->[::1]:80]>",
        b"<UNIX-STREAM:[123->456]>",
        b"<pipe:[4711]>",
        b"<socket:[12]>",
        b"<anon_inode:[eventpoll]>",
        b"</tmp/a) = 1>",
        b"</tmp/a->",
        b"</tmp/#12 (b)>(deleted)",
        b"</tmp/\\74b\\76>",
    ]
)
numbers = _S([b"0", b"3", b"-1", b"4096", b"0x7ffd5e8e1000", b"NULL", b"1<<CAP_SYS_ADMIN"])
descriptors = st.builds(lambda number, path: number + path, _S([b"3", b"AT_FDCWD"]), decorations)
flags = _S(
    [
        b"O_RDONLY|O_CLOEXEC",
        b"0",
        b"S_IFREG|0644",
        b"~[RTMIN RT_1]",
        b"SIGCHLD",
        b"makedev(0x1, 0x3)",
    ]
)
comments = _S([b"", b" /* 36 vars */", b" /* 0x3 (Success) */", b" /* SIGRT_1 */"])
simple = st.one_of(strings, numbers, descriptors, flags)
structs = st.builds(
    lambda members, more: b"{" + b", ".join(b"st_x=" + each for each in members) + more + b"}",
    st.lists(simple, max_size=3),
    _S([b"", b", ..."]),
)
lists = st.builds(
    lambda members: b"[" + b", ".join(members) + b"]", st.lists(simple | structs, max_size=3)
)
arguments = st.builds(
    lambda each, comment: each + comment, st.one_of(simple, structs, lists), comments
)
arguments_lists = st.lists(arguments, max_size=4).map(b", ".join)
names = _S(
    [b"read", b"poll", b"rt_sigaction", b"clone3", b"futex", b"fcntl", b"_sysctl", b"execve"]
)
heads = st.one_of(
    st.builds(lambda name, args: name + b"(" + args, names, arguments_lists),
    st.builds(
        lambda name, directory, path, rest: name + b"(" + directory + b", " + path + b", " + rest,
        _S([b"openat", b"openat2"]),
        descriptors,
        strings,
        arguments_lists,
    ),
    st.builds(
        lambda name, path, rest: name + b"(" + path + b", " + rest,
        _S([b"open", b"creat"]),
        strings,
        arguments_lists,
    ),
)
results = st.one_of(
    st.builds(lambda number, path: number + path, _S([b"0", b"3", b"17", b"-1"]), decorations),
    _S(
        [
            b"0x7f0c2a9d6000",
            b"-1 ENOENT (No such file or directory)",
            b"-1 EAGAIN (Resource temporarily unavailable)",
            b"? ERESTARTSYS (To be restarted if SA_RESTART is set)",
            b"?",
            b"0 (Timeout)",
            b"1 ([{fd=3, revents=POLLIN}])",
            b"1 (in [3], left {tv_sec=0, tv_usec=5})",
            b"0x8002 (flags O_RDWR|O_LARGEFILE)",
            b"-1 (errno 999)",
            b"? <unavailable>",
            b"-1 ENOTTY (Inappropriate ioctl for device)",
            b"18446744073709551615",
        ]
    ),
)
paddings = _S([b" ", b" ", b"     ", b" " * 30])
durations = st.one_of(
    st.just(b""),
    st.builds(lambda s, us: b" <%d.%06d>" % (s, us), st.integers(0, 99), st.integers(0, 999_999)),
    st.builds(lambda s, ns: b" <%d.%09d>" % (s, ns), st.integers(0, 9), st.integers(0, 10**9 - 1)),
)
calls = st.builds(
    lambda head, padding, result, duration: head + b")" + padding + b"= " + result + duration,
    heads,
    paddings,
    results,
    durations,
)


def times(kind: str) -> st.SearchStrategy[bytes]:
    """Return a strategy for the time at the start of a line."""
    second = st.integers(0, 59)
    match kind:
        case "t":
            return st.builds(lambda m, s: b"13:%02d:%02d " % (m, s), second, second)
        case "tt":
            return st.builds(lambda m, s: b"13:%02d:%02d.%06d " % (m, s, s * 7), second, second)
        case "ttt":
            return st.builds(lambda m, s: b"17000000%02d.%06d " % (m, s * 7), second, second)
        case _:
            return st.just(b"")


def pids(kind: str) -> st.SearchStrategy[bytes]:
    """Return a strategy for the PID of a line."""
    number = st.integers(1, 4_194_304)
    match kind:
        case "file":
            return number.map(lambda pid: b"%-5d " % pid)
        case "terminal":
            return st.one_of(st.just(b""), number.map(lambda pid: b"[pid %5d] " % pid))
        case _:
            return st.just(b"")


def extras(kind: str) -> bytes:
    """Return what -n and -i print before a call."""
    return {"n": b"[ 257] ", "i": b"[00007f0c2a9d6abc] ", "": b""}[kind]


@st.composite
def logs(draw: st.DrawFn, *, most: int = 6) -> list[bytes]:
    """Draw the lines of a log, ordered by time: complete calls with the same kind of prefix."""
    pid = pids(draw(_S(["file", "terminal", ""])))
    extra = extras(draw(_S(["", "", "n", "i"])))
    begins = sorted(
        draw(st.lists(times(draw(_S(["t", "tt", "ttt", ""]))), min_size=1, max_size=most))
    )
    return [draw(pid) + begin + extra + draw(calls) for begin in begins]


_OTHER_LINES = [
    b"--- SIGCHLD {} ---",
    b"+++ exited with 0 +++",
    b"+++ superseded by execve in pid 2 +++",
    b"<... read resumed>) = 0",
    b"what?",
]


@st.composite
def split_logs(draw: st.DrawFn) -> bytes:
    """Draw a log of several days and threads, with many unfinished and resumed calls."""
    lines: list[bytes] = []
    now_s = draw(st.integers(0, 86_399))
    waiting: dict[int, bytes] = {}
    for _ in range(draw(st.integers(1, 25))):
        now_s += draw(_S([0, 1, 1, 2, 59, 3600, 39_600]))
        of_day = b"%02d:%02d:%02d.000001" % (now_s // 3600 % 24, now_s // 60 % 60, now_s % 60)
        pid = draw(st.integers(1, 4))
        leader = b"%d %s " % (pid, of_day)
        if pid in waiting:
            name = waiting.pop(pid)
            lines.append(leader + b"<... " + name + b' resumed>"x", 1) = 1 <0.5>')
        elif draw(st.booleans()):
            waiting[pid] = draw(_S([b"read", b"wait4"]))
            lines.append(leader + waiting[pid] + b"(3,  <unfinished ...>")
        else:
            rest = _S(_OTHER_LINES)
            lines.append(leader + draw(calls | rest))
    return b"\n".join(lines) + draw(_S([b"", b"\n"]))
