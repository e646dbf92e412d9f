/*
 * Loops over the rows of a log: each does what its namesake in `python_loops.py` does, faster.
 */

#include "rows.h"

/* For so many objects what was found is kept. */
#define RECENT 256

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

static PyObject *only_with(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *found;
    int wanted;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &rows, &wanted) || !(found = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); found && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (has(row, wanted) && PyList_Append(found, row) < 0)
            Py_CLEAR(found);
    }
    return found;
}

static PyObject *different(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *found, *last = NULL;
    int wanted;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "Oi", &rows, &wanted) || !(found = PySet_New(NULL)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); found && index < count; index++) {
        PyObject *text = field(PyList_GetItem(rows, index), wanted);

        if (text != last && PySet_Add(found, text) < 0)
            Py_CLEAR(found);
        last = text;
    }
    return found;
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

static bool note_index(PyObject *indexes, PyObject *key, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    bool done = number && PyDict_SetItem(indexes, key, number) == 0;

    Py_XDECREF(number);
    return done;
}

/* The newest index of keys, in the order in which they were met.  Those of a few keys are kept
   beside the dict: lines of several processes alternate. */
typedef struct {
    PyObject *dict;
    PyObject *recent[RECENT];
    Py_ssize_t indexes[RECENT];
} Newest;

/* Notes what was kept.  Keys may be equal that are not the same object. */
static bool settle(const Newest *newest, uint32_t slot)
{
    PyObject *key = newest->recent[slot];
    PyObject *before = key ? PyDict_GetItemWithError(newest->dict, key) : NULL;

    if (!key || (before && PyLong_AsSsize_t(before) > newest->indexes[slot]))
        return true;
    return !PyErr_Occurred() && note_index(newest->dict, key, newest->indexes[slot]);
}

static bool note_newest(Newest *newest, PyObject *key, Py_ssize_t index)
{
    uint32_t slot = slot_of(key, NULL) % RECENT;
    bool done = true;

    if (newest->recent[slot] != key)
        done = settle(newest, slot) && (PyDict_GetItemWithError(newest->dict, key) ||
                                        note_index(newest->dict, key, index));
    newest->recent[slot] = key;
    newest->indexes[slot] = index;
    return done;
}

static bool settle_all(const Newest *newest)
{
    for (uint32_t slot = 0; slot < RECENT; slot++)
        if (!settle(newest, slot))
            return false;
    return true;
}

static PyObject *ends_by_pid(PyObject *module, PyObject *rows)
{
    PyObject *first = PyDict_New(), *former = NULL;
    Newest last = {.dict = PyDict_New()};
    bool done = first && last.dict;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); done && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *digits = field(row, PID);

        if (!has(row, SECOND) || !(has(row, NAME) || has(row, RESUMED)))
            continue;
        if (digits != former)
            done = PyDict_GetItemWithError(first, digits) || note_index(first, digits, index);
        done = done && note_newest(&last, digits, index);
        former = digits;
    }
    if (done && settle_all(&last))
        return Py_BuildValue("(NN)", first, last.dict);
    Py_XDECREF(first);
    Py_XDECREF(last.dict);
    return NULL;
}

static PyObject *newest_by_pid(PyObject *module, PyObject *rows)
{
    Newest newest = {.dict = PyDict_New()};
    bool done = newest.dict != NULL;

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); done && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (has(row, NAME) || has(row, RESUMED) || has(row, BEGUN))
            done = note_newest(&newest, field(row, PID), index);
    }
    if (!done || !settle_all(&newest))
        Py_CLEAR(newest.dict);
    return newest.dict;
}

/* Returns what a dict has for an index; NULL without an exception if it has nothing. */
static PyObject *at_index(PyObject *dict, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    PyObject *found = number ? PyDict_GetItemWithError(dict, number) : NULL;

    Py_XDECREF(number);
    return found;
}

/* Returns the list that a dict has for a key, after it was made if there was none. */
static PyObject *list_in(PyObject *dict, PyObject *key)
{
    PyObject *list = PyDict_GetItemWithError(dict, key);

    if (list || PyErr_Occurred() || !(list = PyList_New(0)))
        return list;
    int failed = PyDict_SetItem(dict, key, list);

    Py_DECREF(list); /* The dict has it. */
    return failed < 0 ? NULL : list;
}

