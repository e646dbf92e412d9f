/*
 * The fields of many rows at once: as `texts_of` and `numbers_of` in `python_loops.py`.
 */
#ifndef SYSWATCH_ROW_FIELDS_H
#define SYSWATCH_ROW_FIELDS_H

#include "rows.h"

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

#endif
