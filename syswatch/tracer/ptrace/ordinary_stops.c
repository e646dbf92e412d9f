/*
 * Handles the stops of ordinary calls: what `loop.py` does at most stops, without the interpreter.
 *
 * A stop is ordinary if it needs nothing but its time and its object: the entry to a call of a
 * known kind that is not likely to wait, and the exit from one that is not among the slowest, is not
 * logged, and has changed nothing that matters here.  For all others the loop is told, which handles
 * them as it handles every stop without this module.  So each decision is made in Python, and this
 * file only knows which ones have a foregone conclusion.
 *
 * The interpreter lock is kept while waiting: the tracer has one thread.
 */

#include "attributes.h"
#include "call_kinds.h"
#include "current_thread.h"
#include "paths.h"

#include <signal.h>
#include <string.h>
#include <structmember.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A system call stop, because of PTRACE_O_TRACESYSGOOD. */
#define SYSCALL_STATUS ((SIGTRAP | 0x80) << 8 | 0x7f)
#define NS_IN_SECOND 1000000000LL
/* How long it is not checked again whether a stop is pending; as in `waiting`. */
#define RECENT_NS 50000LL
/* For how long the stops of one thread come first; as in `waiting`. */
#define TURN_NS 2000000LL

/* A call that is restarted, which the loop has to remember; as in `calls`. */
#define RESTART_LATER (-516)

/* What the loop counts of a call besides its duration. */
enum { COUNTS_NOTHING_HERE, COUNTS_DURATIONS, COUNTS_OBJECTS };

typedef struct {
    PyObject_HEAD
    /* By ID. */
    PyObject *threads;
    PyObject *recorder;
    /* The names of errors by number. */
    PyObject *errors;
    /* What finds the objects of paths; None if what changes them is not traced. */
    PyObject *paths;
    /* The functions of `counting` that find the objects that are not found here. */
    PyObject *object_at_entry;
    PyObject *object_at_exit;
    Py_buffer status;
    int counts;
    int resume_request;
    long long due_ns;
    /* When it was called or a wait ended last, and when it was last known that no stop was pending. */
    long long at_ns;
    long long idle_ns;
    /* All threads, the place of the next one, the one that has its turn, and when that ends. */
    PyObject *turns;
    Py_ssize_t next;
    int in_turn;
    long long turn_ends_ns;
    bool logs;
    Current current;
    Kinds kinds;
} OrdinaryStops;

static long long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_IN_SECOND + now.tv_nsec;
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

/* Forgets what was captured before; returns false if memory must be read. */
static bool captures_nothing(OrdinaryStops *self)
{
    return !self->logs && self->counts != COUNTS_NOTHING_HERE &&
           PyObject_SetAttr(self->current.thread, captured_name, Py_None) == 0;
}

/* Reads the path that a call opens; returns false if the loop must do it. */
static bool read_given(OrdinaryStops *self, uint64_t address)
{
    PyObject *path = read_string(self->current.tid, address);
    bool is_read = path && PyObject_SetAttr(self->current.thread, given_name, path) == 0;

    Py_XDECREF(path);
    return is_read;
}

static bool is_watched(PyObject *watched, PyObject *call)
{
    return PyObject_Size(watched) && look_up(watched, Py_NewRef(call));
}

/* Returns whether the entry to a call needs nothing but its time, its object and its path. */
static bool is_plain_entry(OrdinaryStops *self, const KnownKind *kind)
{
    return !self->current.is_special && !(kind->traits & (HANDLED_AT_ENTRY | COMMANDS)) &&
           !is_watched(self->current.watched, kind->call) &&
           (!(kind->traits & CAPTURED) || captures_nothing(self));
}

/* Returns the object of an open descriptor, or NULL. */
static PyObject *object_of_descriptor(PyObject *open, int fd)
{
    PyObject *opened = look_up(open, PyLong_FromLong(fd));

    return opened ? PyObject_GetAttr(opened, object_name) : NULL;
}

