/* SPDX-License-Identifier: MIT
 *
 * Structures for the sums of threads and objects, for waits and for threads, shared by the program in
 * the kernel and its reader.  activity_layout.py declares the same for Python.
 */
#ifndef SYSWATCH_ACTIVITY_LAYOUT_H
#define SYSWATCH_ACTIVITY_LAYOUT_H

/* Thread 0 is none; the next one is shared by all threads without a record of their own. */
#define NO_THREAD 0
#define SHARED_THREAD 1
#define FIRST_THREAD 2
#define THREADS (FIRST_THREAD + 5000)

/* Rows: one for each thread, object and call.  Row 0 is for calls that find no free row.  Those above
 * MOST_ACTIVITIES are only for objects that stand for a kind, and so are nearly always found. */
#define NO_ACTIVITY 0
#define FIRST_ACTIVITY 1
#define MOST_ACTIVITIES 60000
#define ACTIVITIES 65536

/* Where the object of a call is found.  Up to SUBJECT_COPY it is the file of the descriptor in
 * `argument`, at least until the call has returned. */
#define SUBJECT_NONE 0
#define SUBJECT_FILE 1
#define SUBJECT_ACCEPT 2   /* the new descriptor if there is one */
#define SUBJECT_CONNECT 3  /* the address in argument 1 */
#define SUBJECT_LISTEN 4   /* the socket becomes another object */
#define SUBJECT_MESSAGE 5  /* the address in `other` if the socket has no peer, or the message there */
#define SUBJECT_EPOLL 6    /* the first file that is ready */
#define SUBJECT_WATCH 7    /* epoll_ctl: remembers what is watched */
#define SUBJECT_COPY 8     /* to the descriptor in `other` */
#define SUBJECT_PATH 9     /* the path in `argument`, relative to the descriptor in `other` */
#define SUBJECT_OPEN 10    /* the new descriptor, or such a path if there is none */
#define SUBJECT_CREATE 11  /* the new descriptor */
#define SUBJECT_PAIR 12    /* the first of the two descriptors stored at `argument` */
#define SUBJECT_FUTEX 13   /* at `argument`; the operation is in `other` */
#define SUBJECT_SLEEP 14   /* the time at `argument`; absolute if bit 0 of `other` is set */
#define SUBJECT_CHILD 15   /* the result, or the PID in `argument` */
#define SUBJECT_WAITID 16  /* the PID in the structure at `argument` */
#define SUBJECT_SIGNAL 17
#define SUBJECT_POLL 18    /* the first of `other` entries at `argument` that is ready */
#define SUBJECT_SELECT 19  /* the first descriptor below `argument` that is ready */
#define SUBJECT_EXECUTE 20 /* such a path of a program, after which the memory is another one */
#define NO_ARGUMENT 255

/* What the result of a call counts. */
#define BYTES_IN 1
#define BYTES_OUT 2
#define BYTES_OF_MESSAGES 8 /* the result is a number of messages, each of which has a length */
#define SHORT_TIME 4 /* a time of 32 bits: not counted, but belongs to the call as well */

/* Which wait histogram: of an object, or of a call. */
#define WAITS_OF_CALL (1U << 31)

/* What a thread does, as published when it was last switched out or looked at. */
#define THREAD_IN_CALL 1   /* the fields of the call in progress are valid */
#define THREAD_OFF 2       /* not on a CPU since off_since_ns */
#define THREAD_WAITS 4     /* it was switched out voluntarily, not preempted */
#define THREAD_RUNNABLE 8  /* it waits for a CPU; as of seen_ns */
#define THREAD_FOUND 16    /* in existence when it was found: its first call may have no beginning */
#define THREAD_FIRST_CALL 32 /* `row` and `arguments` are those of that first call */

struct subject {
	byte rule;
	byte argument;
	byte other;  /* argument, or NO_ARGUMENT */
	byte bytes;
};

/* The exact sums over all calls of one thread on one object.  One cache line, and written only by
 * the thread itself, except the rows of SHARED_THREAD.  Bytes may be counted in a row without a
 * call: that of the second descriptor of a copy. */
struct activity {
	wide count;
	wide errors;
	wide bytes_in;
	wide bytes_out;
	wide total_ns;   /* of timed calls: working, waiting and ready */
	wide waits;      /* calls that were switched out voluntarily */
	wide waiting_ns;
	wide ready_ns;   /* runnable, but no CPU was free */
};

/* Of the row with the same number; also the key of `activity_index`. */
struct activity_key {
	word thread;
	word process;  /* the record */
	word object;
	word row;      /* the call, as in `sums` */
};

struct thread {
	word state;
	word process;     /* the record */
	word tid;         /* in the namespace of the reader */
	word flags;       /* THREAD_* */
	char comm[COMM];
	wide born_ns;     /* when it was first seen; all times are monotonic */
	wide ended_ns;
	wide off_ns;      /* off the CPU, without the time since off_since_ns */
	wide off_since_ns; /* 0 while it runs */
	wide ready_ns;    /* run_delay since it was found, as of the last switch or look */
	wide delay_ns;    /* run_delay when it was found */
	wide voluntary;   /* switches since it was found */
	wide switches;    /* all of them */
	wide seen_ns;     /* when the rest was published */
	/* The call in progress. */
	wide began_ns;
	wide call_off_ns; /* of it, without the time since off_since_ns */
	word row;
	word object;
	word activity;
	word waits;       /* how often it was switched out voluntarily */
	wide arguments[ARGUMENTS];
	/* The call that was in progress when the thread was found: its end, and the time off the CPU
	 * until then. */
	wide first_exit_ns;
	wide first_off_ns;
};

/* A row's place in the small cache of its thread, and what the object of that row was found by. */
struct slot {
	wide first;
	wide second;
	wide third;
	word fourth;
	word row;
	word object;
	word activity;
	wide generation;  /* of the tables, when it was stored */
};

struct wait_key {
	word subject;   /* an object, or WAITS_OF_CALL and a row */
	word bucket;
};

/* The least durations that belong to the slowest ones of a call; `threshold` is the smallest. */
#define SLOWEST_BY_CALL 10
#define SLOWEST_OVERALL 50
struct slowest {
	wide threshold;
	wide times[SLOWEST_BY_CALL];
};

#endif
