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
  { key: "Share", title: "Share", about: "Share of all calls", width: 5, extra: false, isNumber: true },
  { key: "Rate", title: "Now/s", about: "Calls per second, over the last four seconds", width: 10.4, extra: false, isNumber: true },
  { key: "MinTime", title: "Min", about: "Shortest duration", width: 5.4, extra: true, isNumber: true },
  { key: "AvgTime", title: "Avg", about: "Average duration", width: 5.4, extra: false, isNumber: true },
  { key: "P95", title: "P95", about: "95 % of calls take no longer", width: 5.4, extra: false, isNumber: true },
  { key: "P99", title: "P99", about: "99 % of calls take no longer", width: 5.4, extra: false, isNumber: true },
  { key: "MaxTime", title: "Max", about: "Longest duration", width: 5.4, extra: false, isNumber: true },
  { key: "TotalTime", title: "Total", about: "Total time in this call, waiting included", width: 5.4, extra: false, isNumber: true },
  { key: "Errors", title: "Errors", about: "Number of failed calls", width: 11.6, extra: false, isNumber: true },
  { key: "ErrPct", title: "Err%", about: "Share of the calls that failed", width: 5.3, extra: false, isNumber: true },
  { key: "ErrRate60s", title: "Err60s", about: "Failed calls within the last minute", width: 6, extra: true, isNumber: true },
  { key: "TopPath", title: "Top file", about: "The path opened most", width: 6, extra: false, isNumber: false },
];
