/*
 * Loops over the rows of a log: each does what its namesake in `python_loops.py` does, faster.
 *
 * Rows are tuples of bytes (see `line_format.py`).  Numbers in them are as large as a damaged log
 * has them, so sums have 128 bits.
 */

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

/* The indexes of the fields of a row, as in `line_format.py`. */
enum {
    PID,
    SECOND,
    FRACTION,
    NAME,
    RESUMED,
    ARGUMENTS,
    PATH,
    FIRST,
    RESULT,
    HEXADECIMAL,
    ERRNO,
    DURATION,
    BEGUN
};

#define NS_IN_SECOND 1000000000LL
#define NS_DIGITS 9

typedef __int128 Sum;

/* --- fields ----------------------------------------------------------------------------------- */

static PyObject *field(PyObject *row, int index)
{
    return PyTuple_GetItem(row, index);
}

static bool has(PyObject *row, int index)
{
    return PyBytes_Size(field(row, index)) > 0;
}

static const char *text_of(PyObject *row, int index)
{
    return PyBytes_AsString(field(row, index));
}

/* The digits of a fraction of a second; those of less than a nanosecond are left out. */
static long long fraction_ns(const char *digits)
{
    long long ns = 0;

    for (int place = 0; place < NS_DIGITS; place++)
        ns = 10 * ns + (*digits ? *digits++ - '0' : 0);
    return ns;
}

static long long duration_ns(const char *text)
{
    long long seconds = 0;

    for (; *text && *text != '.'; text++)
        seconds = 10 * seconds + (*text - '0');
    return seconds * NS_IN_SECOND + (*text ? fraction_ns(text + 1) : 0);
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

static PyObject *number_of(Sum sum)
{
    if (sum <= INT64_MAX)
        return PyLong_FromLongLong((long long)sum);
    PyObject *high = PyLong_FromUnsignedLongLong((unsigned long long)(sum >> 64));
    PyObject *low = PyLong_FromUnsignedLongLong((unsigned long long)sum);
    PyObject *bits = PyLong_FromLong(64);
    PyObject *shifted = high && bits ? PyNumber_Lshift(high, bits) : NULL;
    PyObject *number = shifted && low ? PyNumber_Or(shifted, low) : NULL;

    Py_XDECREF(high);
    Py_XDECREF(low);
    Py_XDECREF(bits);
    Py_XDECREF(shifted);
    return number;
}

/* Adds to a number in a dict; returns -1 if it failed. */
static int count_in(PyObject *counts, PyObject *key, long long more)
{
    PyObject *before = key ? PyDict_GetItemWithError(counts, key) : NULL;
    PyObject *sum = key ? PyLong_FromLongLong((before ? PyLong_AsLongLong(before) : 0) + more) : NULL;
    int failed = sum ? PyDict_SetItem(counts, key, sum) : -1;

    Py_XDECREF(sum);
    return failed;
}

#define SUB_BITS 4

/* See `model/histogram.py`. */
static int bucket_of(long long ns)
{
    if (ns < 1 << SUB_BITS)
        return (int)ns;
    int shift = 63 - __builtin_clzll((unsigned long long)ns) - SUB_BITS;

    return (shift << SUB_BITS) + (int)(ns >> shift);
}

static int count_bucket(PyObject *buckets, long long ns)
{
    PyObject *bucket = PyLong_FromLong(bucket_of(ns));
    int failed = count_in(buckets, bucket, 1);

    Py_XDECREF(bucket);
    return failed;
}

/* --- choosing rows ---------------------------------------------------------------------------- */

static int append_index(PyObject *indexes, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    int failed = number ? PyList_Append(indexes, number) : -1;

    Py_XDECREF(number);
    return failed;
}

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

static PyObject *ends_by_pid(PyObject *module, PyObject *rows)
{
    PyObject *first = PyDict_New(), *last = PyDict_New();

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *digits = field(row, PID);

        if (!has(row, SECOND) || !(has(row, NAME) || has(row, RESUMED)))
            continue;
        PyObject *number = PyLong_FromSsize_t(index);

        if (!number || (!PyDict_GetItemWithError(first, digits) &&
                        PyDict_SetItem(first, digits, number) < 0) ||
            PyDict_SetItem(last, digits, number) < 0) {
            Py_XDECREF(number);
            Py_DECREF(first);
            Py_DECREF(last);
            return NULL;
        }
        Py_DECREF(number);
    }
    return Py_BuildValue("(NN)", first, last);
}