static PyObject *newest_failures(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *others, *newest, *indexes;
    Py_ssize_t most;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!n", &rows, &PyDict_Type, &others, &most) ||
        !(newest = PyDict_New()))
        return NULL;
    for (Py_ssize_t index = PyList_Size(rows) - 1; newest && index >= 0; index--) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, ERRNO) || at_index(others, index))
            continue;
        indexes = PyErr_Occurred() ? NULL : list_in(newest, field(row, NAME));
        if (!indexes || (PyList_Size(indexes) < most && append_index(indexes, index) < 0))
            Py_CLEAR(newest);
    }
    return newest;
}

static PyObject *named(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *names, *indexes;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &rows, &names) || !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); indexes && index < count; index++) {
        int found = PySet_Contains(names, field(PyList_GetItem(rows, index), NAME));

        if (found < 0 || (found && append_index(indexes, index) < 0))
            Py_CLEAR(indexes);
    }
    return indexes;
}

static bool is_greater(PyObject *one, PyObject *other)
{
    size_t length = PyBytes_Size(one), other_length = PyBytes_Size(other);
    size_t shorter = length < other_length ? length : other_length;
    int order = memcmp(PyBytes_AsString(one), PyBytes_AsString(other), shorter);

    return order > 0 || (order == 0 && length > other_length);
}

/* Returns what a dict has for a key; it does not change while the few last answers are kept. */
static PyObject *recently_found(PyObject *dict, PyObject *key, PyObject *recent[][2])
{
    PyObject **entry = recent[slot_of(key, NULL) % RECENT];

    if (entry[0] != key) {
        entry[0] = key;
        entry[1] = PyDict_GetItemWithError(dict, key);
    }
    return entry[1];
}

static PyObject *slower(PyObject *module, PyObject *arguments)
{
    PyObject *rows, *floors, *indexes, *recent[RECENT][2] = {0};

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!", &rows, &PyDict_Type, &floors) ||
        !(indexes = PyList_New(0)))
        return NULL;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); indexes && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        if (!has(row, NAME) || !has(row, DURATION))
            continue;
        PyObject *floor = recently_found(floors, field(row, NAME), recent);
        bool is_slower = !floor || is_greater(field(row, DURATION), floor);

        if (PyErr_Occurred() || (is_slower && append_index(indexes, index) < 0))
            Py_CLEAR(indexes);
    }
    return indexes;
}

