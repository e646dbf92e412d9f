/*
 * Handles the stops of ordinary calls: what `loop.py` does at most stops, without the interpreter.
 *
 * A stop is ordinary if it needs nothing but its time: the entry to a call whose kind and object are
 * known, and the exit from one that succeeded, is not among the slowest, and has a row already.
 * For all others, nothing is changed and the loop is told, which handles them as it handles every
 * stop without this module.  So each decision is made in Python, and this file only knows which ones
 * have a foregone conclusion.
 *
 * The interpreter lock is kept while waiting: the tracer has one thread.
 */

#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <linux/ptrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A system call stop, because of PTRACE_O_TRACESYSGOOD. */
#define SYSCALL_STATUS ((SIGTRAP | 0x80) << 8 | 0x7f)
#define NS_IN_SECOND 1000000000LL

/* What the loop counts of a call besides its duration. */
enum { COUNTS_NOTHING_HERE, COUNTS_DURATIONS, COUNTS_OBJECTS };

/* The names of attributes; made once. */
#define ATTRIBUTES(each)                                                                           \
    each(acts) each(bound_ns) each(call) each(calls) each(captured) each(closes_first)             \
    each(commands) each(due_ns) each(durations) each(entered_ns) each(entry_at)                    \
    each(found_at_entry) each(handled_at_entry) each(handled_at_exit) each(log_quota)              \
    each(moved) each(moves) each(object) each(on_descriptor) each(open) each(prepared)             \
    each(rows) each(special) each(watched)

#define DECLARE(name) static PyObject *name##_name;
ATTRIBUTES(DECLARE)

typedef struct {
    PyObject_HEAD
    /* Threads by ID, and kinds of calls by architecture and number. */
    PyObject *threads;
    PyObject *known;
    PyObject *recorder;
    Py_buffer status;
    int counts;
    int resume_request;
    long long due_ns;
    bool logs;
    /* What was looked up last; only valid until the loop handles a stop. */
    int tid;
    PyObject *thread;
    uint32_t architecture;
    PyObject *calls;
} OrdinaryStops;

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_IN_SECOND + now.tv_nsec;
}

/* Returns whether an attribute is true; errors count as `otherwise`, so that the loop meets them. */
static bool is_true(PyObject *of, PyObject *name, bool otherwise)
{
    PyObject *value = PyObject_GetAttr(of, name);
    int truth = value ? PyObject_IsTrue(value) : -1;

    Py_XDECREF(value);
    return truth < 0 ? otherwise : truth;
}

static bool set_number(PyObject *of, PyObject *name, long long number)
{
    PyObject *value = PyLong_FromLongLong(number);
    bool is_set = value && PyObject_SetAttr(of, name, value) == 0;

    Py_XDECREF(value);
    return is_set;
}

/* Returns an attribute; numbers that do not fit, such as "never", are as large as possible. */
static long long number_of(PyObject *of, PyObject *name)
{
    int overflow = 0;
    PyObject *value = PyObject_GetAttr(of, name);
    long long number = value ? PyLong_AsLongLongAndOverflow(value, &overflow) : -1;

    Py_XDECREF(value);
    return overflow > 0 ? INT64_MAX : number;
}

static bool add(PyObject *of, PyObject *name, long long more)
{
    return set_number(of, name, number_of(of, name) + more);
}

/* Returns a value of a dict, which keeps owning it, or NULL. */
static PyObject *look_up(PyObject *dict, PyObject *key)
{
    PyObject *value = key ? PyDict_GetItemWithError(dict, key) : NULL;

    Py_XDECREF(key);
    return value;
}

static PyObject *thread_of(OrdinaryStops *self, int tid)
{
    if (tid != self->tid || !self->thread) {
        self->tid = tid;
        self->thread = look_up(self->threads, PyLong_FromLong(tid));
    }
    return self->thread;
}

static PyObject *kind_of(OrdinaryStops *self, uint32_t architecture, uint64_t number)
{
    if (architecture != self->architecture || !self->calls) {
        self->architecture = architecture;
        self->calls = look_up(self->known, PyLong_FromUnsignedLong(architecture));
    }
    return self->calls ? look_up(self->calls, PyLong_FromUnsignedLongLong(number)) : NULL;
}

