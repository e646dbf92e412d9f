/* SPDX-License-Identifier: MIT
 *
 * Structures shared by the program in the kernel and its reader.  layout.py declares the same for
 * Python, and the two are compared whenever the program is loaded.
 */
#ifndef SYSWATCH_LAYOUT_H
#define SYSWATCH_LAYOUT_H

/* Calls of the machine's architecture, then those of its 32-bit one, then numbers beyond these
 * tables.  Each of the latter gets a row of its own, in the order of appearance; the last row is for
 * all others. */
#define TABLE 512
#define STRANGE (2 * TABLE)
#define CALLS (STRANGE + 1)
#define UNLISTED 64
#define OTHERS (STRANGE + UNLISTED)
#define ROWS (OTHERS + 1)
#define X32_BIT 0x40000000

/* 16 buckets per octave, as in the model; the last one is for more than five hours. */
#define SUB_BITS 4
#define BUCKETS 672

/* Errors that programs know, those that restart a call, and all others. */
#define PLAIN_ERRORS 160
#define FIRST_RESTART 512
#define RESTARTS 31
#define ERRORS (PLAIN_ERRORS + RESTARTS + 1)

#define SHORT_PATH 128
#define LONG_PATH 1024
#define COMM 16
#define ARGUMENTS 6

/* The quota of samples is for a window of 2^27 ns, 0.134 s: a shift instead of a division, which
 * would cost more than everything else here. */
#define WINDOW_BITS 27

/* The state of a task. */
#define INSIDE 1     /* between the entry to a call and its exit */
#define NEWBORN 2    /* its first exit has no entry */
#define WAITING 4    /* has not become the command yet */
#define SETTLED 8    /* whatever call it makes next, its entry is seen */
#define WANTED 16    /* its call refers to a selected path */
#define NAMED 32     /* its arguments name a selected path */
#define EARLY_MEMORY 64 /* its arguments were read at the entry */
#define EARLY_LINKS 128
#define REFUSED 256  /* its last call was refused by a filter */

/* Whether a task is counted in `totals.tasks`; a task that is gone is not counted again. */
#define UNCOUNTED 0
#define COUNTED 1
#define GONE 2

/* The state of a process record. */
#define FREE 0
#define ALIVE 1
#define ENDED 2
#define LEFT 3       /* the followed control group */

/* Which results are selected. */
#define ANY_RESULT 0
#define FAILED_ONLY 1
#define SUCCESSFUL_ONLY 2

/* The scope: named processes, a control group, or the whole machine. */
#define NAMED_ONLY 0
#define GROUP 1
#define EVERYBODY 2

/* Rows of a thread that it finds without a hash table: each in one of few places. */
#define SLOT_BITS 2
#define SLOT_SETS (1 << SLOT_BITS)
#define SLOT_PLACES 4
#define SLOTS (SLOT_SETS * SLOT_PLACES)

typedef unsigned char byte;
typedef unsigned int word;
typedef unsigned long long wide;

#include "object_layout.h"
#include "activity_layout.h"
#include "sample_layout.h"
#include "event_layout.h"
#include "evidence_layout.h"
#include "group_layout.h"

/* Set before the program is loaded, so that the kernel removes code that is not needed. */
struct settings {
	word samples;        /* in a window */
	word burst;          /* at most at once, after a pause */
	word scope;
	word cpus;
	word shards;         /* of the histograms */
	word follow;         /* children, too */
	word status;
	word reads;          /* memory of the target */
	word timed;
	word split;          /* a table for each process, too */
	word selects;        /* by paths */
	word links;          /* paths of descriptors are shown */
	word records;        /* of processes */
	word objects;        /* and waits and threads are followed */
	word first_port;     /* of those that the kernel assigns to clients, */
	word last_port;
	word events;         /* in the ring of each CPU, a power of two; 0 if calls are not recorded */
	word arguments;      /* are recorded, too */
	word profile;        /* what rules for calls are made of is counted */
	word groups;         /* what they are made of */
	word most_groups;    /* records, the one for all others included */
	word group_rows;     /* rows of all of them */
};

/* What is known of each call, and of all calls on this machine.  Stored while the kernel verifies the
 * program, and only read here. */
