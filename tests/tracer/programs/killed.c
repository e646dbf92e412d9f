/* Processes that are killed during calls; the first argument selects how. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static atomic_int tids[THREADS];

static void *block(void *place)
{
    *(atomic_int *)place = syscall(SYS_gettid);
    pause();
    return NULL;
}

static void *work(void *place)
{
    *(atomic_int *)place = 1;
    for (;;)
        syscall(SYS_getppid);
    return NULL;
}

static void start(void *(*what)(void *))
{
    pthread_t thread;

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, what, &tids[i]);
    for (int i = 0; i < THREADS; i++)
        while (!tids[i])
            sched_yield();
}

/* The first line of a file on a thread. */
static void read_line(int pid, int tid, const char *name, char *line, int size)
{
    char path[64];
    FILE *file;

    line[0] = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    file = fopen(path, "r");
    if (!file)
        return;
    if (!fgets(line, size, file))
        line[0] = 0;
    fclose(file);
}

/* Whether a thread waits in pause(), which is call 34 on x86-64 and ppoll, 73, on arm64.  At the entry
 * it is stopped at first, until the tracer resumes it. */
static int waits(int pid, int tid)
{
    char line[256];
    const char *name_end;

    read_line(pid, tid, "syscall", line, sizeof line);
    if (strncmp(line, "34 ", 3) && strncmp(line, "73 ", 3))
        return 0;
    read_line(pid, tid, "stat", line, sizeof line);
    name_end = strrchr(line, ')');
    return name_end && name_end[2] == 'S';
}

static void await(int pid, int tid)
{
    while (!waits(pid, tid))
        sched_yield();
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    int number = count > 2 ? atoi(words[2]) : SIGKILL;
    pid_t child = fork();

    if (child) {
        /* Some children are killed as soon as they wait. */
        if (!strcmp(how, "blocked")) {
            await(child, child);
            kill(child, number);
        }
        return waitpid(child, NULL, 0) != child;
    }
    if (!strcmp(how, "blocked"))
        pause();
    if (!strcmp(how, "itself"))
        kill(getpid(), number);
    if (!strcmp(how, "thread"))
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    if (!strcmp(how, "write")) {
        int pipes[2];
        if (pipe(pipes) || close(pipes[0]))
            _exit(1);
        write(pipes[1], "x", 1);
    }
    if (!strcmp(how, "threads")) {
        start(block);
        for (int i = 0; i < THREADS; i++)
            await(getpid(), tids[i]);
        if (number)
            kill(getpid(), number);
    }
    if (!strcmp(how, "busy")) {
        start(work);
        if (number)
            kill(getpid(), number);
    }
    syscall(SYS_exit_group, 0);
}