/* Not the C library's function, whose header is in conflict with the kernel's. */
static long request(int number, int tid, size_t address, void *data)
{
    return syscall(SYS_ptrace, number, tid, address, data);
}

static bool describe(int tid, struct ptrace_syscall_info *info)
{
    return request(PTRACE_GET_SYSCALL_INFO, tid, sizeof(*info), info) > 0;
}

/* Returns the object of the descriptor in the first argument, or NULL. */
static PyObject *object_of_first(PyObject *thread, int fd)
{
    PyObject *open = PyObject_GetAttr(thread, open_name);
    PyObject *opened = open ? look_up(open, PyLong_FromLong(fd)) : NULL;
    PyObject *object = opened ? PyObject_GetAttr(opened, object_name) : NULL;

    Py_XDECREF(open);
    return object;
}

/* Returns whether a call that is prepared at its entry needs nothing there now. */
static bool needs_no_preparation(OrdinaryStops *self, PyObject *thread, PyObject *call)
{
    /* Memory is read only for calls that are logged or recorded. */
    return !self->logs && self->counts != COUNTS_NOTHING_HERE &&
           !is_true(call, handled_at_entry_name, true) && !is_true(call, commands_name, true) &&
           PyObject_SetAttr(thread, captured_name, Py_None) == 0;
}

static bool is_watched(PyObject *thread, PyObject *call)
{
    PyObject *watched = PyObject_GetAttr(thread, watched_name);
    bool is_found = !watched || (PyObject_Size(watched) && look_up(watched, Py_NewRef(call)));

    Py_XDECREF(watched);
    return is_found;
}

/* Returns whether the entry to a call needs nothing but its time. */
static bool is_plain_entry(OrdinaryStops *self, PyObject *thread, PyObject *call)
{
    if (is_true(thread, special_name, true) || is_watched(thread, call))
        return false;
    return !is_true(call, prepared_name, true) || needs_no_preparation(self, thread, call);
}

static bool set_object(PyObject *thread, PyObject *call, int fd)
{
    PyObject *object;
    bool is_set;

    if (!is_true(call, on_descriptor_name, false))
        return true;
    if (is_true(call, closes_first_name, true))
        return false;
    object = object_of_first(thread, fd);
    is_set = object && PyObject_SetAttr(thread, object_name, object) == 0;
    Py_XDECREF(object);
    return is_set;
}

