/*
 * Finds the fields of plain lines of a log: what the expressions of `line_format.py` do, faster.
 *
 * The rows are the same, field by field.  A line of which this file cannot tell what an expression
 * would find, such as one with a result inside a string that is not closed, is left to the
 * expression.  Short fields that were met before are not made again: most rows consist of them, and
 * bytes that are the same object need not be compared or hashed when they are looked up.
 */

#include "rows.h"

enum { NO_TIME, TIME_OF_DAY, DATE };

#define MOST_PID_DIGITS 8
#define MOST_NAME 64
#define MOST_DESCRIPTOR_DIGITS 7
#define MOST_ADDRESS_DIGITS 16
#define MOST_SECOND_DIGITS 9
#define LONGEST_KEPT 48
#define KEPT (1 << 13)

/* The text from `at` to before `end`; both are NULL if a row does not have the field. */
typedef struct {
    const char *at;
    const char *end;
} Text;

typedef struct {
    PyObject *bytes;
    const char *text;
    Py_ssize_t length;
} Kept;

typedef struct {
    PyObject_HEAD
    int time;
    bool pid_first;
    bool has_relative;
    bool has_number;
    bool has_pointer;
    bool has_arguments;
    /* Returns the row of a line, by the expression for lines, or that for joined calls. */
    PyObject *line_row;
    PyObject *joined_row;
    PyObject *empty;
    Kept *kept;
} PlainRows;

/* --- characters ------------------------------------------------------------------------------- */

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_of_errno(char c)
{
    return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* Each of these returns where something ends that begins at `at`, or NULL if it does not. */

static const char *after(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(end - at) >= length && !memcmp(at, text, length) ? at + length : NULL;
}

static const char *after_digits(const char *at, const char *end, int least, int most)
{
    const char *begin = at;

    while (at < end && at - begin < most && is_digit(*at))
        at++;
    return at - begin >= least ? at : NULL;
}

static const char *after_number(const char *at, const char *end)
{
    const char *begin = at;

    while (at < end && is_digit(*at))
        at++;
    return at > begin ? at : NULL;
}

static const char *after_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *after_name(const char *at, const char *end)
{
    const char *begin = at;

    if (at == end || !begins_name(*at))
        return NULL;
    while (at < end && at - begin < MOST_NAME && (begins_name(*at) || is_digit(*at)))
        at++;
    return at;
}

static const char *after_string(const char *at, const char *end)
{
    if (at == end || *at++ != '"')
        return NULL;
    for (; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && ++at == end)
            break;
    }
    return NULL;
}

static const char *after_plain_decoration(const char *at, const char *end)
{
    while (at < end && *at != '<' && *at != '>' && *at != '-')
        at++;
    return at;
}

/* See `DECORATION` in `grammar.py`. */
static const char *after_decoration(const char *at, const char *end)
{
    if (at == end || *at != '<')
        return NULL;
    at = after_plain_decoration(at + 1, end);
    while (at < end && *at == '-') {
        at++;
        if (at + 1 < end && *at == '>' && (is_digit(at[1]) || at[1] == '['))
            at++;
        at = after_plain_decoration(at, end);
    }
    if (at < end && *at == '<') {
        const char *inner = at + 1;

        while (inner < end && *inner != '<' && *inner != '>')
            inner++;
        if (inner == end || *inner != '>')
            return NULL;
        at = inner + 1;
    }
    if (at == end || *at++ != '>')
        return NULL;
    const char *deleted = after(at, end, "(deleted)");
    return deleted ? deleted : at;
}

static const char *after_optional_decoration(const char *at, const char *end)
{
    const char *decoration = after_decoration(at, end);

    return decoration ? decoration : at;
}

/* --- what precedes a call --------------------------------------------------------------------- */

static const char *after_pid(const PlainRows *self, const char *at, const char *end, Text *row)
{
    const char *digits = at, *rest;

    if (self->pid_first) {
        rest = after_digits(at, end, 1, MOST_PID_DIGITS);
        if (!rest || rest == end || *rest != ' ')
            return NULL;
        row[PID] = (Text){at, rest};
        return after_spaces(rest, end);
    }
    digits = after(at, end, "[pid ");
    if (!digits)
        return at;
    digits = after_spaces(digits, end);
    rest = after_digits(digits, end, 1, MOST_PID_DIGITS);
    if (!rest || end - rest < 2 || memcmp(rest, "] ", 2))
        return at;
    row[PID] = (Text){digits, rest};
    return rest + 2;
}

