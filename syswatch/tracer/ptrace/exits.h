/*
 * Exits from calls, which are counted.
 */
#ifndef SYSWATCH_EXITS_H
#define SYSWATCH_EXITS_H

#include "paths.h"
#include "stops.h"

#include <sys/socket.h>

/* A call that is restarted, which the loop has to remember; as in `calls`. */
#define RESTART_LATER (-516)

/* Returns the object of the path that a call names, or NULL if it is not known yet. */
static PyObject *named_object(OrdinaryStops *self, const KnownKind *kind)
{
    Current *current = &self->current;
    PyObject *path, *object;

    if (Py_IsNone(self->paths))
        return NULL;
    path = kind->traits & OPENS_PATH
               ? PyObject_GetAttr(current->thread, given_name)
               : read_string(current->tid, entry_of(current)->entry.args[kind->object_at]);
    object = object_of_path(self->paths, current, kind, path);
    Py_XDECREF(path);
    return object;
}

/* Returns the object of the descriptor in an argument, or NULL if it is not known yet. */
static PyObject *object_of_argument(const Current *current, int at)
{
    int fd = (int)entry_of(current)->entry.args[at];

    return fd < 0 ? PyLong_FromLong(0) : object_of_descriptor(current->open, fd);
}

/* Returns the object of a call at its exit; NULL without an error if it has none. */
static PyObject *find_object(OrdinaryStops *self, const KnownKind *kind,
                             const struct ptrace_syscall_info *info)
{
    bool has_failed = info->exit.is_error;
    unsigned traits = kind->traits;
    PyObject *object = NULL, *result = NULL;

    if (traits & FOUND_AT_ENTRY)
        return Py_NewRef(self->current.object);
    if (!(traits & ACTS) || self->counts != COUNTS_OBJECTS)
        return NULL;
    if (traits & IN_DESCRIPTOR)
        object = object_of_argument(&self->current, kind->object_at);
    else if (traits & NAMES_PATH || (traits & OPENS_PATH && has_failed))
        object = named_object(self, kind);
    if (object)
        return object;
    PyErr_Clear();
    if (store(&self->current) && (result = PyLong_FromLongLong(info->exit.rval)))
        object = PyObject_CallFunctionObjArgs(self->object_at_exit, self->recorder,
                                              self->current.thread, kind->call, result,
                                              has_failed ? Py_True : Py_False, NULL);
    Py_XDECREF(result);
    return object;
}

/* Returns the key of the sums to which a call is added. */
static PyObject *key_of(OrdinaryStops *self, const KnownKind *kind, PyObject *object)
{
    if (self->counts == COUNTS_OBJECTS && object)
        return PyTuple_Pack(2, kind->call, object);
    return Py_NewRef(kind->call);
}

/* Returns the sums of a key, which are made if there are none yet. */
static PyObject *find_sums(OrdinaryStops *self, PyObject *key)
{
    PyObject *thread = self->current.thread;
    PyObject *sums = look_up(self->current.rows, Py_XNewRef(key));

    if (sums || !key)
        return Py_XNewRef(sums);
    return PyObject_CallMethodObjArgs(self->recorder, new_sums_name, thread, key, NULL);
}

/* Returns the sums to which a call is added, or NULL if the loop must find them. */
static KnownSums *sums_of(OrdinaryStops *self, const KnownKind *kind, PyObject *object)
{
    KnownSums *known =
        &self->current.sums[((uintptr_t)kind->call >> 4 ^ (uintptr_t)object >> 4) % SUMS];
    PyObject *key, *sums;

    if (known->call == kind->call && known->object == object)
        return known;
    key = key_of(self, kind, object);
    sums = find_sums(self, key);
    Py_XDECREF(key);
    if (!sums || !release_sums(known))
        return NULL;
    *known = (KnownSums){
        .call = Py_NewRef(kind->call),
        .object = Py_XNewRef(object),
        .sums = sums,
        .durations = PyObject_GetAttr(sums, durations_name),
        .reads_at_once =
            self->counts == COUNTS_OBJECTS && is_true(sums, reads_at_once_name, false),
    };
    return known;
}

static bool add_duration(KnownSums *known, long long duration_ns)
{
    PyObject *duration = PyLong_FromLongLong(duration_ns);
    bool is_added = known->durations && duration && PyList_Append(known->durations, duration) == 0;

    Py_XDECREF(duration);
    return is_added;
}

/* Returns whether enough failures of a call have been kept as samples. */
static bool is_sampled(OrdinaryStops *self, PyObject *call)
{
    PyObject *sampled = PyObject_GetAttr(self->recorder, sampled_name);
    int is_in = sampled ? PySet_Contains(sampled, call) : -1;

    Py_XDECREF(sampled);
    return is_in > 0;
}