/* Notes the entry to a call; returns false if the loop must do it. */
static bool enter(OrdinaryStops *self, PyObject *thread, int tid)
{
    struct ptrace_syscall_info info;
    long long entry_at = number_of(thread, entry_at_name);
    PyObject *call;

    if (entry_at <= 0 || !describe(tid, &info) || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    call = kind_of(self, info.arch, info.entry.nr);
    if (!call || !is_plain_entry(self, thread, call) || !set_object(thread, call, (int)info.entry.args[0]))
        return false;
    memcpy((void *)(uintptr_t)entry_at, &info, sizeof(info));
    return PyObject_SetAttr(thread, call_name, call) == 0 &&
           set_number(thread, entered_ns_name, now_ns());
}

/* Returns the key of the sums to which a call is added, or NULL if its object is not known yet. */
static PyObject *key_of(OrdinaryStops *self, PyObject *thread, PyObject *call)
{
    PyObject *object, *key;

    if (self->counts == COUNTS_DURATIONS)
        return Py_NewRef(call);
    if (!is_true(call, found_at_entry_name, false))
        return is_true(call, acts_name, true) ? NULL : Py_NewRef(call);
    object = PyObject_GetAttr(thread, object_name);
    key = object ? PyTuple_Pack(2, call, object) : NULL;
    Py_XDECREF(object);
    return key;
}

/* Returns the sums to which a call is added, or NULL if there are none yet. */
static PyObject *sums_of(OrdinaryStops *self, PyObject *thread, PyObject *call)
{
    PyObject *rows = PyObject_GetAttr(thread, rows_name);
    PyObject *sums = rows ? look_up(rows, key_of(self, thread, call)) : NULL;

    Py_XINCREF(sums);
    Py_XDECREF(rows);
    return sums;
}

static bool add_duration(PyObject *sums, long long duration_ns)
{
    PyObject *durations = PyObject_GetAttr(sums, durations_name);
    PyObject *duration = PyLong_FromLongLong(duration_ns);
    bool is_added = durations && duration && PyList_Append(durations, duration) == 0;

    Py_XDECREF(durations);
    Py_XDECREF(duration);
    return is_added;
}

/* Counts a call at its exit; returns false if the loop must do it. */
static bool leave(OrdinaryStops *self, PyObject *thread, PyObject *call, int tid)
{
    long long now = now_ns(), duration_ns = now - number_of(thread, entered_ns_name);
    struct ptrace_syscall_info info;
    PyObject *sums;
    bool is_counted;

    if (self->counts == COUNTS_NOTHING_HERE || self->logs || now >= self->due_ns)
        return false;
    if (!describe(tid, &info) || info.op != PTRACE_SYSCALL_INFO_EXIT || info.exit.is_error)
        return false;
    if (is_true(call, handled_at_exit_name, true) || is_true(thread, special_name, true) ||
        duration_ns >= number_of(call, bound_ns_name))
        return false;
    sums = sums_of(self, thread, call);
    is_counted = sums &&
                 (self->counts != COUNTS_OBJECTS || !is_true(call, moves_name, false) ||
                  add(sums, moved_name, info.exit.rval)) &&
                 add_duration(sums, duration_ns);
    Py_XDECREF(sums);
    return is_counted && add(thread, calls_name, 1) &&
           PyObject_SetAttr(thread, call_name, Py_None) == 0;
}

/* Handles a stop at the entry to or the exit from a call; returns false if the loop must do it. */
static bool handle(OrdinaryStops *self, int tid)
{
    PyObject *thread = thread_of(self, tid), *call = NULL;
    bool is_entry, is_handled;

    if (thread)
        call = PyObject_GetAttr(thread, call_name);
    if (!call)
        return false;
    is_entry = Py_IsNone(call);
    is_handled = is_entry ? enter(self, thread, tid) : leave(self, thread, call, tid);
    Py_DECREF(call);
    if (is_handled)
        request(is_entry ? PTRACE_SYSCALL : self->resume_request, tid, 0, NULL);
    return is_handled;
}

/* Takes what cannot change before the loop handles a stop. */
static void begin(OrdinaryStops *self)
{
    self->thread = self->calls = NULL;
    self->due_ns = number_of(self->recorder, due_ns_name);
    self->logs = number_of(self->recorder, log_quota_name) > 0;
}

static PyObject *ordinary_stops_wait(PyObject *of, PyObject *unused)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    int *status = self->status.buf;
    int tid;

    (void)unused;
    begin(self);
    do {
        if (PyErr_CheckSignals() < 0)
            return NULL;
        tid = waitpid(-1, status, __WALL);
    } while (tid > 0 && *status == SYSCALL_STATUS && handle(self, tid));
    /* What was not found, or could not be read, the loop will meet again. */
    PyErr_Clear();
    return PyLong_FromLong(tid);
}

/* --- the type and the module ------------------------------------------------------------------ */

static int ordinary_stops_init(PyObject *of, PyObject *arguments, PyObject *keywords)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    static char *names[] = {"threads", "known", "recorder", "status", NULL};
    PyObject *threads, *known, *recorder, *status;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!OO", names, &PyDict_Type, &threads,
                                     &PyDict_Type, &known, &recorder, &status))
        return -1;
    if (PyObject_GetBuffer(status, &self->status, PyBUF_WRITABLE) < 0)
        return -1;
    self->threads = Py_NewRef(threads);
    self->known = Py_NewRef(known);
    self->recorder = Py_NewRef(recorder);
    return 0;
}

static void ordinary_stops_dealloc(PyObject *of)
{
    OrdinaryStops *self = (OrdinaryStops *)of;
    PyTypeObject *type = Py_TYPE(of);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(self->threads);
    Py_XDECREF(self->known);
    Py_XDECREF(self->recorder);
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

static bool make_names(void)
{
#define INTERN(name)                                                                               \
    if (!name##_name && !(name##_name = PyUnicode_InternFromString(#name)))                        \
        return false;
    ATTRIBUTES(INTERN)
    return true;
}

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
