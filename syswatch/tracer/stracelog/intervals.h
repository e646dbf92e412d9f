/*
 * Adds times to the intervals in which they were: as `Intervals` in `python_intervals.py`.
 */
#ifndef SYSWATCH_INTERVALS_H
#define SYSWATCH_INTERVALS_H

#include "interval_cells.h"

#include <stddef.h>
#include <stdlib.h>

/* How long a call must be to have waited, and how long such a call works. */
typedef struct {
    long long least_ns;
    long long work_ns;
} Rule;

/* Set when the module is imported. */
static Rule rule;

/* Finds the intervals of a time; makes all coarse if the times extend too far. */
static bool find_intervals(Intervals *self, Sum begin_ns, Sum end_ns, long long *first,
                           long long *last)
{
    *first = (long long)(begin_ns / self->bin_ns);
    *last = (long long)((end_ns - 1) / self->bin_ns);
    if (!self->has_times || *first < self->first)
        self->first = *first;
    if (!self->has_times || *last > self->last)
        self->last = *last;
    self->has_times = true;
    if (self->bin_ns < self->coarse_ns && self->last - self->first >= self->most_fine) {
        if (!widen(self))
            return false;
        *first = (long long)(begin_ns / self->bin_ns);
        *last = (long long)((end_ns - 1) / self->bin_ns);
    }
    return true;
}

/* What time is added to: passed, working, or a wait. */
typedef struct {
    long long pid;
    size_t offset;
    PyObject *wait;
} Share;

static bool add_to_cell(Intervals *self, long long at, const Share *share, long long spent_ns)
{
    Cell *cell = cell_of(self, at, share->pid);

    if (!cell)
        return false;
    if (share->wait) {
        if (!cell->waiting && !(cell->waiting = PyDict_New()))
            return false;
        return count_in(cell->waiting, share->wait, spent_ns) == 0;
    }
    *(long long *)((char *)cell + share->offset) += spent_ns;
    return true;
}

/* Adds a stretch of time to the intervals in which it is. */
static bool spread(Intervals *self, const Share *share, Sum begin_ns, Sum end_ns)
{
    long long first, last;

    if (begin_ns >= end_ns)
        return true;
    if (!find_intervals(self, begin_ns, end_ns, &first, &last))
        return false;
    if (first == last)
        return add_to_cell(self, first, share, (long long)(end_ns - begin_ns));
    /* No more is kept; a damaged line may have any duration. */
    long long least = last - self->history_ns / self->bin_ns;

    if (!add_to_cell(self, first, share,
                     (long long)((Sum)(first + 1) * self->bin_ns - begin_ns)))
        return false;
    for (long long at = least > first + 1 ? least : first + 1; at < last; at++)
        if (!add_to_cell(self, at, share, self->bin_ns))
            return false;
    return add_to_cell(self, last, share, (long long)(end_ns - (Sum)last * self->bin_ns));
}

/* Adds time in which a thread worked, to the interval in which that began. */
static bool add_brief_work(Intervals *self, long long pid, Sum begin_ns, long long spent_ns)
{
    long long first, last;
    const Share working = {pid, offsetof(Cell, working_ns), NULL};

    if (!spent_ns)
        return true;
    return find_intervals(self, begin_ns, begin_ns + 1, &first, &last) &&
           add_to_cell(self, first, &working, spent_ns);
}

/* A call that is shorter than this share of an interval is not split between two. */
#define SHORT 100

static bool add_work(Intervals *self, long long pid, Sum begin_ns, long long spent_ns)
{
    const Share working = {pid, offsetof(Cell, working_ns), NULL};

    if ((Sum)spent_ns * SHORT < self->bin_ns)
        return add_brief_work(self, pid, begin_ns, spent_ns);
    return spread(self, &working, begin_ns, begin_ns + spent_ns);
}

/* The second of a row, a date or a time of day. */
static long long second_of(const char *text, long long origin_s)
{
    long long sum = 0, part = 0;
    bool of_day = false;

    for (; *text; text++) {
        if (*text == ':') {
            sum = 60 * (sum + part);
            part = 0;
            of_day = true;
        } else {
            part = 10 * part + (*text - '0');
        }
    }
    return sum + part + (of_day ? origin_s : 0);
}

static Sum begin_of(PyObject *row, long long origin_s)
{
    return (Sum)second_of(text_of(row, SECOND), origin_s) * NS_IN_SECOND +
           fraction_ns(text_of(row, FRACTION));
}

/* As `is_brief` in Python. */
static bool is_brief(const Intervals *self, PyObject *row)
{
    Py_ssize_t length = PyBytes_Size(field(row, DURATION)), most = PyBytes_Size(self->brief);
    int order = memcmp(text_of(row, DURATION), PyBytes_AsString(self->brief),
                       length < most ? length : most);

    return length && (order ? order < 0 : length <= most);
}

static PyObject *add_brief(Intervals *self, PyObject *arguments)
{
    PyObject *rows;
    long long origin_s, fallback_pid;

    if (!PyArg_ParseTuple(arguments, "OLL", &rows, &origin_s, &fallback_pid))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, SECOND) || has(row, RESUMED) || !is_brief(self, row))
            continue;
        long long pid = strtoll(text_of(row, PID), NULL, 10);

        if (!add_brief_work(self, pid ? pid : fallback_pid, begin_of(row, origin_s),
                            duration_ns(text_of(row, DURATION))))
            return NULL;
    }
    Py_RETURN_NONE;
}

