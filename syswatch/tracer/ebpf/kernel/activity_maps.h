/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The maps for objects, waits and threads.
 *
 * The reader may free objects, threads and rows for reuse:
 *
 * - Those of an ended thread, after it has read them: delete the keys of its rows from
 *   `activity_index`, clear the rows and keys, push the rows to `vacant_activities`; then clear the
 *   thread and push it to `vacant_threads`.
 * - An object or a row of a living thread: delete its key from `object_index` or `activity_index`,
 *   increment `totals.generation`, and clear and push it one reading later at the earliest.  A call
 *   that ends after that looks its row up again, so only a call that is being counted at this moment
 *   may still use it.
 */
#ifndef SYSWATCH_ACTIVITY_MAPS_H
#define SYSWATCH_ACTIVITY_MAPS_H

/* Numbers that the reader has released for reuse. */
#define VACANT(name)                            \
	struct {                                \
		__uint(type, BPF_MAP_TYPE_STACK); \
		__uint(max_entries, 1);         \
		__type(value, word);            \
	} name SEC(".maps")

/* The sums, and of what they are. */
MAPPED(activities, struct activity, 1);
MAPPED(activity_keys, struct activity_key, 1);
HASHED(activity_index, struct activity_key, word);
VACANT(vacant_activities);

MAPPED(objects, struct object, 1);
HASHED(object_index, struct object_key, word);
VACANT(vacant_objects);

MAPPED(threads, struct thread, 2);
VACANT(vacant_threads);

/* How many calls waited for how long; sparse. */
HASHED(wait_counts, struct wait_key, wide);

MAPPED(slowest, struct slowest, ROWS);

struct slowest_of_all {
	wide times[SLOWEST_OVERALL];
};

MAPPED(slowest_of_all, struct slowest_of_all, 1);

#define FORGETFUL(name, from, to)                     \
	struct {                                      \
		__uint(type, BPF_MAP_TYPE_LRU_HASH);  \
		__uint(max_entries, 1);               \
		__type(key, from);                    \
		__type(value, to);                    \
	} name SEC(".maps")

/* The files that are registered with an epoll, by the data that it returns. */
FORGETFUL(watches, struct watch_key, struct watch);

/* Which side began a connection, by the inode of its socket. */
FORGETFUL(sides, wide, word);

#endif