struct catalog {
	word sigreturn;      /* the call whose number is lost at its exit */
	word mask_at;        /* the offset of the signal mask on its stack */
	word native;         /* the architecture of the machine, in events, */
	word compatible;     /* and that of its 32-bit calls */
	byte traced[CALLS];
	byte opens[CALLS];   /* which argument is a path, counted from 1 */
	byte early[CALLS];   /* what must be read before it runs: EARLY_MEMORY, EARLY_LINKS */
	byte paths[CALLS];   /* which arguments are paths, as bits */
	byte descriptors[CALLS];
	byte returns[CALLS]; /* a descriptor */
	struct subject subjects[CALLS];
	struct plan plans[CALLS];
	struct ruled ruled[CALLS];
	struct step steps[STEPS];
};

/* Values of the whole trace. */
struct totals {
	wide tasks;          /* that are followed and live */
	wide unfollowed;     /* that could not be followed */
	wide crowded;        /* processes without a record of their own */
	wide uncounted_paths;
	wide window;
	wide used;
	wide used_by_failures;
	wide level;          /* of the PID namespace of the reader */
	wide taken_in;       /* by the last iteration over all tasks */
	wide own;            /* the reader, */
	wide service;        /* and the service that started it */
	wide unused;         /* the first record that was never used */
	wide shown;          /* the reader's descriptor of a selected file, or 0 */
	wide unlisted;      /* that have a row of their own */
	wide generation;     /* of the tables; a cached row of an older one is looked up again */
	wide unused_threads; /* the first record of each table that was never used */
	wide unused_objects;
	wide unused_activities;
	wide crowded_threads; /* how many had no record of their own */
	wide crowded_objects; /* how often a call was credited to all of a kind instead */
	wide uncredited;     /* calls in row 0, of whatever thread and object */
	wide uncounted_waits; /* that are not in a histogram */
	wide lost_slow;      /* slow calls without a sample */
	wide looks;          /* the reader wants all threads published */
	wide without_delay;  /* the kernel does not measure how long a task is ready */
	wide slow_ns;        /* the least duration of the slowest calls of all */
	wide clock_ns;       /* what is added to monotonic times in events, for the time of day */
	wide lost_calls;     /* that are not in the table of the same name either */
	wide side;           /* of `evidence`, on which calls are counted, */
	wide of_programs;    /* and its rows with a program, */
	wide of_values;      /* and those without it but with values */
	wide coarse_evidence; /* calls that were counted without their program */
	wide ends;           /* the reader wants the evidence of calls in progress */
	wide unseen_starts;  /* processes that are older than the trace, or have joined its scope */
};

/* One for each CPU and call.  `timed` comes first: the reader reads the rest later. */
struct sums {
	wide timed;
	wide count;
	wide errors;
	wide total_ns;
	wide min_ns;
	wide max_ns;
};

/* One call of one process, with --per-pid. */
struct row_key {
	word process;
	word call;
};

struct row {
	struct sums sums;
	word histogram[BUCKETS];
	word errors[ERRORS];
};

struct process {
	wide count;
	wide errors;
	wide total_ns;
	word state;
	word pid;
	word parent;
	word ending;         /* the wait status */
	word cut;            /* not all of its calls have a row */
	word tasks;          /* that are followed and live */
	char comm[COMM];
	wide born_ns;        /* monotonic times */
	wide ended_ns;
};

/* Stored with the task itself, so it is independent of changes of its PID. */
struct task {
	wide began_ns;
	wide arguments[ARGUMENTS];
	word call;
	word row;            /* where it is counted */
	word flags;
	word process;        /* which record */
	word counted;
	/* Only if objects are followed. */
	word thread;         /* which record, or NO_THREAD */
	word object;         /* of the call, */
	word activity;       /* and the row that it is counted in */
	wide generation;     /* of that row */
	wide off_since_ns;   /* 0 while it runs */
	wide voluntary;      /* switches, as the kernel counts them */
	wide off_ns;         /* off the CPU in this call */
	wide delay_ns;       /* run_delay before it was first switched out in this call */
	word switches;       /* in this call, */
	word waits;          /* of which voluntary */
	word next_slot;
	/* Only in a recording. */
	word second;         /* object that the call copies to, or NO_OBJECT */
	wide bytes;          /* that the call has moved */
	struct slot slots[SLOTS];
	struct group_cache groups;
};

#endif
