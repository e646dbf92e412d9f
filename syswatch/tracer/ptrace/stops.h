/*
 * What is known while stops are handled, and what the kernel says of one.
 */
#ifndef SYSWATCH_STOPS_H
#define SYSWATCH_STOPS_H

#include "attributes.h"
#include "call_kinds.h"
#include "current_thread.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A system call stop, because of PTRACE_O_TRACESYSGOOD. */
#define SYSCALL_STATUS ((SIGTRAP | 0x80) << 8 | 0x7f)
#define NS_IN_SECOND 1000000000LL

/* What the loop counts of a call besides its duration. */
enum { COUNTS_NOTHING_HERE, COUNTS_DURATIONS, COUNTS_OBJECTS };

typedef struct {
    PyObject_HEAD
    /* By ID. */
    PyObject *threads;
    PyObject *recorder;
    /* The names of errors by number. */
    PyObject *errors;
    /* What finds the objects of paths; None if what changes them is not traced. */
    PyObject *paths;
    /* The functions of `counting` that find the objects that are not found here. */
    PyObject *object_at_entry;
    PyObject *object_at_exit;
    Py_buffer status;
    int counts;
    int resume_request;
    long long due_ns;
    /* When the last wait began or ended, and when it was last known that no stop was pending. */
    long long at_ns;
    long long idle_ns;
    /* All threads, the place of the next one, the one that has its turn, and when that ends. */
    PyObject *turns;
    Py_ssize_t next;
    int in_turn;
    long long turn_ends_ns;
    bool logs;
    Current current;
    Kinds kinds;
} OrdinaryStops;

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_IN_SECOND + now.tv_nsec;
}

/* Not the C library's function, whose header is in conflict with the kernel's. */
static long request(int number, int tid, size_t address, void *data)
{
    return syscall(SYS_ptrace, number, tid, address, data);
}

static bool describe(int tid, struct ptrace_syscall_info *info)
{
    return request(PTRACE_GET_SYSCALL_INFO, tid, sizeof(*info), info) > 0;
}

/* Returns the object of an open descriptor, or NULL. */
static PyObject *object_of_descriptor(PyObject *open, int fd)
{
    PyObject *opened = look_up(open, PyLong_FromLong(fd));

    return opened ? PyObject_GetAttr(opened, object_name) : NULL;
}

#endif