static const char *after_time(const PlainRows *self, const char *at, const char *end, Text *row)
{
    const char *begin = at;

    if (self->time == NO_TIME)
        return at;
    if (self->time == DATE) {
        at = after_digits(at, end, 9, 10);
    } else {
        for (int part = 0; part < 3 && at; part++) {
            at = part ? after(at, end, ":") : at;
            at = at ? after_digits(at, end, 2, 2) : NULL;
        }
    }
    if (!at)
        return NULL;
    row[SECOND] = (Text){begin, at};
    if (at < end && *at == '.') {
        const char *fraction = at + 1;

        at = after_number(fraction, end);
        if (!at)
            return NULL;
        row[FRACTION] = (Text){fraction, at};
    }
    return at < end && *at == ' ' ? at + 1 : NULL;
}

static const char *after_relative_time(const char *at, const char *end)
{
    const char *spaces = after(at, end, "(+");

    if (!spaces)
        return NULL;
    at = after_spaces(spaces, end);
    if (at == spaces || !(at = after_number(at, end)) || !(at = after(at, end, ".")))
        return NULL;
    at = after_number(at, end);
    return at ? after(at, end, ") ") : NULL;
}

static const char *after_call_number(const char *at, const char *end)
{
    if (!(at = after(at, end, "[")) || !(at = after_number(after_spaces(at, end), end)))
        return NULL;
    return after(at, end, "] ");
}

static const char *after_pointer(const char *at, const char *end)
{
    const char *begin;

    if (!(begin = at = after(at, end, "[")))
        return NULL;
    while (at < end && at - begin < MOST_ADDRESS_DIGITS && (is_hexadecimal(*at) || *at == '?'))
        at++;
    return at - begin >= 8 ? after(at, end, "] ") : NULL;
}