static PyObject *by_path(PyObject *module, PyObject *rows)
{
    PyObject *grouped = PyDict_New();

    (void)module;
    for (Py_ssize_t index = 0, count = PyList_Size(rows); grouped && index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index), *group = list_in(grouped, field(row, PATH));

        if (!group || PyList_Append(group, row) < 0)
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

/* Whether rows are only collected, so that nothing else changes. */
static bool collects(PyObject *takes)
{
    return PyCFunction_Check(takes) && PyCFunction_GetFunction(takes) == append_of_list;
}

/* Calls what collects a row, or handles it. */
static bool take(PyObject *takes, PyObject *row)
{
    if (collects(takes))
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
    /* Of the row before, unless its handler may have forgotten them. */
    PyObject *digits = NULL, *keys = NULL;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOO", &rows, &pids, &places, &at_once))
        return NULL;
    if (!PyIter_Check(rows)) {
        PyErr_SetString(PyExc_TypeError, "rows must come from an iterator");
        return NULL;
    }
    while ((row = PyIter_Next(rows))) {
        bool done = false;

        if (has(row, NAME)) {
            if (field(row, PID) != digits) {
                digits = field(row, PID);
                keys = found_in(pids, digits);
            }
            PyObject *calls = found_in(keys, key_of(row));
            PyObject *takes = found_in(calls, field(row, NAME));

            if (takes && !collects(takes))
                digits = NULL;
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
    Py_ssize_t capacity;
    /* Indexes of tallies, plus one. */
    uint32_t *slots;
    uint32_t mask;
} Table;

static bool resize(Table *table)
{
    Py_ssize_t capacity = table->capacity ? 2 * table->capacity : 256;
    Tally *tallies = PyMem_Realloc(table->tallies, capacity * sizeof *tallies);
    uint32_t *slots = PyMem_Calloc(2 * capacity, sizeof *slots);

    if (tallies)
        table->tallies = tallies;
    if (!tallies || !slots) {
        PyMem_Free(slots);
        PyErr_NoMemory();
        return false;
    }
    PyMem_Free(table->slots);
    *table = (Table){tallies, table->count, capacity, slots, 2 * capacity - 1};
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
    if (table->count == table->capacity && !resize(table))
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

/* --- fields of rows --------------------------------------------------------------------------- */

/* Returns the length of a field, or of two, and copies it if there is a place for it. */
static size_t copy(PyObject *row, int one, int other, char *out)
{
    size_t length = PyBytes_Size(field(row, one));

    if (out)
        memcpy(out, text_of(row, one), length);
    return other < 0 ? length : length + copy(row, other, -1, out ? out + length : NULL);
}

static PyObject *texts_of(PyObject *module, PyObject *arguments)
{
    PyObject *rows;
    int one, other = -1;
    size_t size = 0;

    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!i|i", &PyList_Type, &rows, &one, &other))
        return NULL;
    Py_ssize_t count = PyList_Size(rows);

    for (Py_ssize_t index = 0; index < count; index++)
        size += copy(PyList_GetItem(rows, index), one, other, NULL);
    PyObject *texts = PyBytes_FromStringAndSize(NULL, size);
    PyObject *ends = PyBytes_FromStringAndSize(NULL, count * sizeof(uint32_t));

    if (!texts || !ends) {
        Py_XDECREF(texts);
        Py_XDECREF(ends);
        return NULL;
    }
    char *out = PyBytes_AsString(texts);
    uint32_t *end = (uint32_t *)PyBytes_AsString(ends), at = 0;

    for (Py_ssize_t index = 0; index < count; index++)
        end[index] = at += copy(PyList_GetItem(rows, index), one, other, out + at);
    return Py_BuildValue("(NN)", texts, ends);
}

/* --- numbers of rows -------------------------------------------------------------------------- */

/* Numbers the different texts of a field.  Most rows have a text that is the same object as that of
   an earlier row, so what was found for some of these objects is kept. */
typedef struct {
    PyObject *recent[RECENT];
    uint32_t recent_codes[RECENT];
    PyObject *numbers;
    PyObject *different;
    PyObject *codes;
} Codes;

static bool begin_codes(Codes *codes, Py_ssize_t count)
{
    codes->numbers = PyDict_New();
    codes->different = PyList_New(0);
    codes->codes = PyBytes_FromStringAndSize(NULL, count * sizeof(uint32_t));
    return codes->numbers && codes->different && codes->codes;
}

static void release_codes(Codes *codes)
{
    Py_XDECREF(codes->numbers);
    Py_XDECREF(codes->different);
    Py_XDECREF(codes->codes);
}

static PyObject *number_of_new(Codes *codes, PyObject *text)
{
    PyObject *number = PyLong_FromSsize_t(PyList_Size(codes->different));

    if (!number || PyList_Append(codes->different, text) < 0 ||
        PyDict_SetItem(codes->numbers, text, number) < 0)
        Py_CLEAR(number);
    Py_XDECREF(number); /* The dict has it. */
    return number;
}

static bool set_code(Codes *codes, Py_ssize_t index, PyObject *text)
{
    uint32_t *code = (uint32_t *)PyBytes_AsString(codes->codes) + index;
    uint32_t slot = slot_of(text, NULL) % RECENT;

    if (codes->recent[slot] == text) {
        *code = codes->recent_codes[slot];
        return true;
    }
    PyObject *number = PyDict_GetItemWithError(codes->numbers, text);

    if (!number && (PyErr_Occurred() || !(number = number_of_new(codes, text))))
        return false;
    codes->recent[slot] = text;
    *code = codes->recent_codes[slot] = PyLong_AsUnsignedLong(number);
    return true;
}

static PyObject *coded(const Codes *codes)
{
    PyObject *different = PyList_AsTuple(codes->different);

    return different ? Py_BuildValue("(ON)", codes->codes, different) : NULL;
}

#define MOST_DIGITS 20

/* See `result_value` in `log_numbers.py`. */
static int64_t result_value(PyObject *row)
{
    const char *text = text_of(row, has(row, RESULT) ? RESULT : HEXADECIMAL);
    bool is_negative = *text == '-';
    unsigned __int128 number = 0;
    int digits = 0;

    if (text[0] == '0' && text[1] == 'x' && is_hexadecimal(text[2])) {
        uint64_t bits = 0;

        for (text += 2; is_hexadecimal(*text); text++)
            bits = bits << 4 | (uint64_t)(is_digit(*text) ? *text - '0' : *text - 'a' + 10);
        return (int64_t)bits;
    }
    for (text += is_negative; is_digit(*text); text++)
        if (++digits <= MOST_DIGITS)
            number = 10 * number + (unsigned)(*text - '0');
    if (!digits)
        return 0;
    if (digits + is_negative > MOST_DIGITS || number > INT64_MAX)
        return -1;
    return is_negative ? -(int64_t)number : (int64_t)number;
}

static PyObject *numbers_of(PyObject *module, PyObject *rows)
{
    static const int fields[] = {PID, SECOND, NAME, ERRNO};
    enum { FIELDS_WITH_CODES = sizeof fields / sizeof *fields };
    Codes codes[FIELDS_WITH_CODES] = {0};
    PyObject *all[FIELDS_WITH_CODES] = {0}, *found = NULL;
    Py_ssize_t count = PyList_Size(rows);
    bool begun = count >= 0;

    (void)module;
    for (int each = 0; begun && each < FIELDS_WITH_CODES; each++)
        begun = begin_codes(&codes[each], count);
    PyObject *fractions = begun ? PyBytes_FromStringAndSize(NULL, count * sizeof(uint32_t)) : NULL;
    PyObject *durations = begun ? PyBytes_FromStringAndSize(NULL, count * sizeof(int64_t)) : NULL;
    PyObject *results = begun ? PyBytes_FromStringAndSize(NULL, count * sizeof(int64_t)) : NULL;

    if (!fractions || !durations || !results)
        goto done;
    uint32_t *fraction = (uint32_t *)PyBytes_AsString(fractions);
    int64_t *duration = (int64_t *)PyBytes_AsString(durations);
    int64_t *result = (int64_t *)PyBytes_AsString(results);

    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *row = PyList_GetItem(rows, index);

        for (int each = 0; each < FIELDS_WITH_CODES; each++)
            if (!set_code(&codes[each], index, field(row, fields[each])))
                goto done;
        fraction[index] = (uint32_t)fraction_ns(text_of(row, FRACTION));
        duration[index] = has(row, DURATION) ? duration_ns(text_of(row, DURATION)) : -1;
        result[index] = result_value(row);
    }
    for (int each = 0; each < FIELDS_WITH_CODES; each++)
        if (!(all[each] = coded(&codes[each])))
            goto done;
    found = Py_BuildValue("(OOOOOOO)", all[0], all[1], fractions, all[2], all[3], durations,
                          results);
done:
    for (int each = 0; each < FIELDS_WITH_CODES; each++) {
        Py_XDECREF(all[each]);
        release_codes(&codes[each]);
    }
    Py_XDECREF(fractions);
    Py_XDECREF(durations);
    Py_XDECREF(results);
    return found;
}

/* --- the module ------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"by_path", by_path, METH_O, "Return the rows by their path."},
    {"collect", collect, METH_VARARGS, "Collect rows; return the first that needs more."},
    {"different", different, METH_VARARGS, "Return the different texts of a field."},
    {"ends_by_pid", ends_by_pid, METH_O, "Return the first and the last index of each PID."},
    {"named", named, METH_VARARGS, "Return the indexes of rows that have one of some names."},
    {"newest_by_pid", newest_by_pid, METH_O, "Return the index of the newest row of each PID."},
    {"newest_failures", newest_failures, METH_VARARGS,
     "Return the indexes of the newest failures of each name, but for others."},
    {"numbers_of", numbers_of, METH_O, "Return the numbers of rows, and their different texts."},
    {"only_with", only_with, METH_VARARGS, "Return the rows that have a field."},
    {"slower", slower, METH_VARARGS, "Return the indexes of calls above the floor of their name."},
    {"tally", tally, METH_O, "Return the sums of calls by process and name, and by second."},
    {"with_field", with_field, METH_VARARGS, "Return the indexes of rows that have a field."},
    {"with_time", with_time, METH_VARARGS, "Return the indexes of rows with another time."},
    {"texts_of", texts_of, METH_VARARGS, "Return a field of rows, or two, and where each ends."},
    {0},
};

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
    (void)module;
    return find_append() ? 0 : -1;
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
