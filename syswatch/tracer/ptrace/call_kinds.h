/*
 * What is known of each kind of calls.
 */
#ifndef SYSWATCH_CALL_KINDS_H
#define SYSWATCH_CALL_KINDS_H

#include "attributes.h"

/* What is known of a kind of calls, which never changes. */
enum {
    CAPTURED = 1,
    HANDLED_AT_ENTRY = 2,
    COMMANDS = 4,
    ON_DESCRIPTOR = 8,
    CLOSES_FIRST = 16,
    HANDLED_AT_EXIT = 32,
    FOUND_AT_ENTRY = 64,
    ACTS = 128,
    MOVES = 256,
    /* The third or the fourth argument has flags, by which bytes may be left in place. */
    FLAGS_THIRD = 512,
    FLAGS_FOURTH = 1024,
    /* It acts on a path, which is read at the exit; or it opens one, which is read at the entry. */
    NAMES_PATH = 2048,
    OPENS_PATH = 4096,
    /* It acts on a descriptor that is not the first argument, or not found at the entry. */
    IN_DESCRIPTOR = 8192,
};

/* A kind of calls by its number, and what is known of it by its address. */
typedef struct {
    uint32_t architecture;
    uint64_t number;
    PyObject *call;
} Kind;

typedef struct {
    PyObject *call;
    unsigned traits;
    /* The arguments with the path or descriptor, and with the directory; -1 if there is none. */
    int object_at;
    int directory_at;
} KnownKind;

/* More than most programs use. */
#define KINDS 256

/* The kinds that are known: all, and those found of late. */
typedef struct {
    PyObject *all;
    Kind by_number[KINDS];
    KnownKind by_address[KINDS];
} Kinds;

static PyObject *kind_of(Kinds *kinds, uint32_t architecture, uint64_t number)
{
    Kind *kind = &kinds->by_number[number % KINDS];
    PyObject *calls, *call;

    if (kind->call && kind->number == number && kind->architecture == architecture)
        return kind->call;
    calls = look_up(kinds->all, PyLong_FromUnsignedLong(architecture));
    call = calls ? look_up(calls, PyLong_FromUnsignedLongLong(number)) : NULL;
    if (call) {
        Py_XDECREF(kind->call);
        *kind = (Kind){architecture, number, Py_NewRef(call)};
    }
    return call;
}

static unsigned read_flags_at(PyObject *call)
{
    long long at = number_of(call, flags_at_name);

    return at == 2 ? FLAGS_THIRD : at == 3 ? FLAGS_FOURTH : 0;
}

/* Returns how the object of a call is found from an argument, if that is done here. */
static unsigned read_way(PyObject *call)
{
    if (number_of(call, descriptor_at_name) >= 0)
        return IN_DESCRIPTOR;
    if (number_of(call, path_at_name) < 0)
        return 0;
    return is_true(call, names_path_name, false) * NAMES_PATH |
           is_true(call, only_opens_name, false) * OPENS_PATH;
}

/* Returns when the loop has to handle a call; what opens a path is handled here. */
static unsigned read_handling(PyObject *call, unsigned way)
{
    if (way & OPENS_PATH)
        return 0;
    return is_true(call, handled_at_entry_name, true) * HANDLED_AT_ENTRY |
           is_true(call, handled_at_exit_name, true) * HANDLED_AT_EXIT;
}

static unsigned read_traits(PyObject *call)
{
    unsigned way = read_way(call);

    return is_true(call, captured_name, true) * CAPTURED |
           is_true(call, commands_name, true) * COMMANDS |
           is_true(call, on_descriptor_name, false) * ON_DESCRIPTOR |
           is_true(call, closes_first_name, true) * CLOSES_FIRST |
           is_true(call, found_at_entry_name, false) * FOUND_AT_ENTRY |
           is_true(call, acts_name, true) * ACTS | is_true(call, moves_name, false) * MOVES |
           read_flags_at(call) | read_handling(call, way) | way;
}

/* Returns the argument from which the object of a call is found, or -1. */
static int read_object_at(PyObject *call)
{
    long long path_at = number_of(call, path_at_name);

    return (int)(path_at >= 0 ? path_at : number_of(call, descriptor_at_name));
}

static int read_directory_at(PyObject *call)
{
    PyObject *target = PyObject_GetAttr(call, target_name);
    long long at = target ? number_of(target, directory_name) : -1;

    Py_XDECREF(target);
    return (int)at;
}

static const KnownKind *known_kind(Kinds *kinds, PyObject *call)
{
    KnownKind *kind = &kinds->by_address[((uintptr_t)call >> 4) % KINDS];

    if (kind->call != call) {
        Py_XDECREF(kind->call);
        *kind = (KnownKind){
            .call = Py_NewRef(call),
            .traits = read_traits(call),
            .object_at = read_object_at(call),
            .directory_at = read_directory_at(call),
        };
    }
    return kind;
}

static void release_kinds(Kinds *kinds)
{
    Py_XDECREF(kinds->all);
    for (int i = 0; i < KINDS; i++) {
        Py_XDECREF(kinds->by_number[i].call);
        Py_XDECREF(kinds->by_address[i].call);
    }
}

#endif
