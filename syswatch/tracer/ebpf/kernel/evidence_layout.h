/* SPDX-License-Identifier: MIT
 *
 * Structures for what rules for calls are made of, shared by the program in the kernel and its reader.
 * evidence_layout.py declares the same for Python.
 */
#ifndef SYSWATCH_EVIDENCE_LAYOUT_H
#define SYSWATCH_EVIDENCE_LAYOUT_H

/* Arguments of a call that rules can depend on, at most. */
#define RULED 3

/* Rows of the table that is in use: those with a program, then those without it but with values.  Those
 * without both always find room. */
#define MOST_OF_PROGRAMS 14000
#define MOST_OF_VALUES 3000

/* The arguments of a call that rules can depend on: how many, at which positions, and their bits that
 * matter. */
struct ruled {
	word masks[RULED];
	byte positions[RULED];
	byte count;
};

struct evidence_key {
	wide program[COMM / 8]; /* its name, padded with zeros; zeros for all programs */
	word row;      /* the call, as in `sums` */
	word values[RULED];
	byte valued;   /* how many values are known: none, or all */
	byte refused;  /* by a filter */
	byte side;     /* `totals.side` when it was counted */
	byte padding[5];
};

struct evidence {
	wide count;
	wide first_ns; /* when the first of these calls began */
};

#endif