static const char *after_leader(const PlainRows *self, const char *at, const char *end, Text *row)
{
    if (!(at = after_pid(self, at, end, row)) || !(at = after_time(self, at, end, row)))
        return NULL;
    if (self->has_relative && !(at = after_relative_time(at, end)))
        return NULL;
    if (self->has_number && !(at = after_call_number(at, end)))
        return NULL;
    return self->has_pointer ? after_pointer(at, end) : at;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Whether a line ends at `at` as a plain call does after its arguments; fills the fields of a row. */
static bool ends_call(const char *at, const char *end, Text *row)
{
    const char *begin, *rest, *spaces = after(at, end, ")");

    at = after_spaces(spaces, end);
    if (at == spaces || !(at = after(at, end, "= ")))
        return false;
    row[RESULT] = row[HEXADECIMAL] = row[ERRNO] = row[DURATION] = (Text){NULL, NULL};
    begin = at;
    if ((rest = after(at, end, "0x")) && rest < end && is_hexadecimal(*rest)) {
        while (rest < end && is_hexadecimal(*rest))
            rest++;
        row[HEXADECIMAL] = (Text){begin, at = rest};
    } else {
        rest = after(at, end, "-");
        if (!(at = after_number(rest ? rest : at, end)))
            return false;
        row[RESULT] = (Text){begin, at = after_optional_decoration(at, end)};
    }
    if (end - at > 2 && at[0] == ' ' && at[1] == 'E' && is_of_errno(at[2])) {
        for (begin = at + 1, rest = begin + 1; rest < end && is_of_errno(*rest); rest++)
            ;
        row[ERRNO] = (Text){begin, rest};
        if (!(rest = after(rest, end, " (")))
            return false;
        while (rest < end && *rest != '(' && *rest != ')')
            rest++;
        if (!(at = after(rest, end, ")")))
            return false;
    }
    if ((rest = after(at, end, " <"))) {
        begin = rest;
        if (!(rest = after_digits(begin, end, 1, MOST_SECOND_DIGITS)) ||
            !(rest = after(rest, end, ".")) || !(rest = after_number(rest, end)) || rest == end ||
            *rest != '>')
            return false;
        row[DURATION] = (Text){begin, rest};
        at = rest + 1;
    }
    return at == end;
}

/* Returns the parenthesis that closes the arguments of a plain call, or NULL if it is none. */
static const char *end_of_arguments(const char *begin, const char *end, Text *row)
{
    for (const char *at = end; (at = memrchr(begin, ')', at - begin));)
        if (ends_call(at, end, row))
            return at;
    return NULL;
}

/* Whether the text before `at` is a name that ends so, and a parenthesis. */
static bool follows(const char *name_end, const char *name_begin, const char *text)
{
    Py_ssize_t length = strlen(text);

    return name_begin && name_end - name_begin >= length &&
           !memcmp(name_end - length, text, length);
}

/* See `FIRST_ARGUMENT` in `grammar.py`: finds a path, or else a descriptor or a futex. */
static void find_first(Text name, const char *begin, const char *end, Text *row)
{
    const char *path = begin, *at, *rest;

    if ((at = after(begin, end, "AT_FDCWD")))
        at = after_optional_decoration(at, end);
    else
        at = after(begin, end, "-100");
    if (at && (at = after(at, end, ", ")) && (rest = after_string(at, end))) {
        path = at;
    } else {
        rest = after_string(begin, end);
        if (!rest && (follows(name.end, name.at, "openat") || follows(name.end, name.at, "openat2")) &&
            (at = after_digits(begin + (begin < end && *begin == '-'), end, 1,
                               MOST_DESCRIPTOR_DIGITS)) &&
            (at = after(after_optional_decoration(at, end), end, ", ")))
            rest = after_string(at, end);
    }
    if (rest) {
        at = after(rest, end, "...");
        row[PATH] = (Text){path, at ? at : rest};
        return;
    }
    at = after_digits(begin, end, 1, MOST_DESCRIPTOR_DIGITS);
    if (at && at - begin == 1 && *begin == '0' && at < end && *at == 'x' &&
        follows(name.end, name.at, "futex")) {
        for (rest = ++at; at < end && at - rest < MOST_ADDRESS_DIGITS && is_hexadecimal(*at);)
            at++;
        if (at == rest)
            return;
    }
    if (at && (at = after_optional_decoration(at, end)) < end && (*at == ',' || *at == ')'))
        row[FIRST] = (Text){begin, at};
}

/*
 * Finds the fields of the call whose arguments begin at `begin`; returns whether it is a plain one.
 * Sets `unsure` if what looks like its end may be inside its first argument.
 */
static bool find_call(const PlainRows *self, Text name, const char *begin, const char *end,
                      Text *row, bool *unsure)
{
    const char *close = end_of_arguments(begin, end, row);

    if (!close) {
        row[RESULT] = row[HEXADECIMAL] = row[ERRNO] = row[DURATION] = (Text){NULL, NULL};
        return false;
    }
    find_first(name, begin, end, row);
    *unsure = row[PATH].end > close || row[FIRST].end > close;
    if (self->has_arguments)
        row[ARGUMENTS] = (Text){begin, close};
    return true;
}

/* Finds the fields of a line. */
static void find_fields(const PlainRows *self, const char *at, const char *end, Text *row,
                        bool *unsure)
{
    static const char unfinished[] = " <unfinished ...>";
    const Py_ssize_t length = sizeof unfinished - 1;
    const char *rest;
    Text name;

    if (!(at = after_leader(self, at, end, row))) {
        memset(row, 0, FIELDS * sizeof *row);
        return;
    }
    if ((rest = after(at, end, "<... "))) {
        name = (Text){rest, after_name(rest, end)};
        if (name.end && (rest = after(name.end, end, " resumed>")) &&
            find_call(self, (Text){NULL, NULL}, rest, end, row, unsure))
            row[RESUMED] = name;
        return;
    }
    name = (Text){at, after_name(at, end)};
    if (!name.end || name.end == end || *name.end != '(')
        return;
    if (end - name.end > length && !memcmp(end - length, unfinished, length))
        row[BEGUN] = (Text){at, end - length};
    else if (find_call(self, name, name.end + 1, end, row, unsure))
        row[NAME] = name;
}

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

    find_fields(self, at, end, row, &unsure);
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
    at = after_leader(self, begin, end, row);
    Text name = {at, at ? after_name(at, end) : NULL};
    if (!name.end || name.end == end || *name.end != '(' ||
        !find_call(self, name, name.end + 1, end, row, &unsure) || unsure)
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

static int append_index(PyObject *indexes, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    int failed = number ? PyList_Append(indexes, number) : -1;

    Py_XDECREF(number);
    return failed;
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

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ipppppOO", names, &self->time,
                                     &pid_first, &has_relative, &has_number, &has_pointer,
                                     &has_arguments, &line_row, &joined_row))
        return -1;
    self->pid_first = pid_first;
    self->has_relative = has_relative;
    self->has_number = has_number;
    self->has_pointer = has_pointer;
    self->has_arguments = has_arguments;
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
