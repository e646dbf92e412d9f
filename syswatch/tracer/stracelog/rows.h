/*
 * The fields of rows, which are tuples of bytes (see `line_format.py`).
 *
 * Numbers in them are as large as a damaged log has them, so sums have 128 bits.
 */
#ifndef SYSWATCH_ROWS_H
#define SYSWATCH_ROWS_H

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../buckets.h"

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
    BEGUN,
    FIELDS
};

#define NS_IN_SECOND 1000000000LL
#define NS_DIGITS 9

typedef __int128 Sum;

static inline PyObject *field(PyObject *row, int index)
{
    return PyTuple_GetItem(row, index);
}

static inline bool has(PyObject *row, int index)
{
    return PyBytes_Size(field(row, index)) > 0;
}

static inline const char *text_of(PyObject *row, int index)
{
    return PyBytes_AsString(field(row, index));
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_hexadecimal(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* The digits of a fraction of a second; those of less than a nanosecond are left out. */
static inline long long fraction_ns(const char *digits)
{
    long long ns = 0;

    for (int place = 0; place < NS_DIGITS; place++)
        ns = 10 * ns + (*digits ? *digits++ - '0' : 0);
    return ns;
}

static inline long long duration_ns(const char *text)
{
    long long seconds = 0;

    for (; *text && *text != '.'; text++)
        seconds = 10 * seconds + (*text - '0');
    return seconds * NS_IN_SECOND + (*text ? fraction_ns(text + 1) : 0);
}

static inline PyObject *number_of(Sum sum)
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
static inline int count_in(PyObject *counts, PyObject *key, long long more)
{
    PyObject *before = key ? PyDict_GetItemWithError(counts, key) : NULL;
    PyObject *sum = key ? PyLong_FromLongLong((before ? PyLong_AsLongLong(before) : 0) + more) : NULL;
    int failed = sum ? PyDict_SetItem(counts, key, sum) : -1;

    Py_XDECREF(sum);
    return failed;
}

static inline int append_index(PyObject *indexes, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    int failed = number ? PyList_Append(indexes, number) : -1;

    Py_XDECREF(number);
    return failed;
}

/* Where to look for two objects in a table, or for one and NULL. */
static inline uint32_t slot_of(PyObject *one, PyObject *other)
{
    uint64_t hash = (uint64_t)(uintptr_t)one * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)other;

    return (uint32_t)((hash * 0x9e3779b97f4a7c15u) >> 32);
}

static inline int count_bucket(PyObject *buckets, long long ns)
{
    PyObject *bucket = PyLong_FromLong(bucket_of(ns));
    int failed = count_in(buckets, bucket, 1);

    Py_XDECREF(bucket);
    return failed;
}

#endif
