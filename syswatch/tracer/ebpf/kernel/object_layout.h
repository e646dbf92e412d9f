/* SPDX-License-Identifier: MIT
 *
 * Structures for objects, shared by the program in the kernel and its reader.  object_layout.py
 * declares the same for Python.
 */
#ifndef SYSWATCH_OBJECT_LAYOUT_H
#define SYSWATCH_OBJECT_LAYOUT_H

/* The path of a descriptor. */
#define LINK 256
#define NAME 64      /* one component of a path */
#define DEPTH 24     /* components and mounts */
#define LINK_WHOLE 1
#define LINK_DELETED 2
#define LINK_NOWHERE 4 /* in no directory: pipes, sockets and similar */
#define WORKING_FOLDER (-100)

/* Kinds of objects, in the order of the model.  The object of the same number stands for all of a
 * kind that have none of their own; NO_OBJECT for calls without an object. */
#define NO_OBJECT 0
#define KIND_PATH 1
#define KIND_FILE 2
#define KIND_DIRECTORY 3
#define KIND_DEVICE 4
#define KIND_TTY 5
#define KIND_PIPE 6
#define KIND_UNIX 7
#define KIND_TCP 8
#define KIND_UDP 9
#define KIND_SOCKET 10
#define KIND_EVENTFD 11
#define KIND_TIMERFD 12
#define KIND_SIGNALFD 13
#define KIND_INOTIFY 14
#define KIND_EPOLL 15
#define KIND_MEMFD 16
#define KIND_IO_URING 17
#define KIND_DESCRIPTOR 18
#define KIND_FUTEX 19
#define KIND_SLEEP 20
#define KIND_CHILD 21
#define KIND_SIGNAL 22
#define KIND_TIMEOUT 23
#define FIRST_OBJECT 32
#define OBJECTS (FIRST_OBJECT + 10000)

/* Which side began a connection. */
#define SIDE_UNKNOWN 0
#define SIDE_CLIENT 1
#define SIDE_SERVER 2
#define SIDE_LISTENING 3
#define SIDE_UNCONNECTED 4

/* The state of an object, a thread or a row: as that of a process, FREE, ALIVE, ENDED, LEFT. */

/* The kind of a key in `object_index`. */
#define BY_INODE 1   /* generation; number, device */
#define BY_POINTER 2 /* for files without an inode of their own: the file itself */
#define BY_PEER 3    /* side, protocol; address, port */
#define BY_NAME 4    /* of a Unix socket: a hash of its path, side */
#define BY_PATH 5    /* a hash of the path, a hash of the directory that it is relative to */
#define BY_FUTEX 6   /* PID; address, when the process began */
#define BY_SLEEP 7   /* whether it is until an unknown time; else nanoseconds */
#define BY_CHILD 8   /* PID; when the parent began */

/* The file of a descriptor: the components of its path, the last one first. */
struct link {
	int descriptor;
	word state;
	word mode;
	word length;
	wide file_system;
	wide number;
	byte text[LINK];
};

struct object_key {
	word type;
	word detail;
	wide first;
	wide second;
	wide third;
};

/* What is known of an object; complete when its state is ALIVE. */
struct object {
	struct object_key key;
	word state;
	word kind;
	word process;    /* where it was first seen: the record, */
	word pid;        /* process and thread in the namespace of the reader, */
	word tid;
	int descriptor;  /* and the descriptor, or -1 */
	word row;        /* and the call */
	word side;
	/* A file, pipe or socket. */
	wide number;     /* of the inode */
	wide file_system; /* magic number */
	word device;     /* of the file system */
	word special;    /* of a device file: its own number */
	word mode;
	word generation;
	/* A socket.  Addresses in network order, IPv4 in the first four bytes; ports in host order. */
	word family;
	word protocol;
	word socket_type;
	word socket_state;
	byte local[16];
	byte remote[16];
	word local_port;
	word remote_port;
	word peer_pid;   /* of a Unix socket, 0 if unknown */
	word shared;     /* a futex that may be shared by processes */
	wide value;      /* a futex address, the nanoseconds of a sleep, the PID of a child */
	wide peer_number; /* inode of the other end of a Unix socket */
	/* The path given to a call, or that of a Unix socket, an abstract one with its NUL. */
	word text_length;
	word text_cut;
	byte text[LINK];
	/* The file, or the directory that the path is relative to; mode 0 if there is none. */
	struct link link;
};

struct watch_key {
	wide epoll;  /* struct file */
	wide data;
};

struct watch {
	wide file;
	int descriptor;
	word object;
};

#endif
