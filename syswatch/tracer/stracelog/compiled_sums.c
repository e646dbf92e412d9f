/*
 * Counts groups of calls of a log: each class does what its namesake in `python_sums.py` or
 * `python_intervals.py` does.
 */

#include "found_objects.h"
#include "intervals.h"
#include "running_sums.h"

static PyTypeObject *sums_type, *intervals_type, *found_type;

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