static PyObject *by_path(PyObject *module, PyObject *rows)
{
    PyObject *grouped = PyDict_New();

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); grouped && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);
        PyObject *group = PyDict_GetItemWithError(grouped, field(row, PATH));
        int failed = 0;

        if (group) {
            failed = PyList_Append(group, row);
        } else {
            group = PyList_New(1);
            failed = !group || PyList_SetItem(group, 0, Py_NewRef(row)) < 0 ||
                     PyDict_SetItem(grouped, field(row, PATH), group) < 0;
            Py_XDECREF(group);
        }
        if (failed)
            Py_CLEAR(grouped);
    }
    return grouped;
}

/* --- collecting rows by object ---------------------------------------------------------------- */

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

/* Calls what collects a row, or handles it. */
static bool take(PyObject *takes, PyObject *row)
{
    if (PyCFunction_Check(takes) && PyCFunction_GetFunction(takes) == append_of_list)
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

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &rows, &pids, &places, &at_once))
        return NULL;
    while ((row = PyIter_Next(rows))) {
        bool done = false;

        if (has(row, NAME)) {
            PyObject *keys = found_in(pids, field(row, PID));
            PyObject *calls = found_in(keys, key_of(row));
            PyObject *takes = found_in(calls, field(row, NAME));

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

/* --- sums of calls by process and name -------------------------------------------------------- */

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
    Py_ssize_t room;
    /* Indexes of tallies, plus one. */
    uint32_t *slots;
    uint32_t mask;
} Table;

static uint32_t slot_of(PyObject *one, PyObject *other)
{
    uint64_t hash = (uint64_t)(uintptr_t)one * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)other;

    return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

static bool resize(Table *table)
{
    Py_ssize_t room = table->room ? 2 * table->room : 256;
    Tally *tallies = PyMem_Realloc(table->tallies, room * sizeof *tallies);
    uint32_t *slots = PyMem_Calloc(2 * room, sizeof *slots);

    if (tallies)
        table->tallies = tallies;
    if (!tallies || !slots) {
        PyMem_Free(slots);
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(table->slots);
    *table = (Table){tallies, table->count, room, slots, 2 * room - 1};
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
    if (table->count == table->room && !resize(table))
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

/* --- running sums ----------------------------------------------------------------------------- */

enum { ALL, FAILED, SUCCEEDED };

/* How long a call must be to have waited, and how long such a call works. */
typedef struct {
    long long least_ns;
    long long work_ns;
} Rule;

static Rule rule;

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

static bool is_chosen(PyObject *row, int only)
{
    return only == ALL || has(row, ERRNO) == (only == FAILED);
}

static PyObject *add_rows(RunningSums *self, PyObject *arguments)
{
    PyObject *rows;
    int only, may_wait;

    if (!PyArg_ParseTuple(arguments, "Oip", &rows, &only, &may_wait))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!is_chosen(row, only))
            continue;
        self->count++;
        self->errors += has(row, ERRNO);
        if (!has(row, DURATION))
            continue;
        long long ns = duration_ns(text_of(row, DURATION));

        self->total_ns += ns;
        if (!may_wait || ns <= rule.least_ns)
            continue;
        self->waiting_ns += ns - rule.work_ns;
        self->waits++;
        if (count_bucket(self->buckets, ns - rule.work_ns) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *moved_by(PyObject *module, PyObject *rows)
{
    Sum moved = 0;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, ERRNO))
            moved += bytes_moved(field(row, RESULT));
    }
    return number_of(moved);
}

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
    {"add_rows", (PyCFunction)add_rows, METH_VARARGS, "Add calls."},
    {"add_bytes", (PyCFunction)add_bytes, METH_VARARGS, "Add bytes in and out."},
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
    .name = "syswatch.tracer.stracelog.compiled_loops.RunningSums",
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
    /* What was added before the intervals became coarse, or NULL. */
    PyObject *fine;
    Cell *cells;
    Py_ssize_t count;
    Py_ssize_t room;
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
    Py_ssize_t room = self->room ? 2 * self->room : 1024;
    Cell *cells = PyMem_Realloc(self->cells, room * sizeof *cells);
    uint32_t *slots = PyMem_Calloc(2 * room, sizeof *slots);

    if (cells)
        self->cells = cells;
    if (!cells || !slots) {
        PyMem_Free(slots);
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(self->slots);
    self->slots = slots;
    self->room = room;
    self->mask = 2 * room - 1;
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
    if (self->count == self->room && !resize_cells(self))
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
        if (!(self->fine = taken_cells(self)))
            return false;
        self->bin_ns = self->coarse_ns;
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

static PyObject *add_long(Intervals *self, PyObject *arguments)
{
    PyObject *rows, *wait;
    long long pid, origin_s;
    int only;

    if (!PyArg_ParseTuple(arguments, "LOOiL", &pid, &wait, &rows, &only, &origin_s))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, DURATION) || (is_brief(self, row) && !has(row, RESUMED)) ||
            !is_chosen(row, only) || !has(row, SECOND))
            continue;
        if (!add_row(self, row, pid, wait == Py_None ? NULL : wait, origin_s))
            return NULL;
    }
    Py_RETURN_NONE;
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
    PyObject *fine = self->fine ? self->fine : PyList_New(0), *cells = taken_cells(self);

    (void)nothing;
    self->fine = NULL;
    return Py_BuildValue("(NNL)", fine, cells, self->bin_ns);
}

