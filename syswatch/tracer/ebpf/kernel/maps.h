/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What is kept.  The reader sets how many entries those maps have that depend on the machine, or
 * on what is wanted, before the program is loaded; one stands for that here.
 */
#ifndef SYSWATCH_MAPS_H
#define SYSWATCH_MAPS_H

#define ADD(what, number) __sync_fetch_and_add(&(what), number)

const volatile struct settings settings = {};
struct totals totals = {};

/* A task is followed if it has an entry here, which the kernel finds by the task itself. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task);
} tasks SEC(".maps");

/* What was read at the beginning of a call that takes it away, or writes something else there. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct given);
} early SEC(".maps");

#define MAPPED(name, what, entries)                \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, entries);      \
		__type(key, word);                 \
		__type(value, what);               \
	} name SEC(".maps")

#define HASHED(name, from, to)                      \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_HASH);    \
		__uint(map_flags, BPF_F_NO_PREALLOC); \
		__uint(max_entries, 1);             \
		__type(key, from);                  \
		__type(value, to);                  \
	} name SEC(".maps")

#define SCRATCH(name, what)                               \
	struct {                                          \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);  \
		__uint(max_entries, 1);                   \
		__type(key, word);                        \
		__type(value, what);                      \
	} name SEC(".maps")

struct histogram {
	word counts[BUCKETS];
};

struct errors {
	word counts[ERRORS];
};

MAPPED(sums, struct sums, ROWS);
MAPPED(histograms, struct histogram, ROWS);
MAPPED(errors, struct errors, ROWS);
MAPPED(seen, byte, ROWS);
MAPPED(processes, struct process, 2);

/* The calls that have no place in the tables, and which rows they have; and the other way round. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNLISTED);
	__type(key, wide);
	__type(value, word);
} unlisted SEC(".maps");

MAPPED(numbers, wide, UNLISTED);

/* Which records of processes are free again; the reader puts them here. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__type(value, word);
} vacant SEC(".maps");

/* Allocated as a whole: a new entry must not fail for want of memory in a moment's rush. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct row_key);
	__type(value, struct row);
} rows SEC(".maps");

SCRATCH(empty_row, struct row);

struct short_path {
	char text[SHORT_PATH];
};

struct long_path {
	char text[LONG_PATH];
};

/* Where samples are made; they are too large for the stack. */
SCRATCH(readings, struct reading);

/* How many calls named a path, and how many of them failed. These are copied first, and added to
 * last: so they are never read as more than there were. */
struct opens {
	wide failed;
	wide all;
};

HASHED(short_paths, struct short_path, struct opens);
HASHED(long_paths, struct long_path, struct opens);
SCRATCH(scratch, struct long_path);

/* A file, whatever it is called. */
struct identity {
	wide number;
	wide device;
};

HASHED(wanted_paths, struct long_path, byte);
HASHED(wanted_files, struct identity, byte);

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, word);
	__type(value, word);
} groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} samples SEC(".maps");

/* How a call went. */
struct outcome {
	wide duration;
	word error;
	int timed;
	int failed;
	int unfinished;
};

#endif
