/*
 * Choosing rows by their fields, as `python_loops.py` does.
 */
#ifndef SYSWATCH_ROW_CHOICES_H
#define SYSWATCH_ROW_CHOICES_H

#include "rows.h"

/* For so many objects what was found is kept. */
#define RECENT 256

static PyObject *with_field(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *indexes;
    int wanted;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &rows, &wanted) || !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++)
        if (has(PyList_GetItem(rows, index), wanted) && append_index(indexes, index) < 0) {
            Py_DECREF(indexes);
            return NULL;
        }
    return indexes;
}

static PyObject *only_with(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *found;
    int wanted;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &rows, &wanted) || !(found = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); found && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (has(row, wanted) && PyList_Append(found, row) < 0)
            Py_CLEAR(found);
    }
    return found;
}

static PyObject *different(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *found, *last = NULL;
    int wanted;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &rows, &wanted) || !(found = PySet_New(NULL)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); found && index < count; index++) {
        PyObject *text = field(PyList_GetItem(rows, index), wanted);

        if (text != last && PySet_Add(found, text) < 0)
            Py_CLEAR(found);
        last = text;
    }
    return found;
}

static PyObject *with_time(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *indexes, *last = NULL;
    int in_rows;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Op", &rows, &in_rows) || !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *second = field(row, SECOND);
        bool may_differ = PyBytes_Size(second) ? in_rows && second != last : !has(row, NAME);

        if (may_differ && append_index(indexes, index) < 0) {
            Py_DECREF(indexes);
            return NULL;
        }
        last = second;
    }
    return indexes;
}

static bool note_index(PyObject *indexes, PyObject *key, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    bool done = number && PyDict_SetItem(indexes, key, number) == 0;

    Py_XDECREF(number);
    return done;
}

/* The newest index of keys, in the order in which they were met.  Those of a few keys are kept
   beside the dict: lines of several processes alternate. */
typedef struct {
    PyObject *dict;
    PyObject *recent[RECENT];
    Py_ssize_t indexes[RECENT];
} Newest;

/* Notes what was kept.  Keys may be equal that are not the same object. */
static bool settle(const Newest *newest, uint32_t slot)
{
    PyObject *key = newest->recent[slot];
    PyObject *before = key ? PyDict_GetItemWithError(newest->dict, key) : NULL;

    if (!key || (before && PyLong_AsSsize_t(before) > newest->indexes[slot]))
        return true;
    return !PyErr_Occurred() && note_index(newest->dict, key, newest->indexes[slot]);
}

static bool note_newest(Newest *newest, PyObject *key, Py_ssize_t index)
{
    uint32_t slot = slot_of(key, NULL) % RECENT;
    bool done = true;

    if (newest->recent[slot] != key)
        done = settle(newest, slot) && (PyDict_GetItemWithError(newest->dict, key) ||
                                        note_index(newest->dict, key, index));
    newest->recent[slot] = key;
    newest->indexes[slot] = index;
    return done;
}

static bool settle_all(const Newest *newest)
{
    for (uint32_t slot = 0; slot < RECENT; slot++)
        if (!settle(newest, slot))
            return false;
    return true;
}

static PyObject *ends_by_pid(PyObject *module, PyObject *rows)
{
    PyObject *first = PyDict_New(), *former = NULL;
    Newest last = {.dict = PyDict_New()};
    bool done = first && last.dict;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); done && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *digits = field(row, PID);

        if (!has(row, SECOND) || !(has(row, NAME) || has(row, RESUMED)))
            continue;
        if (digits != former)
            done = PyDict_GetItemWithError(first, digits) || note_index(first, digits, index);
        done = done && note_newest(&last, digits, index);
        former = digits;
    }
    if (done && settle_all(&last))
        return Py_BuildValue("(NN)", first, last.dict);
    Py_XDECREF(first);
    Py_XDECREF(last.dict);
    return NULL;
}

static PyObject *newest_by_pid(PyObject *module, PyObject *rows)
{
    Newest newest = {.dict = PyDict_New()};
    bool done = newest.dict != NULL;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); done && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (has(row, NAME) || has(row, RESUMED) || has(row, BEGUN))
            done = note_newest(&newest, field(row, PID), index);
    }
    if (!done || !settle_all(&newest))
        Py_CLEAR(newest.dict);
    return newest.dict;
}

/* Returns what a dict has for an index; NULL without an exception if it has nothing. */
static PyObject *at_index(PyObject *dict, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    PyObject *found = number ? PyDict_GetItemWithError(dict, number) : NULL;

    Py_XDECREF(number);
    return found;
}

/* Returns the list that a dict has for a key, after it was made if there was none. */
static PyObject *list_in(PyObject *dict, PyObject *key)
{
    PyObject *list = PyDict_GetItemWithError(dict, key);

    if (list || PyErr_Occurred() || !(list = PyList_New(0)))
        return list;
    int failed = PyDict_SetItem(dict, key, list);

    Py_DECREF(list); /* The dict has it. */
    return failed < 0 ? NULL : list;
}

static PyObject *newest_failures(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *others, *newest, *indexes;
    Py_ssize_t most;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!n", &rows, &PyDict_Type, &others, &most) ||
        !(newest = PyDict_New()))
        return NULL;
    for (Py_ssize_t index = PyList_Size(rows) - 1; newest && index >= 0; index--) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, ERRNO) || at_index(others, index))
            continue;
        indexes = PyErr_Occurred() ? NULL : list_in(newest, field(row, NAME));
        if (!indexes || (PyList_Size(indexes) < most && append_index(indexes, index) < 0))
            Py_CLEAR(newest);
    }
    return newest;
}

static PyObject *named(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *names, *indexes;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &rows, &names) || !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); indexes && index < count; index++) {
        int found = PySet_Contains(names, field(PyList_GetItem(rows, index), NAME));

        if (found < 0 || (found && append_index(indexes, index) < 0))
            Py_CLEAR(indexes);
    }
    return indexes;
}

static bool is_greater(PyObject *one, PyObject *other)
{
    size_t length = PyBytes_Size(one), other_length = PyBytes_Size(other);
    size_t shorter = length < other_length ? length : other_length;
    int order = memcmp(PyBytes_AsString(one), PyBytes_AsString(other), shorter);

    return order > 0 || (order == 0 && length > other_length);
}

/* Returns what a dict has for a key; it does not change while the few last answers are kept. */
static PyObject *recently_found(PyObject *dict, PyObject *key, PyObject *recent[][2])
{
    PyObject **entry = recent[slot_of(key, NULL) % RECENT];

    if (entry[0] != key) {
        entry[0] = key;
        entry[1] = PyDict_GetItemWithError(dict, key);
    }
    return entry[1];
}

static PyObject *slower(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *floors, *indexes, *recent[RECENT][2] = {0};

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!", &rows, &PyDict_Type, &floors) ||
        !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); indexes && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, NAME) || !has(row, DURATION))
            continue;
        PyObject *floor = recently_found(floors, field(row, NAME), recent);
        bool is_slower = !floor || is_greater(field(row, DURATION), floor);

        if (PyErr_Occurred() || (is_slower && append_index(indexes, index) < 0))
            Py_CLEAR(indexes);
    }
    return indexes;
}

static PyObject *by_path(PyObject *module, PyObject *rows)
{
    PyObject *grouped = PyDict_New();

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); grouped && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *group = list_in(grouped, field(row, PATH));

        if (!group || PyList_Append(group, row) < 0)
            Py_CLEAR(grouped);
    }
    return grouped;
}

#endif
