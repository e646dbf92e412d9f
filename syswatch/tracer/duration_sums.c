/* Sums up durations: what `sums.py` does without this module, in the interpreter. */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdint.h>

#include "buckets.h"

typedef struct {
    long long total;
    long long least;
    long long most;
    Py_ssize_t buckets[BUCKETS];
} Sums;

/* Adds all durations; returns -1 if one is not a number. */
static int add_all(Sums *sums, PyObject *durations)
{
    Py_ssize_t count = PyList_Size(durations);

    for (Py_ssize_t i = 0; i < count; i++) {
        long long ns = PyLong_AsLongLong(PyList_GetItem(durations, i));

        if (ns < 0 && PyErr_Occurred())
            return -1;
        /* A total that does not fit is cut by who sends it. */
        if (__builtin_add_overflow(sums->total, ns, &sums->total))
            sums->total = INT64_MAX;
        if (ns < sums->least)
            sums->least = ns;
        if (ns > sums->most)
            sums->most = ns;
        sums->buckets[bucket_of(ns < 0 ? 0 : ns)]++;
    }
    return 0;
}

/* Returns how many durations are in each bucket that has some. */
static PyObject *counts_of(const Sums *sums)
{
    PyObject *counts = PyDict_New();

    for (int bucket = 0; counts && bucket < BUCKETS; bucket++) {
        PyObject *key, *count;

        if (!sums->buckets[bucket])
            continue;
        key = PyLong_FromLong(bucket);
        count = PyLong_FromSsize_t(sums->buckets[bucket]);
        if (!key || !count || PyDict_SetItem(counts, key, count) < 0)
            Py_CLEAR(counts);
        Py_XDECREF(key);
        Py_XDECREF(count);
    }
    return counts;
}

static PyObject *sum_up(PyObject *module, PyObject *durations)
{
    Sums sums = {.least = INT64_MAX, .most = INT64_MIN};
    PyObject *counts;

    (void)module;
    if (add_all(&sums, durations) < 0 || !(counts = counts_of(&sums)))
        return NULL;
    return Py_BuildValue("(LLLN)", sums.total, sums.least, sums.most, counts);
}

static PyMethodDef methods[] = {
    {"sum_up", sum_up, METH_O,
     "Return the total, the least, the most, and the buckets of a list of durations."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "duration_sums",
    .m_doc = "Sums up durations.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit_duration_sums(void)
{
    return PyModuleDef_Init(&module);
}
