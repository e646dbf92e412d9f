/*
 * Reading and setting attributes of the objects of the loop.
 */
#ifndef SYSWATCH_ATTRIBUTES_H
#define SYSWATCH_ATTRIBUTES_H

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* The names of attributes; made once. */
#define ATTRIBUTES(each)                                                                           \
    each(acts) each(add) each(bound_ns) each(call) each(calls) each(captured) each(closes_first)   \
    each(commands) each(count_path) each(descriptor_at) each(directory) each(due_ns)               \
    each(durations) each(entered_ns) each(entry_at) each(flags_at) each(folders)                   \
    each(found_at_entry) each(given) each(handled_at_entry) each(handled_at_exit) each(log_quota)  \
    each(moved) each(moves) each(names_path) each(new_sums) each(number_of) each(numbers)          \
    each(object) each(on_descriptor) each(only_opens) each(open) each(path_at)                     \
    each(reads_at_once) each(rows) each(sampled) each(special) each(target) each(watched)

#define DECLARE(name) static PyObject *name##_name;
ATTRIBUTES(DECLARE)

static bool make_names(void)
{
#define INTERN(name)                                                                               \
    if (!name##_name && !(name##_name = PyUnicode_InternFromString(#name)))                        \
        return false;
    ATTRIBUTES(INTERN)
    return true;
}

/* Returns whether an attribute is true; errors count as `otherwise`, so that the loop meets them. */
static bool is_true(PyObject *of, PyObject *name, bool otherwise)
{
    PyObject *value = PyObject_GetAttr(of, name);
    int truth = value ? PyObject_IsTrue(value) : -1;

    Py_XDECREF(value);
    return truth < 0 ? otherwise : truth;
}

static bool set_number(PyObject *of, PyObject *name, long long number)
{
    PyObject *value = PyLong_FromLongLong(number);
    bool is_set = value && PyObject_SetAttr(of, name, value) == 0;

    Py_XDECREF(value);
    return is_set;
}

/* Returns an attribute; numbers that do not fit, such as "never", are as large as possible. */
static long long number_of(PyObject *of, PyObject *name)
{
    int overflow = 0;
    PyObject *value = PyObject_GetAttr(of, name);
    long long number = value ? PyLong_AsLongLongAndOverflow(value, &overflow) : -1;

    Py_XDECREF(value);
    return overflow > 0 ? INT64_MAX : number;
}

static bool add(PyObject *of, PyObject *name, long long more)
{
    return set_number(of, name, number_of(of, name) + more);
}

/* Returns a value of a dict, which keeps owning it, or NULL. */
static PyObject *look_up(PyObject *dict, PyObject *key)
{
    PyObject *value = dict && key ? PyDict_GetItemWithError(dict, key) : NULL;

    Py_XDECREF(key);
    return value;
}

#endif
