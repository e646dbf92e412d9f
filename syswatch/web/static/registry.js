// Written by `python -m syswatch.web.registry`; do not edit.

/** From this share of failed calls on, a call is shown as failing. */
export const MOSTLY_FAILING = 0.5;
/** For how many seconds the server keeps history. */
export const HISTORY_S = 900;
export const CATEGORIES = [
  { name: "I/O", title: "Input and output", about: "Reading, writing and waiting on descriptors", style: "io" },
  { name: "FS", title: "File system", about: "Names, directories, attributes and mounts", style: "fs" },
  { name: "NET", title: "Network", about: "Sockets", style: "net" },
  { name: "MEM", title: "Memory", about: "The address space", style: "mem" },
  { name: "PROC", title: "Processes", about: "Processes and threads: start, end, identity, limits, scheduling", style: "proc" },
  { name: "SIG", title: "Signals", about: "Sending, blocking and handling signals", style: "sig" },
  { name: "TIME", title: "Time", about: "Clocks, sleeps and timers", style: "time" },
  { name: "IPC", title: "Inter-process communication", about: "Pipes, futexes, System V IPC and POSIX message queues", style: "ipc" },
  { name: "OTHER", title: "Other", about: "The machine, the kernel, and everything else", style: "other" },
];
export const COLUMNS = [
  { key: "Name", title: "Call", about: "The system call", width: 11.6, extra: false, isNumber: false },
  { key: "Category", title: "Cat", about: "The category", width: 6, extra: false, isNumber: false },
  { key: "Count", title: "Calls", about: "Number of calls", width: 10.4, extra: false, isNumber: true },
  { key: "Time", title: "Time", about: "Time in this call that was not idle, waits in progress included", width: 5.4, extra: false, isNumber: true },
  { key: "Share", title: "Share", about: "Share of all calls", width: 5, extra: true, isNumber: true },
  { key: "Rate", title: "Now/s", about: "Calls per second, over the last four seconds", width: 10.4, extra: false, isNumber: true },
  { key: "MinTime", title: "Min", about: "Shortest duration", width: 5.4, extra: true, isNumber: true },
  { key: "AvgTime", title: "Avg", about: "Average duration", width: 5.4, extra: false, isNumber: true },
  { key: "P95", title: "P95", about: "95 % of calls take no longer", width: 5.4, extra: false, isNumber: true },
  { key: "P99", title: "P99", about: "99 % of calls take no longer", width: 5.4, extra: false, isNumber: true },
  { key: "MaxTime", title: "Max", about: "Longest duration", width: 5.4, extra: false, isNumber: true },
  { key: "TotalTime", title: "Total", about: "Time in this call, waits in progress included", width: 5.4, extra: false, isNumber: true },
  { key: "Blocked", title: "Blocked", about: "Of the time waiting, that within a piece of work", width: 5.4, extra: true, isNumber: true },
  { key: "Working", title: "Work", about: "Time on a CPU in this call", width: 5.4, extra: true, isNumber: true },
  { key: "Errors", title: "Errors", about: "Number of failed calls", width: 11.6, extra: false, isNumber: true },
  { key: "ErrPct", title: "Err%", about: "Share of the calls that failed", width: 5.3, extra: false, isNumber: true },
  { key: "ErrRate60s", title: "Err60s", about: "Failed calls within the last minute", width: 6, extra: true, isNumber: true },
  { key: "TopPath", title: "Top file", about: "The path opened most", width: 6, extra: false, isNumber: false },
];
export const STATES = [
  { key: "blocked", title: "Blocked", letter: "B", about: "Waiting within a piece of work: for an answer, a disk, a lock or a child process", field: "Blocked" },
  { key: "user", title: "Own code", letter: "U", about: "On a CPU, outside of system calls", field: "User" },
  { key: "working", title: "In calls", letter: "W", about: "On a CPU, in system calls", field: "Working" },
  { key: "ready", title: "No CPU", letter: "R", about: "Able to run, but no CPU was free", field: "Ready" },
  { key: "stopped", title: "Stopped", letter: "S", about: "Off the CPU outside of calls: page faults that read a file, job control, the tracer", field: "Stopped" },
  { key: "idle", title: "Idle", letter: "I", about: "Waiting for work: for connections, requests, input or the next tick of a timer", field: "Idle" },
];
/** What the shares of the states may be parts of. */
export const SHARES = [
  { key: "wall", title: "wall time", without: [] },
  { key: "busy", title: "busy time", without: ["idle"] },
  { key: "calls", title: "time in calls", without: ["user", "stopped"] },
];
export const OBJECT_KINDS = [
  { name: "none", title: "no object", plural: "no object", style: "wait-other" },
  { name: "path", title: "path", plural: "paths", style: "wait-disk" },
  { name: "file", title: "file", plural: "files", style: "wait-disk" },
  { name: "directory", title: "directory", plural: "directories", style: "wait-disk" },
  { name: "device", title: "device", plural: "devices", style: "wait-disk" },
  { name: "tty", title: "terminal", plural: "terminals", style: "wait-neighbour" },
  { name: "pipe", title: "pipe", plural: "pipes", style: "wait-neighbour" },
  { name: "unix", title: "Unix socket", plural: "Unix sockets", style: "wait-neighbour" },
  { name: "tcp", title: "TCP peer", plural: "TCP peers", style: "wait-network" },
  { name: "udp", title: "UDP peer", plural: "UDP peers", style: "wait-network" },
  { name: "socket", title: "other socket", plural: "other sockets", style: "wait-network" },
  { name: "eventfd", title: "eventfd", plural: "eventfds", style: "wait-neighbour" },
  { name: "timerfd", title: "timerfd", plural: "timerfds", style: "wait-clock" },
  { name: "signalfd", title: "signalfd", plural: "signalfds", style: "wait-other" },
  { name: "inotify", title: "file watch", plural: "file watches", style: "wait-other" },
  { name: "epoll", title: "epoll", plural: "epolls", style: "wait-other" },
  { name: "memfd", title: "memory file", plural: "memory files", style: "wait-disk" },
  { name: "io_uring", title: "io_uring", plural: "io_urings", style: "wait-disk" },
  { name: "descriptor", title: "other descriptor", plural: "other descriptors", style: "wait-other" },
  { name: "futex", title: "futex", plural: "futexes", style: "wait-lock" },
  { name: "sleep", title: "sleep", plural: "sleeps", style: "wait-clock" },
  { name: "child", title: "child process", plural: "child processes", style: "wait-child" },
  { name: "signal", title: "signal", plural: "signals", style: "wait-child" },
  { name: "timeout", title: "timeout", plural: "timeouts", style: "wait-clock" },
];