/* Notes the object of a call; returns false if the loop must find it. */
static bool note_object(OrdinaryStops *self, const KnownKind *kind, int fd)
{
    Current *current = &self->current;
    PyObject *object = NULL;

    if (!(kind->traits & ON_DESCRIPTOR))
        return true;
    if (!(kind->traits & CLOSES_FIRST))
        object = object_of_descriptor(current->open, fd);
    if (!object)
        object = PyObject_CallFunctionObjArgs(self->object_at_entry, self->recorder,
                                              current->thread, kind->call, NULL);
    if (!object)
        return false;
    Py_DECREF(current->object);
    current->object = object;
    return true;
}

/* Notes the entry to a call; returns false if the loop must do it. */
static bool enter(OrdinaryStops *self)
{
    Current *current = &self->current;
    struct ptrace_syscall_info info;
    const KnownKind *kind;
    PyObject *call;

    if (!describe(current->tid, &info) || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    call = kind_of(&self->kinds, info.arch, info.entry.nr);
    if (!call)
        return false;
    kind = known_kind(&self->kinds, call);
    if (!is_plain_entry(self, kind))
        return false;
    memcpy((void *)(uintptr_t)current->entry_at, &info, sizeof(info));
    if (!note_object(self, kind, (int)info.entry.args[0]))
        return false;
    if (kind->traits & OPENS_PATH && !read_given(self, info.entry.args[kind->object_at]))
        return false;
    current->call = Py_NewRef(call);
    current->entered_ns = now_ns();
    current->has_changed = true;
    return true;
}

/* Returns the object of the path that a call names, or NULL if it is not known yet. */
static PyObject *named_object(OrdinaryStops *self, const KnownKind *kind)
{
    Current *current = &self->current;
    PyObject *path, *object;

    if (Py_IsNone(self->paths))
        return NULL;
    path = kind->traits & OPENS_PATH
               ? PyObject_GetAttr(current->thread, given_name)
               : read_string(current->tid, entry_of(current)->entry.args[kind->object_at]);
    object = object_of_path(self->paths, current, kind, path);
    Py_XDECREF(path);
    return object;
}

/* Returns the object of the descriptor in an argument, or NULL if it is not known yet. */
static PyObject *object_of_argument(const Current *current, int at)
{
    int fd = (int)entry_of(current)->entry.args[at];

    return fd < 0 ? PyLong_FromLong(0) : object_of_descriptor(current->open, fd);
}

/* Returns the object of a call at its exit; NULL without an error if it has none. */
static PyObject *find_object(OrdinaryStops *self, const KnownKind *kind,
                             const struct ptrace_syscall_info *info)
{
    bool has_failed = info->exit.is_error;
    unsigned traits = kind->traits;
    PyObject *object = NULL, *result;

    if (traits & FOUND_AT_ENTRY)
        return Py_NewRef(self->current.object);
    if (!(traits & ACTS) || self->counts != COUNTS_OBJECTS)
        return NULL;
    if (traits & IN_DESCRIPTOR)
        object = object_of_argument(&self->current, kind->object_at);
    else if (traits & NAMES_PATH || (traits & OPENS_PATH && has_failed))
        object = named_object(self, kind);
    if (object || !store(&self->current))
        return object;
    PyErr_Clear();
    if ((result = PyLong_FromLongLong(info->exit.rval)))
        object = PyObject_CallFunctionObjArgs(self->object_at_exit, self->recorder,
                                              self->current.thread, kind->call, result,
                                              has_failed ? Py_True : Py_False, NULL);
    Py_XDECREF(result);
    return object;
}

/* Returns the key of the sums to which a call is added. */
static PyObject *key_of(OrdinaryStops *self, const KnownKind *kind, PyObject *object)
{
    if (self->counts == COUNTS_OBJECTS && object)
        return PyTuple_Pack(2, kind->call, object);
    return Py_NewRef(kind->call);
}

/* Returns the sums of a key, which are made if there are none yet. */
static PyObject *find_sums(OrdinaryStops *self, PyObject *key)
{
    PyObject *thread = self->current.thread;
    PyObject *sums = look_up(self->current.rows, Py_XNewRef(key));

    if (sums || !key)
        return Py_XNewRef(sums);
    return PyObject_CallMethodObjArgs(self->recorder, new_sums_name, thread, key, NULL);
}

/* Returns the sums to which a call is added, or NULL if the loop must find them. */
static KnownSums *sums_of(OrdinaryStops *self, const KnownKind *kind, PyObject *object)
{
    KnownSums *known =
        &self->current.sums[((uintptr_t)kind->call >> 4 ^ (uintptr_t)object >> 4) % SUMS];
    PyObject *key, *sums;

    if (known->call == kind->call && known->object == object)
        return known;
    key = key_of(self, kind, object);
    sums = find_sums(self, key);
    Py_XDECREF(key);
    if (!sums || !release_sums(known))
        return NULL;
    *known = (KnownSums){
        .call = Py_NewRef(kind->call),
        .object = Py_XNewRef(object),
        .sums = sums,
        .durations = PyObject_GetAttr(sums, durations_name),
    };
    return known;
}

static bool add_duration(KnownSums *known, long long duration_ns)
{
    PyObject *duration = PyLong_FromLongLong(duration_ns);
    bool is_added = known->durations && duration && PyList_Append(known->durations, duration) == 0;

    Py_XDECREF(duration);
    return is_added;
}

/* Returns whether enough failures of a call have been kept as samples. */
static bool is_sampled(OrdinaryStops *self, PyObject *call)
{
    PyObject *sampled = PyObject_GetAttr(self->recorder, sampled_name);
    int is_in = sampled ? PySet_Contains(sampled, call) : -1;

    Py_XDECREF(sampled);
    return is_in > 0;
}

/* Returns the name of the error of a call, or NULL if the loop must handle the failure. */
static PyObject *error_of(OrdinaryStops *self, PyObject *call, long long result)
{
    if (result == RESTART_LATER || !is_sampled(self, call))
        return NULL;
    return look_up(self->errors, PyLong_FromLongLong(-result));
}

static bool add_failure(KnownSums *known, PyObject *error, long long duration_ns)
{
    PyObject *duration = PyLong_FromLongLong(duration_ns), *added = NULL;

    if (duration)
        added = PyObject_CallMethodObjArgs(known->sums, add_name, error, duration, NULL);
    Py_XDECREF(duration);
    Py_XDECREF(added);
    return added;
}

/* Counts the path that a call has opened, or failed to open, and forgets it. */
static bool count_path(OrdinaryStops *self, PyObject *call, bool has_failed)
{
    PyObject *thread = self->current.thread, *path = PyObject_GetAttr(thread, given_name);
    PyObject *failed = has_failed ? Py_True : Py_False, *counted = NULL;
    bool is_counted;

    if (path)
        counted = PyObject_CallMethodObjArgs(self->recorder, count_path_name, call, path, failed,
                                             NULL);
    is_counted = counted && PyObject_SetAttr(thread, given_name, Py_None) == 0;

    Py_XDECREF(path);
    Py_XDECREF(counted);
    return is_counted;
}

/* Whether so many bytes can be moved in a call, as in `bytes_moved`. */
static bool can_be_moved(long long bytes)
{
    return bytes >= 0 && bytes <= INT32_MAX;
}

/* Whether a call has only looked at what it has received, as in `leaves_in_place`. */
static bool leaves_in_place(const Current *current, unsigned traits)
{
    return traits & (FLAGS_THIRD | FLAGS_FOURTH) &&
           entry_of(current)->entry.args[traits & FLAGS_THIRD ? 2 : 3] & MSG_PEEK;
}

/* Returns whether nothing but the duration and the result of a call is needed at its exit. */
static bool is_plain_exit(OrdinaryStops *self, const KnownKind *kind, long long duration_ns)
{
    return !(kind->traits & HANDLED_AT_EXIT) && !self->current.is_special &&
           duration_ns < number_of(kind->call, bound_ns_name);
}

/* Adds a call that succeeded to its sums. */
static bool add_success(OrdinaryStops *self, const KnownKind *kind, KnownSums *known,
                        long long duration_ns, long long result)
{
    if (!add_duration(known, duration_ns))
        return false;
    if (self->counts == COUNTS_OBJECTS && kind->traits & MOVES && can_be_moved(result) &&
        !leaves_in_place(&self->current, kind->traits))
        known->moved += result;
    return true;
}

/* Counts a call that has returned; returns false if the loop must do it. */
static bool count(OrdinaryStops *self, const KnownKind *kind, long long duration_ns,
                  const struct ptrace_syscall_info *info)
{
    bool has_failed = info->exit.is_error;
    PyObject *error = has_failed ? error_of(self, kind->call, info->exit.rval) : NULL, *object;
    KnownSums *known;

    if (has_failed && !error)
        return false;
    object = find_object(self, kind, info);
    known = object || !PyErr_Occurred() ? sums_of(self, kind, object) : NULL;
    Py_XDECREF(object);
    if (!known)
        return false;
    return (has_failed ? add_failure(known, error, duration_ns)
                       : add_success(self, kind, known, duration_ns, info->exit.rval)) &&
           (!(kind->traits & OPENS_PATH) || count_path(self, kind->call, has_failed));
}

/* Counts a call at its exit; returns false if the loop must do it. */
static bool leave(OrdinaryStops *self)
{
    Current *current = &self->current;
    long long now = self->at_ns, duration_ns = now - current->entered_ns;
    struct ptrace_syscall_info info;
    const KnownKind *kind;

    if (self->counts == COUNTS_NOTHING_HERE || self->logs || now >= self->due_ns)
        return false;
    if (!describe(current->tid, &info) || info.op != PTRACE_SYSCALL_INFO_EXIT)
        return false;
    kind = known_kind(&self->kinds, current->call);
    if (!is_plain_exit(self, kind, duration_ns) ||
        !count(self, kind, duration_ns, &info))
        return false;
    current->calls++;
    Py_CLEAR(current->call);
    current->has_changed = true;
    return true;
}

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
    self->at_ns = now_ns();
}

