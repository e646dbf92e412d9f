/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The maps.  Before the program is loaded, the reader sets the size of those maps that depend on the
 * machine or on options; here it is one.
 */
#ifndef SYSWATCH_MAPS_H
#define SYSWATCH_MAPS_H

#define ADD(what, number) __sync_fetch_and_add(&(what), number)
#define SET_BITS(what, bits) __sync_fetch_and_or(&(what), bits)
#define CLEAR_BITS(what, bits) __sync_fetch_and_and(&(what), ~(word)(bits))

const volatile struct settings settings = {};
struct totals totals = {};
struct catalog catalog SEC(".data.catalog") = {};

/* A task is followed if it has an entry here; the kernel stores it with the task itself. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task);
} tasks SEC(".maps");

/* What was read at the entry to a call that releases or overwrites it. */
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

/* The rows of calls without a fixed one by number, and the numbers by row. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, UNLISTED);
	__type(key, wide);
	__type(value, word);
} unlisted SEC(".maps");

MAPPED(numbers, wide, UNLISTED);

/* Records of processes that the reader has released for reuse. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__type(value, word);
} vacant SEC(".maps");

/* Preallocated: a new entry must not fail because memory is short for a moment. */
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

/* Buffers for samples, which are too large for the stack. */
SCRATCH(readings, struct reading);

/* How many calls named a path, and how many of them failed.  Failures are read first and counted
 * last, so they never exceed the calls. */
struct opens {
	wide failed;
	wide all;
};

HASHED(short_paths, struct short_path, struct opens);
HASHED(long_paths, struct long_path, struct opens);
SCRATCH(scratch, struct long_path);

/* A file, independent of its name. */
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

/* Only if calls are recorded. */
MAPPED(events, struct event, 1);
MAPPED(event_rings, struct event_ring, 1);
HASHED(lost_calls, struct lost_key, wide);
MAPPED(command_lines, struct command_line, 1);

/* Only if what rules are made of is counted.  Preallocated, as `rows`. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct evidence_key);
	__type(value, struct evidence);
} evidence SEC(".maps");

/* Numbers of CPUs whose ring is half full; it wakes the reader up. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wakes SEC(".maps");

#include "activity_maps.h"

/* The outcome of a call; small, because it is on the stack. */
struct outcome {
	wide duration;
	unsigned short error;  /* the place in tables of errors */
	unsigned short bucket; /* of the duration */
	byte timed;
	byte failed;
	byte unfinished;
	byte padding;
	/* Off the CPU. */
	word switches;
	word waits;
	wide waiting;
	wide ready;
};

#endif
