/*
 * Running sums of the calls of a log: each class does what its namesake in `python_sums.py` does.
 */

#include "rows.h"

#include <stdlib.h>
#include <structmember.h>

/* --- running sums ----------------------------------------------------------------------------- */

/* How long a call must be to have waited, and how long such a call works. */
typedef struct {
    long long least_ns;
    long long work_ns;
} Rule;

static Rule rule;
static PyTypeObject *sums_type, *intervals_type, *found_type;

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

/* --- intervals -------------------------------------------------------------------------------- */

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

/* --- the objects of rows ---------------------------------------------------------------------- */

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

/* --- counting groups of calls ----------------------------------------------------------------- */

/* Which calls are counted; as in `chosen_rows.py`. */
enum { ALL, FAILED, SUCCEEDED };

/* As in `call_traits.py`. */
enum { MAY_WAIT = 1, MOVES_IN = 2, MOVES_OUT = 4 };

/* What groups are added to, and how. */
typedef struct {
    PyObject *sums;
    FoundObjects *found;
    Intervals *intervals;
    PyObject *traits;
    int only;
    long long origin_s;
} Counting;

/* The calls of one name by one process on one object. */
typedef struct {
    long long pid;
    long long object;
    long traits;
    /* The object and the name, or NULL if the calls do not wait. */
    PyObject *wait;
    RunningSums *sums;
} Group;

static bool is_chosen(PyObject *row, int only)
{
    return only == ALL || has(row, ERRNO) == (only == FAILED);
}

/* A number of up to 20 digits, of which the kernel could have moved so many bytes; else 0. */
static long long bytes_moved(PyObject *result)
{
    const char *text = PyBytes_AsString(result);
    long long number = 0;

    if (!*text || PyBytes_Size(result) > 20)
        return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        number = 10 * number + (*text - '0');
        if (number > INT32_MAX)
            return 0;
    }
    return number;
}

static bool add_duration(const Counting *to, const Group *group, PyObject *row)
{
    RunningSums *sums = group->sums;
    long long ns = duration_ns(text_of(row, DURATION));

    sums->total_ns += ns;
    if (group->wait && ns > rule.least_ns) {
        sums->waiting_ns += ns - rule.work_ns;
        sums->waits++;
        if (count_bucket(sums->buckets, ns - rule.work_ns) < 0)
            return false;
    }
    /* Brief calls are added to the intervals in the order of the log, except joined ones. */
    if (!has(row, SECOND) || (is_brief(to->intervals, row) && !has(row, RESUMED)))
        return true;
    return add_row(to->intervals, row, group->pid, group->wait, to->origin_s);
}

static bool add_calls(const Counting *to, const Group *group, PyObject *rows)
{
    Sum moved = 0;

    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!is_chosen(row, to->only))
            continue;
        group->sums->count++;
        if (has(row, ERRNO))
            group->sums->errors++;
        else if (group->traits & (MOVES_IN | MOVES_OUT))
            moved += bytes_moved(field(row, RESULT));
        if (has(row, DURATION) && !add_duration(to, group, row))
            return false;
    }
    *(group->traits & MOVES_IN ? &group->sums->bytes_in : &group->sums->bytes_out) += moved;
    return true;
}

static bool find_group(const Counting *to, PyObject *key, Group *group)
{
    PyObject *object = PyTuple_GetItem(key, 1), *name = PyTuple_GetItem(key, 2);
    PyObject *traits = name ? PyObject_GetItem(to->traits, name) : NULL;

    if (!traits)
        return false;
    group->traits = PyLong_AsLong(traits);
    Py_DECREF(traits);
    group->pid = PyLong_AsLongLong(PyTuple_GetItem(key, 0));
    group->object = PyLong_AsLongLong(object);
    if (PyErr_Occurred() ||
        (group->traits & MAY_WAIT && !(group->wait = PyTuple_Pack(2, object, name))))
        return false;
    group->sums = (RunningSums *)PyObject_GetItem(to->sums, key);
    return group->sums && PyObject_TypeCheck((PyObject *)group->sums, sums_type);
}

static bool count_group(const Counting *to, PyObject *key, PyObject *rows)
{
    Group group = {0};
    bool done = find_group(to, key, &group) && note(to->found, rows, group.object) &&
                add_calls(to, &group, rows) && PyList_SetSlice(rows, 0, PY_SSIZE_T_MAX, NULL) == 0;

    Py_XDECREF(group.wait);
    Py_XDECREF((PyObject *)group.sums);
    return done;
}

static PyObject *count_groups(PyObject *module, PyObject *arguments)
{
    PyObject *groups, *key, *rows;
    Counting to;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OO!O!OiL", &PyDict_Type, &groups, &to.sums, found_type,
                          &to.found, intervals_type, &to.intervals, &to.traits, &to.only,
                          &to.origin_s))
        return NULL;
    for (Py_ssize_t at = 0; PyDict_Next(groups, &at, &key, &rows);)
        if (PyList_Size(rows) > 0 && !count_group(&to, key, rows))
            return NULL;
    Py_RETURN_NONE;
}

/* --- the module ------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"count_groups", count_groups, METH_VARARGS, "Count groups of calls, and empty them."},
    {0},
};

static PyTypeObject *add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);

    if (type && PyModule_AddObjectRef(module, name, type) < 0)
        Py_CLEAR(type);
    return (PyTypeObject *)type;
}

static long long number_in(PyObject *module, const char *name)
{
    PyObject *number = module ? PyObject_GetAttrString(module, name) : NULL;
    long long value = number ? PyLong_AsLongLong(number) : -1;

    Py_XDECREF(number);
    return value;
}

static int fill_module(PyObject *module)
{
    PyObject *waits = PyImport_ImportModule("syswatch.tracer.stracelog.estimated_waits");

    rule = (Rule){number_in(waits, "LEAST_WAIT_NS"), number_in(waits, "WORK_NS")};
    Py_XDECREF(waits);
    if (PyErr_Occurred())
        return -1;
    sums_type = add_type(module, "RunningSums", &sums_spec);
    intervals_type = add_type(module, "Intervals", &intervals_spec);
    found_type = add_type(module, "FoundObjects", &found_spec);
    return sums_type && intervals_type && found_type ? 0 : -1;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "compiled_sums",
    .m_doc = "Running sums of the calls of a log.",
    .m_methods = functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_compiled_sums(void)
{
    return PyModuleDef_Init(&module);
}
