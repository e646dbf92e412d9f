/* Waits until another thread sleeps in a call, so that a delay that begins then is waited for by that
 * thread to its end, however slowly it is traced. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BETWEEN_LOOKS_US 1000

static inline void await_sleep(int tid)
{
    char path[32], text[256];
    const char *name_end = NULL;

    snprintf(path, sizeof path, "/proc/%d/stat", tid);
    do {
        FILE *file = fopen(path, "r");

        if (!file)
            return;
        name_end = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        fclose(file);
        if (name_end && name_end[2] == 'S')
            return;
        usleep(BETWEEN_LOOKS_US);
    } while (1);
}

/* A thread is shown as asleep a moment before it leaves its CPU, which can be long in a virtual machine
 * whose CPU is taken away just then.  So it tells another thread how often it has left its CPU before
 * it begins to wait, and the other one waits until it has left it again. */
static inline void tell_switches(int pipe_end)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    write(pipe_end, &usage.ru_nvcsw, sizeof usage.ru_nvcsw);
}

static inline long switches_of(int tid)
{
    char path[32], line[256];
    long switches = -1;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", tid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &switches) == 1)
            break;
    if (file)
        fclose(file);
    return switches;
}

static inline void await_next_sleep(int pipe_end, int tid)
{
    long before = 0, now;

    read(pipe_end, &before, sizeof before);
    while ((now = switches_of(tid)) >= 0 && now <= before)
        usleep(BETWEEN_LOOKS_US);
    await_sleep(tid);
}

#endif