static PyObject *get_state(Intervals *self, PyObject *nothing)
{
    PyObject *cells = listed_cells(self);

    (void)nothing;
    if (!cells)
        return NULL;
    return Py_BuildValue("(LLLLOiLLON)", self->bin_ns, self->coarse_ns, self->most_fine,
                         self->history_ns, self->brief, self->has_times, self->first, self->last,
                         self->fine ? self->fine : Py_None, cells);
}

static PyObject *set_state(Intervals *self, PyObject *state)
{
    PyObject *fine, *cells, *waiting;
    int has_times;
    long long at, pid, passed_ns, working_ns;

    if (!PyArg_ParseTuple(state, "LLLLSpLLOO", &self->bin_ns, &self->coarse_ns, &self->most_fine,
                          &self->history_ns, &self->brief, &has_times, &self->first, &self->last,
                          &fine, &cells))
        return NULL;
    Py_INCREF(self->brief);
    self->has_times = has_times;
    self->fine = fine == Py_None ? NULL : Py_NewRef(fine);
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
    Py_XDECREF(self->fine);
    Py_XDECREF(self->brief);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef intervals_methods[] = {
    {"add_brief", (PyCFunction)add_brief, METH_VARARGS, "Add the brief ones of some calls."},
    {"add_long", (PyCFunction)add_long, METH_VARARGS, "Add those of some calls that are not brief."},
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
    .name = "syswatch.tracer.stracelog.compiled_loops.Intervals",
    .basicsize = sizeof(Intervals),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = intervals_slots,
};

/* --- the module ------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"by_path", by_path, METH_O, "Return the rows by their path."},
    {"collect", collect, METH_VARARGS, "Collect rows; return the first that needs more."},
    {"ends_by_pid", ends_by_pid, METH_O, "Return the first and the last index of each PID."},
    {"moved_by", moved_by, METH_O, "Return how many bytes some calls have moved."},
    {"tally", tally, METH_O, "Return the sums of calls by process and name, and by second."},
    {"with_field", with_field, METH_VARARGS, "Return the indexes of rows that have a field."},
    {"with_time", with_time, METH_VARARGS, "Return the indexes of rows with another time."},
    {0},
};

static bool add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    bool added = type && PyModule_AddObjectRef(module, name, type) == 0;

    Py_XDECREF(type);
    return added;
}

static long long number_in(PyObject *module, const char *name)
{
    PyObject *number = module ? PyObject_GetAttrString(module, name) : NULL;
    long long value = number ? PyLong_AsLongLong(number) : -1;

    Py_XDECREF(number);
    return value;
}

static bool find_append(void)
{
    PyObject *list = PyList_New(0);
    PyObject *append = list ? PyObject_GetAttrString(list, "append") : NULL;

    append_of_list = append ? PyCFunction_GetFunction(append) : NULL;
    Py_XDECREF(append);
    Py_XDECREF(list);
    return append != NULL;
}

static int fill_module(PyObject *module)
{
    PyObject *waits = PyImport_ImportModule("syswatch.tracer.stracelog.estimated_waits");

    rule = (Rule){number_in(waits, "LEAST_WAIT_NS"), number_in(waits, "WORK_NS")};
    Py_XDECREF(waits);
    if (PyErr_Occurred() || !find_append() || !add_type(module, "RunningSums", &sums_spec) ||
        !add_type(module, "Intervals", &intervals_spec))
        return -1;
    return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "compiled_loops",
    .m_doc = "Loops over the rows of a log.",
    .m_methods = functions,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_compiled_loops(void)
{
    return PyModuleDef_Init(&module);
}
