/*
 * The thread that made the last stop, and the sums that its calls are added to.
 */
#ifndef SYSWATCH_CURRENT_THREAD_H
#define SYSWATCH_CURRENT_THREAD_H

#include "attributes.h"

#include <linux/ptrace.h>

/* Sums that were looked up, and what is added to them later. */
typedef struct {
    PyObject *call;
    PyObject *object;
    PyObject *sums;
    PyObject *durations;
    /* Whether the row reads what each call has received, while the thread is stopped. */
    bool reads_at_once;
    long long moved;
} KnownSums;

/* The calls that a busy thread makes in turn. */
#define SUMS 4

/*
 * What was looked up of a thread, and what will be set in it.  It is only valid until the loop
 * handles a stop.
 */
typedef struct {
    int tid;
    PyObject *thread;
    PyObject *open;
    PyObject *rows;
    PyObject *watched;
    long long entry_at;
    bool is_special;
    /* The call that the thread has entered, or NULL; its object, and when that was. */
    PyObject *call;
    PyObject *object;
    long long entered_ns;
    /* Whether these are not yet set in the thread. */
    bool has_changed;
    /* The calls that have been counted meanwhile. */
    long long calls;
    KnownSums sums[SUMS];
} Current;

/* Returns how the kernel has described the entry to the present call. */
static const struct ptrace_syscall_info *entry_of(const Current *current)
{
    return (const void *)(uintptr_t)current->entry_at;
}

/* Adds what is to be added to sums, and forgets them; returns false if that failed. */
static bool release_sums(KnownSums *known)
{
    bool is_added = !known->moved || add(known->sums, moved_name, known->moved);

    Py_CLEAR(known->call);
    Py_CLEAR(known->object);
    Py_CLEAR(known->sums);
    Py_CLEAR(known->durations);
    known->moved = 0;
    return is_added;
}

/* Sets the present call in a thread, if that has changed; returns false if that failed. */
static bool store(Current *current)
{
    PyObject *thread = current->thread, *call = current->call ? current->call : Py_None;

    if (!current->has_changed)
        return true;
    current->has_changed = false;
    return PyObject_SetAttr(thread, call_name, call) == 0 &&
           set_number(thread, entered_ns_name, current->entered_ns) &&
           PyObject_SetAttr(thread, object_name, current->object) == 0;
}

/* Sets in a thread what has changed, and forgets it; returns false if that failed. */
static bool forget(Current *current)
{
    PyObject *thread = current->thread;
    bool is_set = store(current);

    if (current->calls)
        is_set &= add(thread, calls_name, current->calls);
    for (int i = 0; i < SUMS; i++)
        is_set &= release_sums(&current->sums[i]);
    Py_CLEAR(current->call);
    Py_CLEAR(current->object);
    Py_CLEAR(current->open);
    Py_CLEAR(current->rows);
    Py_CLEAR(current->watched);
    Py_CLEAR(current->thread);
    *current = (Current){0};
    return is_set;
}

/* Looks a thread up, unless it was the last one; returns false if the loop must do it. */
static bool find_thread(Current *current, PyObject *threads, int tid)
{
    PyObject *thread;

    if (tid == current->tid)
        return true;
    if (!forget(current) || !(thread = look_up(threads, PyLong_FromLong(tid))))
        return false;
    *current = (Current){
        .tid = tid,
        .thread = Py_NewRef(thread),
        .open = PyObject_GetAttr(thread, open_name),
        .rows = PyObject_GetAttr(thread, rows_name),
        .watched = PyObject_GetAttr(thread, watched_name),
        .entry_at = number_of(thread, entry_at_name),
        .is_special = is_true(thread, special_name, true),
        .call = PyObject_GetAttr(thread, call_name),
        .object = PyObject_GetAttr(thread, object_name),
        .entered_ns = number_of(thread, entered_ns_name),
    };
    if (current->call && Py_IsNone(current->call))
        Py_CLEAR(current->call);
    else if (!current->call)
        return false;
    return current->open && current->rows && current->watched && current->object &&
           current->entry_at > 0;
}

#endif
