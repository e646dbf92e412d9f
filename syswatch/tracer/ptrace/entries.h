/*
 * Entries to calls.
 */
#ifndef SYSWATCH_ENTRIES_H
#define SYSWATCH_ENTRIES_H

#include "paths.h"
#include "stops.h"

/* Forgets what was captured before; returns false if memory must be read. */
static bool captures_nothing(OrdinaryStops *self)
{
    return !self->logs && self->counts != COUNTS_NOTHING_HERE &&
           PyObject_SetAttr(self->current.thread, captured_name, Py_None) == 0;
}

/* Reads the path that a call opens; returns false if the loop must do it. */
static bool read_given(OrdinaryStops *self, uint64_t address)
{
    PyObject *path = read_string(self->current.tid, address);
    bool is_read = path && PyObject_SetAttr(self->current.thread, given_name, path) == 0;

    Py_XDECREF(path);
    return is_read;
}

static bool is_watched(PyObject *watched, PyObject *call)
{
    return PyObject_Size(watched) && look_up(watched, Py_NewRef(call));
}

/* Returns whether the entry to a call needs nothing but its time, its object and its path. */
static bool is_plain_entry(OrdinaryStops *self, const KnownKind *kind)
{
    return !self->current.is_special && !(kind->traits & (HANDLED_AT_ENTRY | COMMANDS)) &&
           !is_watched(self->current.watched, kind->call) &&
           (!(kind->traits & CAPTURED) || captures_nothing(self));
}

/* Notes the object of a call; returns false if the loop must find it. */
static bool note_object(OrdinaryStops *self, const KnownKind *kind, int fd)
{
    Current *current = &self->current;
    PyObject *object = NULL;

    if (!(kind->traits & ON_DESCRIPTOR))
        return true;
    if (!(kind->traits & CLOSES_FIRST))
        object = object_of_descriptor(current->open, fd);
    if (!object)
        object = PyObject_CallFunctionObjArgs(self->object_at_entry, self->recorder,
                                              current->thread, kind->call, NULL);
    if (!object)
        return false;
    Py_DECREF(current->object);
    current->object = object;
    return true;
}

/* Notes the entry to a call; returns false if the loop must do it. */
static bool enter(OrdinaryStops *self)
{
    Current *current = &self->current;
    struct ptrace_syscall_info info;
    const KnownKind *kind;
    PyObject *call;

    if (!describe(current->tid, &info) || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    call = kind_of(&self->kinds, info.arch, info.entry.nr);
    if (!call)
        return false;
    kind = known_kind(&self->kinds, call);
    if (!is_plain_entry(self, kind))
        return false;
    memcpy((void *)(uintptr_t)current->entry_at, &info, sizeof(info));
    if (!note_object(self, kind, (int)info.entry.args[0]))
        return false;
    if (kind->traits & OPENS_PATH && !read_given(self, info.entry.args[kind->object_at]))
        return false;
    current->call = Py_NewRef(call);
    current->entered_ns = now_ns();
    current->has_changed = true;
    return true;
}

#endif
