/* SPDX-License-Identifier: MIT
 *
 * Structures for groups of processes: control groups, or processes with the same name.
 * group_layout.py declares the same for Python.
 */
#ifndef SYSWATCH_GROUP_LAYOUT_H
#define SYSWATCH_GROUP_LAYOUT_H

/* What groups are made of. */
#define NO_GROUPS 0
#define BY_CONTROL_GROUP 1
#define BY_PROCESS_NAME 2

/* The group of all calls without one of their own. */
#define OTHER_GROUPS 0

/* Names of a control group and of those around it, the innermost first. */
#define GROUP_DEPTH 12
#define GROUP_NAME 128

/* Rows of a task that it finds without a hash table. */
#define GROUP_SLOTS 16

/* The ID of a control group, or the 16 bytes of a name. */
struct group_key {
	wide first;
	wide second;
};

struct group {
	struct group_key key;
	word depth;          /* how many names there are */
	word cut;            /* there are more */
	char names[GROUP_DEPTH][GROUP_NAME];
};

struct group_row_key {
	word group;
	word row;            /* as in `struct task` */
};

struct group_sums {
	wide count;
	wide errors;
	wide total_ns;
	wide waiting_ns;
	wide ready_ns;
	wide waits;
};

struct group_counts {
	wide unused_groups;  /* the first record that was never used */
	wide unused_rows;
	wide generation;     /* a cached row of an older one is looked up again */
};

struct group_slot {
	word row;            /* as in `struct task`, plus one */
	word place;          /* in the table of sums */
};

/* The group that a task was in when it last made a call. */
struct group_cache {
	struct group_key key;
	wide generation;
	word group;
	word padding;
	struct group_slot slots[GROUP_SLOTS];
};

#endif