/* Returns the next thread; after the last one, the first, or 0 if there are none. */
static int next_thread(OrdinaryStops *self)
{
    if (!self->turns || self->next >= PyList_Size(self->turns)) {
        Py_XDECREF(self->turns);
        self->turns = PyDict_Keys(self->threads);
        self->next = 0;
    }
    if (!self->turns || !PyList_Size(self->turns))
        return 0;
    return (int)PyLong_AsLong(PyList_GetItem(self->turns, self->next++));
}

/* Returns the thread that has its turn if it is stopped, or 0; as `Turns` in `waiting`. */
static int stopped_in_turn(OrdinaryStops *self)
{
    bool is_over = self->at_ns >= self->turn_ends_ns;
    int tid;

    if (is_over)
        self->in_turn = next_thread(self);
    tid = self->in_turn ? waitpid(self->in_turn, self->status.buf, __WALL | WNOHANG) : 0;
    if (is_over && tid > 0)
        self->turn_ends_ns = self->at_ns + TURN_NS;
    /* It may have ended meanwhile. */
    return tid > 0 ? tid : 0;
}

/*
 * Waits for a stop, and notes when no stop was pending.  One that is pending is found without
 * blocking, so that is tried first, unless it was known a moment ago that there was none.
 */
static int next_stop(OrdinaryStops *self)
{
    int *status = self->status.buf, tid = 0;
    long long begun_ns = self->at_ns;
    bool is_recent = begun_ns - self->idle_ns < RECENT_NS, has_blocked;

    if (begun_ns - self->idle_ns >= TURN_NS)
        tid = stopped_in_turn(self);
    if (!is_recent && tid == 0)
        tid = waitpid(-1, status, __WALL | WNOHANG);
    has_blocked = tid == 0;
    if (has_blocked)
        tid = waitpid(-1, status, __WALL);
    self->at_ns = now_ns();
    if (is_recent)
        has_blocked = self->at_ns - begun_ns >= RECENT_NS;
    if (has_blocked)
        self->idle_ns = self->at_ns;
    return tid;
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
