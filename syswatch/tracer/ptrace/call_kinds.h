/*
 * What is known of each kind of calls.
 */
#ifndef SYSWATCH_CALL_KINDS_H
#define SYSWATCH_CALL_KINDS_H

#include "attributes.h"

/* What is known of a kind of calls, which never changes. */
enum {
    PREPARED = 1,
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

static unsigned read_traits(PyObject *call)
{
    return is_true(call, prepared_name, true) * PREPARED |
           is_true(call, handled_at_entry_name, true) * HANDLED_AT_ENTRY |
           is_true(call, commands_name, true) * COMMANDS |
           is_true(call, on_descriptor_name, false) * ON_DESCRIPTOR |
           is_true(call, closes_first_name, true) * CLOSES_FIRST |
           is_true(call, handled_at_exit_name, true) * HANDLED_AT_EXIT |
           is_true(call, found_at_entry_name, false) * FOUND_AT_ENTRY |
           is_true(call, acts_name, true) * ACTS | is_true(call, moves_name, false) * MOVES |
           read_flags_at(call);
}

static unsigned traits_of(Kinds *kinds, PyObject *call)
{
    KnownKind *kind = &kinds->by_address[((uintptr_t)call >> 4) % KINDS];

    if (kind->call != call) {
        Py_XDECREF(kind->call);
        *kind = (KnownKind){Py_NewRef(call), read_traits(call)};
    }
    return kind->traits;
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
