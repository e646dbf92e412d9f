/*
 * Waiting for the next stop, as `waiting.py` does it.
 */
#ifndef SYSWATCH_NEXT_STOP_H
#define SYSWATCH_NEXT_STOP_H

#include "stops.h"

#include <sys/wait.h>

/* How long it is not checked again whether a stop is pending; as in `waiting`. */
#define RECENT_NS 50000LL
/* For how long the stops of one thread come first; as in `waiting`. */
#define TURN_NS 2000000LL

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
    long long begun_ns = self->at_ns = now_ns();
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

#endif
