// The groups of system calls, in the order and with the colours of every view.

export const CATEGORIES = ["I/O", "FS", "NET", "MEM", "PROC", "SIG", "TIME", "IPC", "OTHER"];

/** The class that gives a category its colour. */
export const colour = (category) => category.toLowerCase().replace("/", "");