/* Returns the name of the error of a call, or NULL if the loop must handle the failure. */
static PyObject *error_of(OrdinaryStops *self, PyObject *call, long long result)
{
    if (result == RESTART_LATER || !is_sampled(self, call))
        return NULL;
    return look_up(self->errors, PyLong_FromLongLong(-result));
}

static bool add_failure(KnownSums *known, PyObject *error, long long duration_ns)
{
    PyObject *duration = PyLong_FromLongLong(duration_ns), *added = NULL;

    if (duration)
        added = PyObject_CallMethodObjArgs(known->sums, add_name, error, duration, NULL);
    Py_XDECREF(duration);
    Py_XDECREF(added);
    return added;
}

/* Counts the path that a call has opened, or failed to open, and forgets it. */
static bool count_path(OrdinaryStops *self, PyObject *call, bool has_failed)
{
    PyObject *thread = self->current.thread, *path = PyObject_GetAttr(thread, given_name);
    PyObject *failed = has_failed ? Py_True : Py_False, *counted = NULL;
    bool is_counted;

    /* What could not be read is not counted. */
    if (path && Py_IsNone(path)) {
        Py_DECREF(path);
        return true;
    }
    if (path)
        counted = PyObject_CallMethodObjArgs(self->recorder, count_path_name, call, path, failed,
                                             NULL);
    is_counted = counted && PyObject_SetAttr(thread, given_name, Py_None) == 0;
    Py_XDECREF(path);
    Py_XDECREF(counted);
    return is_counted;
}

/* Whether so many bytes can be moved in a call, as in `bytes_moved`. */
static bool can_be_moved(long long bytes)
{
    return bytes >= 0 && bytes <= INT32_MAX;
}

/* Whether a call has only looked at what it has received, as in `leaves_in_place`. */
static bool leaves_in_place(const Current *current, unsigned traits)
{
    return traits & (FLAGS_THIRD | FLAGS_FOURTH) &&
           entry_of(current)->entry.args[traits & FLAGS_THIRD ? 2 : 3] & MSG_PEEK;
}

/* Returns whether nothing but the duration and the result of a call is needed at its exit. */
static bool is_plain_exit(OrdinaryStops *self, const KnownKind *kind, long long duration_ns)
{
    return !(kind->traits & HANDLED_AT_EXIT) && !self->current.is_special &&
           duration_ns < number_of(kind->call, bound_ns_name);
}

/* Adds the bytes that a call has moved: later, if its row does not read memory meanwhile. */
static bool add_moved(KnownSums *known, long long bytes)
{
    if (known->reads_at_once)
        return add(known->sums, moved_name, bytes);
    known->moved += bytes;
    return true;
}

/* Adds a call that succeeded to its sums. */
static bool add_success(OrdinaryStops *self, const KnownKind *kind, KnownSums *known,
                        long long duration_ns, long long result)
{
    if (!add_duration(known, duration_ns))
        return false;
    if (self->counts == COUNTS_OBJECTS && kind->traits & MOVES && can_be_moved(result) &&
        !leaves_in_place(&self->current, kind->traits))
        return add_moved(known, result);
    return true;
}

/* Counts a call that has returned; returns false if the loop must do it. */
static bool count(OrdinaryStops *self, const KnownKind *kind, long long duration_ns,
                  const struct ptrace_syscall_info *info)
{
    bool has_failed = info->exit.is_error;
    PyObject *error = has_failed ? error_of(self, kind->call, info->exit.rval) : NULL, *object;
    KnownSums *known;

    if (has_failed && !error)
        return false;
    object = find_object(self, kind, info);
    known = object || !PyErr_Occurred() ? sums_of(self, kind, object) : NULL;
    Py_XDECREF(object);
    if (!known)
        return false;
    return (has_failed ? add_failure(known, error, duration_ns)
                       : add_success(self, kind, known, duration_ns, info->exit.rval)) &&
           (!(kind->traits & OPENS_PATH) || count_path(self, kind->call, has_failed));
}

/* Counts a call at its exit; returns false if the loop must do it. */
static bool leave(OrdinaryStops *self)
{
    Current *current = &self->current;
    long long now = self->at_ns, duration_ns = now - current->entered_ns;
    struct ptrace_syscall_info info;
    const KnownKind *kind;

    if (self->counts == COUNTS_NOTHING_HERE || self->logs || now >= self->due_ns)
        return false;
    if (!describe(current->tid, &info) || info.op != PTRACE_SYSCALL_INFO_EXIT)
        return false;
    kind = known_kind(&self->kinds, current->call);
    if (!is_plain_exit(self, kind, duration_ns) ||
        !count(self, kind, duration_ns, &info))
        return false;
    current->calls++;
    Py_CLEAR(current->call);
    current->has_changed = true;
    return true;
}

#endif
