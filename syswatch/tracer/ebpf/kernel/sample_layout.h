/* SPDX-License-Identifier: MIT
 *
 * Structures for samples of single calls, and how the memory of the target is read for them, shared by
 * the program in the kernel and its reader.  layout.py declares the same for Python.
 */
#ifndef SYSWATCH_SAMPLE_LAYOUT_H
#define SYSWATCH_SAMPLE_LAYOUT_H

/* How much of the caller's memory a sample contains, in all and in one piece, and in how many steps
 * it is read; and how much of it is read at the entry. */
#define DATA 8192    /* where the last piece may begin; a power of two */
#define MOST 2048
#define PIECE 16     /* the header of a piece */
#define SPACE (DATA + PIECE + MOST)
#define EARLY 2816
#define STEPS 1024
#define READS 416     /* a multiple of TURN, as the next one */
#define ROOT 56      /* the arguments, and the result */
#define MOST_COUNTED 1408 /* elements, at most */
#define ENTRY_LENGTH 16 /* the offset of the length in a directory entry */
#define UNLIMITED 0xffff

/* What a pointer points to. */
#define FORM_BYTES 0
#define FORM_TEXT 1     /* up to its NUL */
#define FORM_LIST 2     /* pointers up to a null pointer */
#define FORM_POINTERS 3 /* the same, only counted */
#define FORM_ENTRIES 4  /* the entries of a directory, only counted */

/* When it is read, and whether the caller wrote it. */
#define AT_ENTRY 1
#define AT_EXIT 2
#define IF_MISSED 4  /* at the exit, too, if it was not read at the entry */
#define IF_FAILED 8  /* the same, if the call has failed */
#define GIVEN 16

/* The descriptors in a sample: of two arguments, and of the result. */
#define LINKS 3

/* Why there is a sample: for the log, for the log of a call that will never return, for the slowest
 * calls, or, if nothing is set, as a failure. */
#define SHOWN 1
#define UNFINISHED 2
#define SLOW 4

/* One read: the offsets of its pointer and of the number that limits it, in a piece that has been
 * read before; and the steps that follow the pointers in it. */
struct step {
	unsigned short pointer;
	unsigned short limit;
	unsigned short scale;  /* bytes for each unit of that number */
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

/* What was read in one step; its bytes follow. */
struct piece {
	wide address;
	unsigned short length;
	unsigned short first;  /* the steps for what is in it */
	byte steps;
	byte form;
	byte kept;             /* when it was read, and whether it was GIVEN */
	byte padding;
};

/* Pieces, one after the other, after the arguments and the result. */
struct memory {
	word length;
	word early;          /* which steps were taken at the entry, as bits */
	byte data[SPACE];
};

/* What was read at the entry. */
struct given {
	struct link links[LINKS - 1];
	word length;
	word early;
	byte data[EARLY];
};

/* Its length is that of its data. */
struct sample {
	wide began_ns;
	wide result;
	wide arguments[ARGUMENTS];
	word tid;
	word row;
	word shown;          /* SHOWN, UNFINISHED, SLOW */
	word waits;          /* how often it was switched out voluntarily */
	wide duration_ns;    /* 0 if it was not timed */
	wide waiting_ns;
	wide ready_ns;
	word object;
	word thread;
	struct link links[LINKS];
	struct memory memory;
};

/* A sample in progress. */
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

#endif
