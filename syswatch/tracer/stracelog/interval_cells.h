/*
 * The times of threads by interval, in a hash table which may become coarser.
 */
#ifndef SYSWATCH_INTERVAL_CELLS_H
#define SYSWATCH_INTERVAL_CELLS_H

#include "rows.h"

/* The time of one thread in one interval. */
typedef struct {
    long long at;
    long long pid;
    long long passed_ns;
    long long working_ns;
    /* By object and name, or NULL. */
    PyObject *waiting;
} Cell;

typedef struct {
    PyObject_HEAD
    long long bin_ns;
    long long coarse_ns;
    long long most_fine;
    long long history_ns;
    PyObject *brief;
    bool has_times;
    long long first;
    long long last;
    Cell *cells;
    Py_ssize_t count;
    Py_ssize_t capacity;
    uint32_t *slots;
    uint32_t mask;
} Intervals;

static uint32_t slot_of_cell(long long at, long long pid)
{
    uint64_t hash = (uint64_t)at * 0x9e3779b97f4a7c15u ^ (uint64_t)pid * 0xc2b2ae3d27d4eb4fu;

    return (uint32_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15u >> 32);
}

static bool resize_cells(Intervals *self)
{
    Py_ssize_t capacity = self->capacity ? 2 * self->capacity : 1024;
    Cell *cells = PyMem_Realloc(self->cells, capacity * sizeof *cells);
    uint32_t *slots = PyMem_Calloc(2 * capacity, sizeof *slots);

    if (cells)
        self->cells = cells;
    if (!cells || !slots) {
        PyMem_Free(slots);
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(self->slots);
    self->slots = slots;
    self->capacity = capacity;
    self->mask = 2 * capacity - 1;
    for (Py_ssize_t each = 0; each < self->count; each++) {
        uint32_t slot = slot_of_cell(cells[each].at, cells[each].pid) & self->mask;

        while (slots[slot])
            slot = (slot + 1) & self->mask;
        slots[slot] = each + 1;
    }
    return true;
}

static Cell *cell_of(Intervals *self, long long at, long long pid)
{
    if (self->count == self->capacity && !resize_cells(self))
        return NULL;
    uint32_t slot = slot_of_cell(at, pid) & self->mask;

    for (; self->slots[slot]; slot = (slot + 1) & self->mask) {
        Cell *cell = &self->cells[self->slots[slot] - 1];

        if (cell->at == at && cell->pid == pid)
            return cell;
    }
    self->slots[slot] = ++self->count;
    self->cells[self->count - 1] = (Cell){.at = at, .pid = pid};
    return &self->cells[self->count - 1];
}

static PyObject *listed_cells(Intervals *self)
{
    PyObject *list = PyList_New(self->count);

    for (Py_ssize_t each = 0; list && each < self->count; each++) {
        Cell *cell = &self->cells[each];
        PyObject *waiting = cell->waiting ? Py_NewRef(cell->waiting) : PyDict_New();
        PyObject *tuple = Py_BuildValue("(LLLLN)", cell->at, cell->pid, cell->passed_ns,
                                        cell->working_ns, waiting);

        if (!tuple || PyList_SetItem(list, each, tuple) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Returns all cells as a list of tuples, and forgets them. */
static PyObject *taken_cells(Intervals *self)
{
    PyObject *list = listed_cells(self);

    for (Py_ssize_t each = 0; each < self->count; each++)
        Py_XDECREF(self->cells[each].waiting);
    self->count = 0;
    if (self->slots)
        memset(self->slots, 0, (self->mask + 1) * sizeof *self->slots);
    return list;
}

/* Adds what was taken from finer intervals. */
static bool add_cell(Intervals *self, const Cell *added)
{
    Cell *cell = cell_of(self, added->at, added->pid);

    if (!cell)
        return false;
    cell->passed_ns += added->passed_ns;
    cell->working_ns += added->working_ns;
    if (!added->waiting)
        return true;
    if (!cell->waiting)
        return (cell->waiting = PyDict_Copy(added->waiting)) != NULL;
    PyObject *wait, *ns;

    for (Py_ssize_t at = 0; PyDict_Next(added->waiting, &at, &wait, &ns);)
        if (count_in(cell->waiting, wait, PyLong_AsLongLong(ns)) < 0)
            return false;
    return true;
}

/* Makes all intervals coarse. */
static bool widen(Intervals *self)
{
    Intervals fine = *self;
    bool done = true;

    self->cells = NULL;
    self->slots = NULL;
    self->count = self->capacity = 0;
    self->bin_ns = self->coarse_ns;
    for (Py_ssize_t each = 0; each < fine.count; each++) {
        Cell *cell = &fine.cells[each];

        cell->at /= fine.coarse_ns / fine.bin_ns;
        done = done && add_cell(self, cell);
        Py_XDECREF(cell->waiting);
    }
    PyMem_Free(fine.cells);
    PyMem_Free(fine.slots);
    return done;
}

#endif
