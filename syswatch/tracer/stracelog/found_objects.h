/*
 * The objects of rows, by identity: as `FoundObjects` in `python_sums.py`.
 */
#ifndef SYSWATCH_FOUND_OBJECTS_H
#define SYSWATCH_FOUND_OBJECTS_H

#include "rows.h"

/* A row, which is borrowed, and its object. */
typedef struct {
    PyObject *row;
    long long object;
} Found;

typedef struct {
    PyObject_HEAD
    Found *slots;
    size_t used;
    /* A power of 2, at least twice as many as are used. */
    size_t capacity;
} FoundObjects;

static Found *slot_for(const FoundObjects *self, PyObject *row)
{
    size_t at = slot_of(row, NULL) & (self->capacity - 1);

    while (self->slots[at].row && self->slots[at].row != row)
        at = (at + 1) & (self->capacity - 1);
    return &self->slots[at];
}

/* Reserves space for more rows. */
static bool reserve(FoundObjects *self, size_t more)
{
    FoundObjects larger = {.used = self->used, .capacity = self->capacity ? self->capacity : 1024};

    while (larger.capacity < 2 * (self->used + more))
        larger.capacity *= 2;
    if (larger.capacity == self->capacity)
        return true;
    if (!(larger.slots = PyMem_Calloc(larger.capacity, sizeof *larger.slots))) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t each = 0; each < self->capacity; each++)
        if (self->slots[each].row)
            *slot_for(&larger, self->slots[each].row) = self->slots[each];
    PyMem_Free(self->slots);
    self->slots = larger.slots;
    self->capacity = larger.capacity;
    return true;
}

static bool note(FoundObjects *self, PyObject *rows, long long object)
{
    Py_ssize_t count = PyList_Size(rows);

    if (!reserve(self, count))
        return false;
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);
        Found *found = slot_for(self, row);

        self->used += !found->row;
        *found = (Found){row, object};
    }
    return true;
}

static PyObject *objects_of(FoundObjects *self, PyObject *rows)
{
    Py_ssize_t count = PyList_Size(rows);
    PyObject *objects = count < 0 ? NULL : PyBytes_FromStringAndSize(NULL, count * sizeof(int64_t));
    int64_t *object = objects ? (int64_t *)PyBytes_AsString(objects) : NULL;

    for (Py_ssize_t index = 0; objects && index < count; index++)
        object[index] = self->capacity ? slot_for(self, PyList_GetItem(rows, index))->object : 0;
    return objects;
}

static PyObject *clear_objects(FoundObjects *self, PyObject *nothing)
{
    (void)nothing;
    PyMem_Free(self->slots);
    self->slots = NULL;
    self->used = self->capacity = 0;
    Py_RETURN_NONE;
}

/* The parser of a part of a log is sent to where it is read, before it has rows. */
static PyObject *reduce_objects(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return Py_BuildValue("(O())", Py_TYPE(self));
}

static void release_objects(FoundObjects *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    PyMem_Free(self->slots);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef found_methods[] = {
    {"__reduce__", reduce_objects, METH_NOARGS, "Return what makes one without rows."},
    {"clear", (PyCFunction)clear_objects, METH_NOARGS, "Forget all rows."},
    {"of", (PyCFunction)objects_of, METH_O, "Return the objects of rows, in eight bytes each; 0 if they have none."},
    {0},
};

static PyType_Slot found_slots[] = {
    {Py_tp_doc, "The objects of rows, by identity."},
    {Py_tp_dealloc, release_objects},
    {Py_tp_methods, found_methods},
    {0, NULL},
};

static PyType_Spec found_spec = {
    .name = "syswatch.tracer.stracelog.compiled_sums.FoundObjects",
    .basicsize = sizeof(FoundObjects),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = found_slots,
};

#endif
