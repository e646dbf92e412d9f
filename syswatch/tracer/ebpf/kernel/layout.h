/* SPDX-License-Identifier: MIT
 *
 * What the program in the kernel and its reader share.  layout.py says the same for Python, and
 * the two are compared whenever the program is loaded.
 */
#ifndef SYSWATCH_LAYOUT_H
#define SYSWATCH_LAYOUT_H

/* Calls of the machine's own kind, then those of its 32-bit kind, then all that have no place in
 * these tables.  Each of the latter is counted in a row of its own, in the order in which they are
 * met; the last row is for all that found none. */
#define TABLE 512
#define STRANGE (2 * TABLE)
#define CALLS (STRANGE + 1)
#define UNLISTED 64
#define OTHERS (STRANGE + UNLISTED)
#define ROWS (OTHERS + 1)
#define X32_BIT 0x40000000

/* 16 buckets an octave, as in the model; what takes longer than five hours is in the last one. */
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

/* The budget of samples is that of a window of so many bits of nanoseconds, 0.134 s: a division
 * would cost more than all else here. */
#define WINDOW_BITS 27

/* How much of the caller's memory a sample of a call brings along, in all and in one piece, and in
 * how many steps it is read; of it, how much before the call runs. */
#define DATA 8192    /* where the last piece may begin; a power of two */
#define MOST 2048
#define PIECE 16     /* what stands before the bytes of a piece */
#define SPACE (DATA + PIECE + MOST)
#define EARLY 2816
#define STEPS 1024
#define READS 416     /* a multiple of TURN, as the next one */
#define ROOT 56      /* the arguments, and the result */
#define MOST_COUNTED 1408 /* elements, at most */
#define ENTRY_LENGTH 16 /* where an entry of a directory tells its length */
#define UNLIMITED 0xffff

/* What is behind a pointer. */
#define FORM_BYTES 0
#define FORM_TEXT 1     /* up to its NUL */
#define FORM_LIST 2     /* pointers up to a null pointer */
#define FORM_POINTERS 3 /* the same, only counted */
#define FORM_ENTRIES 4  /* the entries of a directory, only counted */

/* When it is read, and whether it was the caller that wrote it. */
#define AT_ENTRY 1
#define AT_EXIT 2
#define IF_MISSED 4  /* at the exit, too, if it was not read at the entry */
#define IF_FAILED 8  /* the same, if the call has failed */
#define GIVEN 16

/* What it says of descriptors: of two arguments, and of the result. */
#define LINKS 3
#define LINK 256
#define NAME 64      /* one part of a path */
#define DEPTH 24     /* parts, and mounts in between */
#define LINK_WHOLE 1
#define LINK_DELETED 2
#define LINK_NOWHERE 4 /* in no folder: pipes, sockets and the like */
#define WORKING_FOLDER (-100)

/* In what a task may be. */
#define INSIDE 1     /* between the beginning and the end of a call */
#define NEWBORN 2    /* its first end of a call has no beginning */
#define WAITING 4    /* not yet the command that it is to become */
#define WANTED 16    /* its call has to do with a path that was asked for */
#define NAMED 32     /* names a path that was asked for, itself */
#define EARLY_MEMORY 64 /* what its call was given has been read before the call ran */
#define EARLY_LINKS 128

/* How a sample is shown whose call will never return. */
#define UNFINISHED 2

/* Whether a task is one of `totals.tasks`; none comes back from the dead. */
#define UNCOUNTED 0
#define COUNTED 1
#define GONE 2

/* What becomes of a process record. */
#define FREE 0
#define ALIVE 1
#define ENDED 2
#define LEFT 3       /* the control group that is watched */

/* Which endings are wanted. */
#define ANY_RESULT 0
#define FAILED_ONLY 1
#define SUCCESSFUL_ONLY 2

/* Whom to follow: whoever was named, all in a control group, or everybody. */
#define NAMED_ONLY 0
#define GROUP 1
#define EVERYBODY 2

typedef unsigned char byte;
typedef unsigned int word;
typedef unsigned long long wide;

/* One thing to read: where in a piece that has been read the pointer to it stands, and the number
 * that limits it; and which steps follow the pointers that are in there. */
