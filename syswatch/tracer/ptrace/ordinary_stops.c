/*
 * Handles the stops of ordinary calls: what `loop.py` does at most stops, without the interpreter.
 *
 * A stop is ordinary if it needs nothing but its time and its object: the entry to a call of a
 * known kind that is not likely to wait, and the exit from one that is not among the slowest, is
 * not logged, and has changed nothing that matters here.  For all others the loop is told, which
 * handles them as it handles every stop without this module.  So each decision is made in Python,
 * and this file only knows which ones have a foregone conclusion.
 *
 * The interpreter lock is kept while waiting: the tracer has one thread.
 */

#include "entries.h"
#include "exits.h"
#include "next_stop.h"
#include "stops.h"

#include <structmember.h>

/* Handles a stop at the entry to or the exit from a call; returns false if the loop must do it. */
static bool handle(OrdinaryStops *self, int tid)
{
    bool is_entry;

    if (!find_thread(&self->current, self->threads, tid))
        return false;
    is_entry = !self->current.call;
    if (!(is_entry ? enter(self) : leave(self)))
        return false;
    request(is_entry ? PTRACE_SYSCALL : self->resume_request, tid, 0, NULL);
    return true;
}

/* Takes what cannot change before the loop handles a stop. */
static void begin(OrdinaryStops *self)
{
    self->due_ns = number_of(self->recorder, due_ns_name);
    self->logs = number_of(self->recorder, log_quota_name) > 0;
}

/* Ends what `begin` began; what was not found, or could not be read, the loop will meet again. */
static void end(OrdinaryStops *self)
{
    PyErr_Clear();
    if (!forget(&self->current))
        PyErr_Clear();
}

static PyObject *ordinary_stops_wait(PyObject *of, PyObject *unused)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    int *status = self->status.buf;
    int tid;

    (void)unused;
    begin(self);
    do {
        /* A handler of signals may run, which may end this with an error. */
        if (PyErr_CheckSignals() < 0) {
            PyObject *type, *error, *traceback;

            PyErr_Fetch(&type, &error, &traceback);
            end(self);
            PyErr_Restore(type, error, traceback);
            return NULL;
        }
        tid = next_stop(self);
    } while (tid > 0 && *status == SYSCALL_STATUS && handle(self, tid));
    end(self);
    return PyLong_FromLong(tid);
}

/* --- the type and the module ------------------------------------------------------------------ */

static int ordinary_stops_init(PyObject *of, PyObject *arguments, PyObject *keywords)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    static char *names[] = {"threads", "known",           "recorder",       "status",
                            "errors",  "object_at_entry", "object_at_exit", NULL};
    PyObject *threads, *known, *recorder, *status, *errors, *at_entry, *at_exit;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!OOO!OO", names, &PyDict_Type,
                                     &threads, &PyDict_Type, &known, &recorder, &status,
                                     &PyDict_Type, &errors, &at_entry, &at_exit))
        return -1;
    if (PyObject_GetBuffer(status, &self->status, PyBUF_WRITABLE) < 0)
        return -1;
    self->threads = Py_NewRef(threads);
    self->kinds.all = Py_NewRef(known);
    self->recorder = Py_NewRef(recorder);
    self->errors = Py_NewRef(errors);
    self->paths = Py_NewRef(Py_None);
    self->object_at_entry = Py_NewRef(at_entry);
    self->object_at_exit = Py_NewRef(at_exit);
    return 0;
}

static void ordinary_stops_dealloc(PyObject *of)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    PyTypeObject *type = Py_TYPE(of);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(self->threads);
    Py_XDECREF(self->recorder);
    Py_XDECREF(self->errors);
    Py_XDECREF(self->paths);
    Py_XDECREF(self->object_at_entry);
    Py_XDECREF(self->object_at_exit);
    Py_XDECREF(self->turns);
    release_kinds(&self->kinds);
    if (self->status.obj)
        PyBuffer_Release(&self->status);
    release(of);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"wait", ordinary_stops_wait, METH_NOARGS,
     "Handle ordinary stops; return the thread of the first other one, like waitpid."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"counts", T_INT, offsetof(OrdinaryStops, counts), 0, "How exits are counted."},
    {"resume_request", T_INT, offsetof(OrdinaryStops, resume_request), 0,
     "The request that resumes a thread outside of a call."},
    {"paths", T_OBJECT_EX, offsetof(OrdinaryStops, paths), 0, "What finds the objects of paths."},
    {"idle_ns", T_LONGLONG, offsetof(OrdinaryStops, idle_ns), READONLY,
     "When it was last known that no stop was pending, or 0."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Waits for stops, and handles the ordinary ones."},
    {Py_tp_init, ordinary_stops_init},
    {Py_tp_dealloc, ordinary_stops_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec type_spec = {
    .name = "syswatch.tracer.ptrace.ordinary_stops.OrdinaryStops",
    .basicsize = sizeof(OrdinaryStops),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static int fill_module(PyObject *module)
{
    PyObject *type = make_names() ? PyType_FromSpec(&type_spec) : NULL;
    int failed = !type || PyModule_AddObjectRef(module, "OrdinaryStops", type) < 0;

    Py_XDECREF(type);
    if (failed || PyModule_AddIntMacro(module, COUNTS_NOTHING_HERE) < 0 ||
        PyModule_AddIntMacro(module, COUNTS_DURATIONS) < 0 ||
        PyModule_AddIntMacro(module, COUNTS_OBJECTS) < 0)
        return -1;
    return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "ordinary_stops",
    .m_doc = "Handles the stops of ordinary calls without the interpreter.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit_ordinary_stops(void)
{
    return PyModuleDef_Init(&module);
}
