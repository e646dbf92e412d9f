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

/* Whether a thread waits in pause(), which is call 34 on x86-64 and ppoll, 73, on arm64. */
static int waits(int pid, int tid)
{
    char name[64], line[32] = "";
    FILE *file;

    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", pid, tid);
    file = fopen(name, "r");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = 0;
    fclose(file);
    return !strncmp(line, "34 ", 3) || !strncmp(line, "73 ", 3);
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