struct step {
	unsigned short pointer;
	unsigned short limit;
	unsigned short scale;  /* bytes for each of that number */
	unsigned short size;   /* at most so many */
	unsigned short stride; /* to the next pointer */
	unsigned short count;  /* of pointers */
	unsigned short first;
	byte steps;
	byte width;            /* of the pointer */
	byte limit_width;
	byte form;
	byte when;
	byte unit;             /* the width of the pointers in a list */
};

struct plan {
	unsigned short first;
	unsigned short steps;
};

/* Set before the program is loaded, so that what is not wanted is not even compiled. */
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
	word sigreturn;      /* the call that leaves no number behind */
	word mask_at;        /* where on the stack it finds the signals to block */
	word records;        /* of processes */
	byte traced[CALLS];
	byte opens[CALLS];   /* which argument is a path, counted from 1 */
	byte early[CALLS];   /* what must be read before it runs: EARLY_MEMORY, EARLY_LINKS */
	byte paths[CALLS];   /* which arguments are paths, as bits */
	byte descriptors[CALLS];
	byte returns[CALLS]; /* a descriptor */
	struct plan plans[CALLS];
	struct step steps[STEPS];
};

/* What is so for the whole trace. */
struct totals {
	wide tasks;          /* that are followed and live */
	wide unfollowed;     /* that could not be followed */
	wide crowded;        /* processes without a record of their own */
	wide uncounted_paths;
	wide window;
	wide used;
	wide used_by_failures;
	wide level;          /* of the namespace in which the reader lives */
	wide taken_in;       /* by the newest look at all tasks */
	wide own;            /* the reader, */
	wide service;        /* and whoever it works for */
	wide unused;         /* the first record that nobody ever had */
	wide shown;          /* a descriptor of the reader's, for a file that is wanted; or 0 */
	wide unlisted;      /* that have a row of their own */
};

/* One for each processor and call.  `timed` stands first: who reads it reads the rest later. */
struct sums {
	wide timed;
	wide count;
	wide errors;
	wide total_ns;
	wide min_ns;
	wide max_ns;
};

/* What one process has done of one call, where that is asked for. */
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
	word ending;         /* as wait says it */
	word cut;            /* its table has not all of its calls */
	word tasks;          /* that are followed and live */
	char comm[COMM];
};

/* What has been read in one step; its bytes stand behind it. */
struct piece {
	wide address;
	unsigned short length;
	unsigned short first;  /* the steps for what is in it */
	byte steps;
	byte form;
	byte kept;             /* when it was read, and whether it was GIVEN */
	byte padding;
};

/* What a descriptor stands for: the parts of its path, the last one first. */
struct link {
	int descriptor;
	word state;
	word mode;
	word length;
	wide file_system;
	wide number;
	byte text[LINK];
};

/* Pieces, one after the other, behind the arguments and the result. */
struct memory {
	word length;
	word early;          /* which steps have been taken at the entry, as bits */
	byte data[SPACE];
};

/* What was read before a call ran. */
struct given {
	struct link links[LINKS - 1];
	word length;
	word early;
	byte data[EARLY];
};

/* As long as the data that it has. */
struct sample {
	wide began_ns;
	wide result;
	wide arguments[ARGUMENTS];
	word tid;
	word row;
	word shown;          /* in the log, not only as a sample of a failure; or UNFINISHED */
	word padding;
	struct link links[LINKS];
	struct memory memory;
};

/* A sample that is being made, and how far it is. */
struct reading {
	word moment;
	word failed;
	word outermost;      /* among the arguments */
	word base;           /* of the piece whose pointers are followed */
	word length;
	word kept;
	word step;           /* the first of its steps, */
	word steps;          /* how many there are, */
	word done;           /* how many are done, */
	word element;        /* and which pointer is next */
	word next;           /* piece */
	word padding;
	struct sample sample;
};

/* Follows a task, so it survives whatever the task does to its numbers. */
struct task {
	wide began_ns;
	wide arguments[ARGUMENTS];
	word call;
	word row;            /* where it is counted */
	word flags;
	word process;        /* which record */
	word counted;
	word padding;
};

#endif
