/*
 * Sums of calls by process and name: as `tally` in `python_loops.py`.
 */
#ifndef SYSWATCH_TALLIES_H
#define SYSWATCH_TALLIES_H

#include "rows.h"

typedef struct {
    PyObject *pid;
    PyObject *name;
    long long count;
    long long errors;
    long long untimed;
    Sum total_ns;
    long long least_ns;
    long long most_ns;
    /* By name and by bucket, or NULL. */
    PyObject *errnos;
    PyObject *buckets;
} Tally;

/* Tallies by two objects; the same bytes may be two objects, and then have two tallies. */
typedef struct {
    Tally *tallies;
    Py_ssize_t count;
    Py_ssize_t capacity;
    /* Indexes of tallies, plus one. */
    uint32_t *slots;
    uint32_t mask;
} Table;

static bool resize(Table *table)
{
    Py_ssize_t capacity = table->capacity ? 2 * table->capacity : 256;
    Tally *tallies = PyMem_Realloc(table->tallies, capacity * sizeof *tallies);
    uint32_t *slots = PyMem_Calloc(2 * capacity, sizeof *slots);

    if (tallies)
        table->tallies = tallies;
    if (!tallies || !slots) {
        PyMem_Free(slots);
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(table->slots);
    *table = (Table){tallies, table->count, capacity, slots, 2 * capacity - 1};
    for (Py_ssize_t each = 0; each < table->count; each++) {
        uint32_t at = slot_of(tallies[each].pid, tallies[each].name) & table->mask;

        while (slots[at])
            at = (at + 1) & table->mask;
        slots[at] = each + 1;
    }
    return true;
}

static Tally *tally_of(Table *table, PyObject *pid, PyObject *name)
{
    if (table->count == table->capacity && !resize(table))
        return NULL;
    uint32_t at = slot_of(pid, name) & table->mask;

    for (; table->slots[at]; at = (at + 1) & table->mask) {
        Tally *tally = &table->tallies[table->slots[at] - 1];

        if (tally->pid == pid && tally->name == name)
            return tally;
    }
    Tally *tally = &table->tallies[table->count++];

    table->slots[at] = table->count;
    *tally = (Tally){.pid = Py_NewRef(pid), .name = Py_NewRef(name)};
    return tally;
}

static void clear(Table *table)
{
    for (Py_ssize_t each = 0; each < table->count; each++) {
        Tally *tally = &table->tallies[each];

        Py_DECREF(tally->pid);
        Py_DECREF(tally->name);
        Py_XDECREF(tally->errnos);
        Py_XDECREF(tally->buckets);
    }
    PyMem_Free(table->tallies);
    PyMem_Free(table->slots);
}

/* Adds a call; in the sums by second, only what a second has. */
static bool add_call(Tally *tally, PyObject *row, bool with_details)
{
    tally->count++;
    if (has(row, ERRNO)) {
        tally->errors++;
        if (with_details && ((!tally->errnos && !(tally->errnos = PyDict_New())) ||
                             count_in(tally->errnos, field(row, ERRNO), 1) < 0))
            return false;
    }
    if (!has(row, DURATION)) {
        tally->untimed++;
        return true;
    }
    long long ns = duration_ns(text_of(row, DURATION));

    tally->total_ns += ns;
    if (!with_details)
        return true;
    if (!tally->buckets && !(tally->buckets = PyDict_New()))
        return false;
    if (tally->count - tally->untimed == 1 || ns < tally->least_ns)
        tally->least_ns = ns;
    if (ns > tally->most_ns)
        tally->most_ns = ns;
    return count_bucket(tally->buckets, ns) == 0;
}

/* Returns the fields of a tally, as `python_loops.Tally` has them, or NULL with an exception. */
static PyObject *tuple_of(const Tally *tally)
{
    PyObject *nothing = Py_None;

    return Py_BuildValue("(OOLLLNLLOO)", tally->pid, tally->name, tally->count, tally->errors,
                         tally->untimed, number_of(tally->total_ns), tally->least_ns,
                         tally->most_ns, tally->errnos ? tally->errnos : nothing,
                         tally->buckets ? tally->buckets : nothing);
}

static PyObject *list_of(const Table *table)
{
    PyObject *list = PyList_New(table->count);

    for (Py_ssize_t each = 0; list && each < table->count; each++) {
        PyObject *tuple = tuple_of(&table->tallies[each]);

        if (!tuple || PyList_SetItem(list, each, tuple) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *tally(PyObject *module, PyObject *rows)
{
    Table by_process = {0}, by_second = {0};
    PyObject *calls = NULL, *seconds = NULL;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);
        Tally *of_process = tally_of(&by_process, field(row, PID), field(row, NAME));
        Tally *of_second = tally_of(&by_second, field(row, SECOND), field(row, NAME));

        if (!of_process || !of_second || !add_call(of_process, row, true) ||
            !add_call(of_second, row, false))
            goto done;
    }
    calls = list_of(&by_process);
    seconds = list_of(&by_second);
done:
    clear(&by_process);
    clear(&by_second);
    if (calls && seconds)
        return Py_BuildValue("(NN)", calls, seconds);
    Py_XDECREF(calls);
    Py_XDECREF(seconds);
    return NULL;
}

#endif
