/*
 * The paths that calls name: read from the memory of a stopped thread, and looked up in `paths.py`.
 */
#ifndef SYSWATCH_PATHS_H
#define SYSWATCH_PATHS_H

#include "call_kinds.h"
#include "current_thread.h"

#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

/* As in `memory`: nearly all strings end in the page in which they begin. */
#define PAGE 4096

/* Returns the string at an address, or NULL if the loop must read it. */
static PyObject *read_string(int tid, uint64_t address)
{
    static char page[PAGE];
    struct iovec here = {page, PAGE - address % PAGE};
    struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
    ssize_t count = address ? process_vm_readv(tid, &here, 1, &there, 1, 0) : 0;
    const char *end = count > 0 ? memchr(page, 0, count) : NULL;

    return end ? PyBytes_FromStringAndSize(page, end - page) : NULL;
}

/* Returns the directory that a path is relative to, which its owner keeps, or NULL if not known. */
static PyObject *folder_of(PyObject *paths, const Current *current, int directory)
{
    PyObject *folders = PyObject_GetAttr(paths, folders_name), *opened, *folder = NULL;

    if (directory == AT_FDCWD)
        folder = look_up(folders, PyLong_FromLong(current->tid));
    else if ((opened = look_up(current->open, PyLong_FromLong(directory))))
        folder = look_up(folders, Py_NewRef(opened));
    Py_XDECREF(folders);
    return folder;
}

/* Returns a path with the directory that it is relative to, or NULL if that is not known. */
static PyObject *full_path(PyObject *paths, const Current *current, const KnownKind *kind,
                           PyObject *path)
{
    int at = kind->directory_at;
    PyObject *folder;

    if (PyBytes_AsString(path)[0] == '/')
        return Py_NewRef(path);
    folder = folder_of(paths, current, at < 0 ? AT_FDCWD : (int)entry_of(current)->entry.args[at]);
    return folder ? PyBytes_FromFormat("%s/%s", PyBytes_AsString(folder), PyBytes_AsString(path))
                  : NULL;
}

/* Returns the ID of the object of a path, or NULL if the loop must find it. */
static PyObject *object_of_path(PyObject *paths, const Current *current, const KnownKind *kind,
                                PyObject *path)
{
    PyObject *full, *numbers, *number;

    /* An empty path stands for a descriptor. */
    if (!path || PyBytes_Size(path) <= 0 || !(full = full_path(paths, current, kind, path)))
        return NULL;
    numbers = PyObject_GetAttr(paths, numbers_name);
    number = look_up(numbers, Py_NewRef(full));
    number = number ? Py_NewRef(number)
                    : PyObject_CallMethodObjArgs(paths, number_of_name, full, NULL);
    Py_XDECREF(numbers);
    Py_DECREF(full);
    return number;
}

#endif