static bool add_row(Intervals *self, PyObject *row, long long pid, PyObject *wait,
                    long long origin_s)
{
    long long ns = duration_ns(text_of(row, DURATION)), waiting_ns = 0;
    Sum begin_ns = begin_of(row, origin_s);

    if (has(row, RESUMED))
        begin_ns = begin_ns > ns ? begin_ns - ns : 0;
    if (wait && ns > rule.least_ns) {
        const Share waiting = {pid, 0, wait};

        waiting_ns = ns - rule.work_ns;
        if (!spread(self, &waiting, begin_ns, begin_ns + waiting_ns))
            return false;
    }
    return add_work(self, pid, begin_ns + waiting_ns, ns - waiting_ns);
}

static bool sum_of(PyObject *number, Sum *sum)
{
    int overflow;
    long long low = PyLong_AsLongLongAndOverflow(number, &overflow);

    *sum = overflow ? (Sum)PyLong_AsUnsignedLongLong(number) : low;
    return !PyErr_Occurred();
}

static PyObject *add_passed(Intervals *self, PyObject *arguments)
{
    PyObject *begin, *end;
    Share passed = {0, offsetof(Cell, passed_ns), NULL};
    Sum begin_ns, end_ns;

    if (!PyArg_ParseTuple(arguments, "LOO", &passed.pid, &begin, &end) ||
        !sum_of(begin, &begin_ns) || !sum_of(end, &end_ns) ||
        !spread(self, &passed, begin_ns, end_ns))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *add_short(Intervals *self, PyObject *arguments)
{
    PyObject *begin;
    long long pid, spent_ns;
    Sum begin_ns;

    if (!PyArg_ParseTuple(arguments, "LOL", &pid, &begin, &spent_ns) || !sum_of(begin, &begin_ns) ||
        !add_brief_work(self, pid, begin_ns, spent_ns))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *take_intervals(Intervals *self, PyObject *nothing)
{
    (void)nothing;
    return Py_BuildValue("(NL)", taken_cells(self), self->bin_ns);
}

static PyObject *get_state(Intervals *self, PyObject *nothing)
{
    PyObject *cells = listed_cells(self);

    (void)nothing;
    if (!cells)
        return NULL;
    return Py_BuildValue("(LLLLOiLLN)", self->bin_ns, self->coarse_ns, self->most_fine,
                         self->history_ns, self->brief, self->has_times, self->first, self->last,
                         cells);
}

static PyObject *set_state(Intervals *self, PyObject *state)
{
    PyObject *brief, *cells, *waiting;
    int has_times;
    long long at, pid, passed_ns, working_ns;

    if (!PyArg_ParseTuple(state, "LLLLSpLLO", &self->bin_ns, &self->coarse_ns, &self->most_fine,
                          &self->history_ns, &brief, &has_times, &self->first, &self->last, &cells))
        return NULL;
    Py_XDECREF(self->brief);
    self->brief = Py_NewRef(brief);
    self->has_times = has_times;
    for (Py_ssize_t each = 0, count = PyList_Size(cells); each < count; each++) {
        Cell *cell;

        if (!PyArg_ParseTuple(PyList_GetItem(cells, each), "LLLLO", &at, &pid, &passed_ns,
                              &working_ns, &waiting) ||
            !(cell = cell_of(self, at, pid)))
            return NULL;
        cell->passed_ns = passed_ns;
        cell->working_ns = working_ns;
        cell->waiting = Py_NewRef(waiting);
    }
    Py_RETURN_NONE;
}

static Py_ssize_t count_of_cells(Intervals *self)
{
    return self->count;
}

static int start_intervals(Intervals *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"fine_ns", "coarse_ns", "most_fine", "history_ns", "brief", NULL};

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "LLLLS", names, &self->bin_ns,
                                     &self->coarse_ns, &self->most_fine, &self->history_ns,
                                     &self->brief))
        return -1;
    Py_INCREF(self->brief);
    return 0;
}

static void release_intervals(Intervals *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    for (Py_ssize_t each = 0; each < self->count; each++)
        Py_XDECREF(self->cells[each].waiting);
    PyMem_Free(self->cells);
    PyMem_Free(self->slots);
    Py_XDECREF(self->brief);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef intervals_methods[] = {
    {"add_brief", (PyCFunction)add_brief, METH_VARARGS, "Add the brief ones of some calls."},
    {"add_passed", (PyCFunction)add_passed, METH_VARARGS, "Add time that has passed."},
    {"add_short", (PyCFunction)add_short, METH_VARARGS, "Add time in which a thread worked."},
    {"__getstate__", (PyCFunction)get_state, METH_NOARGS, "Return what `__setstate__` takes."},
    {"__setstate__", (PyCFunction)set_state, METH_O, "Start with what another one had."},
    {"take", (PyCFunction)take_intervals, METH_NOARGS, "Return everything since the last time."},
    {0},
};

static PyType_Slot intervals_slots[] = {
    {Py_tp_doc, "The times of threads by interval."},
    {Py_tp_init, start_intervals},
    {Py_tp_dealloc, release_intervals},
    {Py_tp_methods, intervals_methods},
    {Py_mp_length, count_of_cells},
    {0, NULL},
};

static PyType_Spec intervals_spec = {
    .name = "syswatch.tracer.stracelog.compiled_sums.Intervals",
    .basicsize = sizeof(Intervals),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = intervals_slots,
};

#endif
