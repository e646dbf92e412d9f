/*
 * Collecting rows by object: as `collect` in `python_loops.py`.
 */
#ifndef SYSWATCH_COLLECTED_ROWS_H
#define SYSWATCH_COLLECTED_ROWS_H

#include "rows.h"

/* The arguments begin with a string: its last character is the key. */
static PyObject *key_of(PyObject *row)
{
    static PyObject *quote, *dot;
    PyObject *first = field(row, FIRST), *path = field(row, PATH);
    Py_ssize_t length = PyBytes_Size(path);

    if (PyBytes_Size(first) || !length)
        return first;
    if (!quote && !(quote = PyBytes_FromString("\"")))
        return NULL;
    if (!dot && !(dot = PyBytes_FromString(".")))
        return NULL;
    return PyBytes_AsString(path)[length - 1] == '.' ? dot : quote;
}

static PyObject *found_in(PyObject *dict, PyObject *key)
{
    return dict && key ? PyDict_GetItemWithError(dict, key) : NULL;
}

static PyCFunction append_of_list;

/* Whether rows are only collected, so that nothing else changes. */
static bool collects(PyObject *takes)
{
    return PyCFunction_Check(takes) && PyCFunction_GetFunction(takes) == append_of_list;
}

/* Calls what collects a row, or handles it. */
static bool take(PyObject *takes, PyObject *row)
{
    if (collects(takes))
        return PyList_Append(PyCFunction_GetSelf(takes), row) == 0;
    PyObject *nothing = PyObject_CallFunctionObjArgs(takes, row, NULL);

    Py_XDECREF(nothing);
    return nothing != NULL;
}

/* Whether the first half of a call changes nothing, and its process is known. */
static bool changes_nothing(PyObject *row, PyObject *pids, PyObject *places, PyObject *at_once)
{
    PyObject *text = field(row, BEGUN), *name, *keys, *pid, *acts = NULL;
    const char *begin = PyBytes_AsString(text);
    const char *end = memchr(begin, '(', PyBytes_Size(text));

    if (!(keys = found_in(pids, field(row, PID))) || !(pid = PyObject_GetAttrString(keys, "pid")))
        return false;
    if (PyDict_GetItemWithError(places, pid) && (name = PyBytes_FromStringAndSize(begin, end - begin))) {
        acts = PyDict_GetItemWithError(at_once, name);
        Py_DECREF(name);
    }
    Py_DECREF(pid);
    return acts == Py_False;
}

static PyObject *collect(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *pids, *places, *at_once, *row;
    /* Of the row before, unless its handler may have forgotten them. */
    PyObject *digits = NULL, *keys = NULL;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &rows, &pids, &places, &at_once))
        return NULL;
    if (!PyIter_Check(rows)) {
        PyErr_SetString(PyExc_TypeError, "rows must come from an iterator");
        return NULL;
    }
    while ((row = PyIter_Next(rows))) {
        bool done = false;

        if (has(row, NAME)) {
            if (field(row, PID) != digits) {
                digits = field(row, PID);
                keys = found_in(pids, digits);
            }
            PyObject *calls = found_in(keys, key_of(row));
            PyObject *takes = found_in(calls, field(row, NAME));

            if (takes && !collects(takes))
                digits = NULL;
            done = takes && take(Py_NewRef(takes), row);
            Py_XDECREF(takes);
        } else if (has(row, BEGUN)) {
            done = changes_nothing(row, pids, places, at_once);
        }
        if (PyErr_Occurred()) {
            Py_DECREF(row);
            return NULL;
        }
        if (!done)
            return row;
        Py_DECREF(row);
    }
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

#endif
