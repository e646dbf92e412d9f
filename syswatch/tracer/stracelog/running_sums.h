/*
 * Running sums of calls, and of their waits: as `RunningSums` in `python_sums.py`.
 */
#ifndef SYSWATCH_RUNNING_SUMS_H
#define SYSWATCH_RUNNING_SUMS_H

#include "rows.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    long long count;
    long long errors;
    long long waits;
    Sum bytes_in;
    Sum bytes_out;
    Sum total_ns;
    Sum waiting_ns;
    PyObject *buckets;
} RunningSums;

static PyObject *add_bytes(RunningSums *self, PyObject *arguments)
{
    long long in, out;

    if (!PyArg_ParseTuple(arguments, "LL", &in, &out))
        return NULL;
    self->bytes_in += in;
    self->bytes_out += out;
    Py_RETURN_NONE;
}

static int start_sums(RunningSums *self, PyObject *arguments, PyObject *keywords)
{
    (void)arguments;
    (void)keywords;
    return (self->buckets = PyDict_New()) ? 0 : -1;
}

static void release_sums(RunningSums *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(self->buckets);
    release(self);
    Py_DECREF(type);
}

/* Returns the values of a row of activity. */
static PyObject *numbers(RunningSums *self, PyObject *nothing)
{
    (void)nothing;
    return Py_BuildValue("(LLNNNNiL)", self->count, self->errors, number_of(self->bytes_in),
                         number_of(self->bytes_out), number_of(self->total_ns - self->waiting_ns),
                         number_of(self->waiting_ns), 0, self->waits);
}

static PyObject *get_sum(PyObject *self, void *offset)
{
    return number_of(*(Sum *)((char *)self + (uintptr_t)offset));
}

#define SUM(name) {#name, get_sum, NULL, NULL, (void *)offsetof(RunningSums, name)}

static PyGetSetDef sums_values[] = {
    SUM(bytes_in), SUM(bytes_out), SUM(total_ns), SUM(waiting_ns), {0},
};

static PyMemberDef sums_members[] = {
    {"count", T_LONGLONG, offsetof(RunningSums, count), READONLY, NULL},
    {"errors", T_LONGLONG, offsetof(RunningSums, errors), READONLY, NULL},
    {"waits", T_LONGLONG, offsetof(RunningSums, waits), READONLY, NULL},
    {"buckets", T_OBJECT, offsetof(RunningSums, buckets), READONLY, NULL},
    {0},
};

static PyMethodDef sums_methods[] = {
    {"add_bytes", (PyCFunction)add_bytes, METH_VARARGS, "Add bytes in and out."},
    {"numbers", (PyCFunction)numbers, METH_NOARGS, "Return the values of a row of activity."},
    {0},
};

static PyType_Slot sums_slots[] = {
    {Py_tp_doc, "Running sums of calls, and of their waits."},
    {Py_tp_init, start_sums},
    {Py_tp_dealloc, release_sums},
    {Py_tp_methods, sums_methods},
    {Py_tp_members, sums_members},
    {Py_tp_getset, sums_values},
    {0, NULL},
};

static PyType_Spec sums_spec = {
    .name = "syswatch.tracer.stracelog.compiled_sums.RunningSums",
    .basicsize = sizeof(RunningSums),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = sums_slots,
};

#endif
