/*
 * Loops over the rows of a log: each does what its namesake in `python_loops.py` does, faster.
 */

#include "collected_rows.h"
#include "row_choices.h"
#include "row_fields.h"
#include "tallies.h"

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
