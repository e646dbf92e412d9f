/* SPDX-License-Identifier: MIT
 *
 * Structures for recorded calls, shared by the program in the kernel and its reader.  event_layout.py
 * declares the same for Python, and codec/events.py says what the fields of an event mean.
 */
#ifndef SYSWATCH_EVENT_LAYOUT_H
#define SYSWATCH_EVENT_LAYOUT_H

#define EVENT_WAITED 1
#define EVENT_ESTIMATED 2
#define EVENT_UNTIMED 4
#define EVENT_UNFINISHED 8
#define EVENT_MOVED 16
#define EVENT_NO_ARGUMENTS 32
#define EVENT_FAILED 64
#define EVENT_X32 2          /* the architecture */
#define UNKNOWN_NUMBER 65535 /* of calls that share a row, or with a number that does not fit */
#define COMMAND_LINE 512

/* A call.  The object is the number that the program uses; the reader replaces it. */
struct event {
	wide start_ns;
	wide duration_ns;
	wide waiting_ns;
	wide ready_ns;
	wide object;
	long long result;
	wide bytes;
	wide argument0;
	wide argument1;
	wide argument2;
	wide argument3;
	wide argument4;
	wide argument5;
	word pid;
	word tid;
	unsigned short number;
	byte architecture;
	byte flags;
	word cpu;
	wide sequence;
};

/* The ring of events of one CPU.  Positions only grow; their lowest bits are places.  The events below
 * `done` are complete if `done` is equal to `head`. */
struct event_ring {
	wide head;           /* events that were begun, */
	wide done;           /* and that are complete */
	wide before;         /* `done` before it was last changed */
	wide lost;           /* events that did not fit */
	wide unused[4];
	wide tail;           /* events that the reader has taken; in a cache line of its own */
	wide padding[7];
};

/* Calls of a thread that ended in a second of the time of day and are missing. */
struct lost_key {
	word tid;
	word second;
};

/* What a process was started with, as execve left it in its memory. */
struct command_line {
	wide length;
	byte text[COMMAND_LINE];
};

#endif
