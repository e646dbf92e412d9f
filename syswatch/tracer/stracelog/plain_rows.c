/*
 * Finds the fields of plain lines of a log: what the expressions of `line_format.py` do, faster.
 *
 * The rows are the same, field by field.  A line of which this file cannot tell what an expression
 * would find, such as one with a result inside a string that is not closed, is left to the
 * expression.  Short fields that were met before are not made again: most rows consist of them, and
 * bytes that are the same object need not be compared or hashed when they are looked up.
 */

#include "line_fields.h"

#define LONGEST_KEPT 48
#define KEPT (1 << 13)

typedef struct {
    PyObject *bytes;
    const char *text;
    Py_ssize_t length;
} Kept;

typedef struct {
    PyObject_HEAD
    LineForm form;
    /* Returns the row of a line, by the expression for lines, or that for joined calls. */
    PyObject *line_row;
    PyObject *joined_row;
    PyObject *empty;
    Kept *kept;
} PlainRows;

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text, Py_ssize_t length)
{
    uint64_t hash = (uint64_t)length;

    for (; length >= 8; text += 8, length -= 8) {
        uint64_t part;
        memcpy(&part, text, 8);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; length; text++, length--)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    hash *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

/* Returns bytes, which may be the same object as earlier ones, or NULL with an exception. */
static PyObject *bytes_of(PlainRows *self, Text text)
{
    Py_ssize_t length = text.end - text.at;
    Kept *kept;
    PyObject *bytes;

    if (!length)
        return Py_NewRef(self->empty);
    if (length > LONGEST_KEPT)
        return PyBytes_FromStringAndSize(text.at, length);
    kept = &self->kept[hash_of(text.at, length) & (KEPT - 1)];
    if (kept->length == length && !memcmp(kept->text, text.at, length))
        return Py_NewRef(kept->bytes);
    bytes = PyBytes_FromStringAndSize(text.at, length);
    if (bytes) {
        Py_XDECREF(kept->bytes);
        *kept = (Kept){Py_NewRef(bytes), PyBytes_AsString(bytes), length};
    }
    return bytes;
}

/* Returns the tuple of a row, or NULL with an exception. */
static PyObject *tuple_of(PlainRows *self, const Text *row)
{
    PyObject *tuple = PyTuple_New(FIELDS);

    for (int field = 0; tuple && field < FIELDS; field++) {
        /* Few lines have the same fraction. */
        PyObject *bytes =
            field == FRACTION && row[field].at
                ? PyBytes_FromStringAndSize(row[field].at, row[field].end - row[field].at)
                : bytes_of(self, row[field]);

        if (!bytes || PyTuple_SetItem(tuple, field, bytes) < 0)
            Py_CLEAR(tuple);
    }
    /* It has no other objects in it that the garbage collector would have to look for. */
    if (tuple)
        PyObject_GC_UnTrack(tuple);
    return tuple;
}

static PyObject *by_expression(PyObject *find, const char *at, const char *end)
{
    PyObject *line = PyBytes_FromStringAndSize(at, end - at);
    PyObject *row = line ? PyObject_CallFunctionObjArgs(find, line, NULL) : NULL;

    Py_XDECREF(line);
    return row;
}

static PyObject *row_of(PlainRows *self, const char *at, const char *end)
{
    Text row[FIELDS] = {0};
    bool unsure = false;

    find_fields(&self->form, at, end, row, &unsure);
    return unsure ? by_expression(self->line_row, at, end) : tuple_of(self, row);
}

static PyObject *rows(PlainRows *self, PyObject *chunk)
{
    PyObject *found = PyList_New(0);
    const char *at, *end, *newline;
    Py_ssize_t length;

    if (!found || PyBytes_AsStringAndSize(chunk, (char **)&at, &length) < 0)
        goto failed;
    for (end = at + length;; at = newline + 1) {
        newline = memchr(at, '\n', end - at);
        PyObject *row = row_of(self, at, newline ? newline : end);

        if (!row || PyList_Append(found, row) < 0) {
            Py_XDECREF(row);
            goto failed;
        }
        Py_DECREF(row);
        if (!newline)
            return found;
    }
failed:
    Py_XDECREF(found);
    return NULL;
}

static PyObject *joined(PlainRows *self, PyObject *line)
{
    Text row[FIELDS] = {0};
    bool unsure = false;
    const char *at, *end, *begin;
    Py_ssize_t length;

    if (PyBytes_AsStringAndSize(line, (char **)&begin, &length) < 0)
        return NULL;
    end = begin + length;
    at = after_leader(&self->form, begin, end, row);
    Text name = {at, at ? after_name(at, end) : NULL};
    if (!name.end || name.end == end || *name.end != '(' ||
        !find_call(&self->form, name, name.end + 1, end, row, &unsure) || unsure)
        return by_expression(self->joined_row, begin, end);
    row[NAME] = row[RESUMED] = name;
    return tuple_of(self, row);
}

/* --- halves ----------------------------------------------------------------------------------- */

static Py_ssize_t size_of(PyObject *row, int field)
{
    return PyBytes_Size(PyTuple_GetItem(row, field));
}

/* Keeps the text of a first half; returns 0 if that is not as simple as usual, -1 if it failed. */
static int begin_half(PyObject *row, PyObject *texts, PyObject *usable)
{
    PyObject *digits = PyTuple_GetItem(row, PID);
    int is_usable = PySet_Contains(usable, digits);

    if (is_usable <= 0)
        return is_usable;
    /* The newest is the last one. */
    if (PyDict_GetItemWithError(texts, digits) && PyDict_DelItem(texts, digits) < 0)
        return -1;
    return PyDict_SetItem(texts, digits, PyTuple_GetItem(row, BEGUN)) < 0 ? -1 : 1;
}

/* Returns the line of a call: what precedes its second half, then the first half, and the rest. */
static PyObject *joined_line(PyObject *line, PyObject *name, PyObject *first)
{
    static const char before[] = "<... ", after_name[] = " resumed>";
    const char *whole = PyBytes_AsString(line), *end = whole + PyBytes_Size(line);
    const char *rest = memmem(whole, end - whole, after_name, sizeof after_name - 1);
    Py_ssize_t length = PyBytes_Size(first);
    Py_ssize_t leader = rest - whole - PyBytes_Size(name) - (Py_ssize_t)(sizeof before - 1);

    rest += sizeof after_name - 1;
    PyObject *made = PyBytes_FromStringAndSize(NULL, leader + length + (end - rest));

    if (made) {
        char *to = PyBytes_AsString(made);

        memcpy(to, whole, leader);
        memcpy(to + leader, PyBytes_AsString(first), length);
        memcpy(to + leader + length, rest, end - rest);
    }
    return made;
}

static bool is_of_call(PyObject *text, PyObject *name)
{
    Py_ssize_t length = PyBytes_Size(name);
    const char *begin = PyBytes_AsString(text);

    return PyBytes_Size(text) > length && begin[length] == '(' &&
           !memcmp(begin, PyBytes_AsString(name), length);
}

/* Replaces a second half by the call; returns 0 if that is not as simple as usual, -1 if it failed. */
static int resume_half(PlainRows *self, PyObject *rows, PyObject *lines, Py_ssize_t index,
                       PyObject *texts)
{
    PyObject *row = PyList_GetItem(rows, index), *name = PyTuple_GetItem(row, RESUMED);
    PyObject *digits = PyTuple_GetItem(row, PID);
    PyObject *first = PyDict_GetItemWithError(texts, digits);

    if (!first || !is_of_call(first, name))
        return PyErr_Occurred() ? -1 : 0;
    PyObject *line = joined_line(PyList_GetItem(lines, index), name, first);
    PyObject *whole = line ? joined(self, line) : NULL;

    if (!whole || PyDict_DelItem(texts, digits) < 0) {
        Py_XDECREF(line);
        Py_XDECREF(whole);
        return -1;
    }
    PyList_SetItem(rows, index, whole);
    PyList_SetItem(lines, index, line);
    return 1;
}

static PyObject *join(PlainRows *self, PyObject *arguments)
{
    PyObject *rows, *lines, *texts, *usable, *begun, *joined_rows;
    Py_ssize_t index;

    if (!PyArg_ParseTuple(arguments, "OOnOOOO", &rows, &lines, &index, &texts, &usable, &begun,
                          &joined_rows))
        return NULL;
    for (Py_ssize_t count = PyList_Size(rows); index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *noted = NULL;
        int done = 0;

        if (size_of(row, NAME))
            continue;
        if (size_of(row, BEGUN)) {
            done = begin_half(row, texts, usable);
            noted = begun;
        } else if (size_of(row, RESUMED)) {
            done = resume_half(self, rows, lines, index, texts);
            noted = joined_rows;
        }
        if (done < 0 || (done && append_index(noted, index) < 0))
            return NULL;
        if (!done)
            break;
    }
    return PyLong_FromSsize_t(index);
}

/* --- the type --------------------------------------------------------------------------------- */

static int initialize(PlainRows *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"time", "pid_first", "has_relative", "has_number", "has_pointer",
                            "has_arguments", "line_row", "joined_row", NULL};
    int pid_first, has_relative, has_number, has_pointer, has_arguments;
    PyObject *line_row, *joined_row;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ipppppOO", names, &self->form.time,
                                     &pid_first, &has_relative, &has_number, &has_pointer,
                                     &has_arguments, &line_row, &joined_row))
        return -1;
    self->form.pid_first = pid_first;
    self->form.has_relative = has_relative;
    self->form.has_number = has_number;
    self->form.has_pointer = has_pointer;
    self->form.has_arguments = has_arguments;
    self->line_row = Py_NewRef(line_row);
    self->joined_row = Py_NewRef(joined_row);
    self->empty = PyBytes_FromStringAndSize(NULL, 0);
    self->kept = PyMem_Calloc(KEPT, sizeof *self->kept);
    if (!self->kept)
        PyErr_NoMemory();
    return self->empty && self->kept ? 0 : -1;
}

static void deallocate(PlainRows *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(self->line_row);
    Py_XDECREF(self->joined_row);
    Py_XDECREF(self->empty);
    for (int each = 0; self->kept && each < KEPT; each++)
        Py_XDECREF(self->kept[each].bytes);
    PyMem_Free(self->kept);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"rows", (PyCFunction)rows, METH_O, "Return a row for each line."},
    {"joined", (PyCFunction)joined, METH_O, "Return the row of a call whose halves were joined."},
    {"join", (PyCFunction)join, METH_VARARGS,
     "Join halves of calls, from an index; return that of the first row that needs more."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Finds the fields of plain lines."},
    {Py_tp_init, initialize},
    {Py_tp_dealloc, deallocate},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "syswatch.tracer.stracelog.plain_rows.PlainRows",
    .basicsize = sizeof(PlainRows),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "plain_rows",
    .m_doc = "Finds the fields of plain lines of a log.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_plain_rows(void)
{
    PyObject *made = PyModule_Create(&module);
    PyObject *type = made ? PyType_FromSpec(&spec) : NULL;

    if (!type || PyModule_AddObjectRef(made, "PlainRows", type) < 0)
        Py_CLEAR(made);
    Py_XDECREF(type);
    return made;
}
