/* Waits in a known way, and prints how many nanoseconds that took.  What is waited for takes 50 ms,
 * ten times, from the moment on at which the first thread is asleep. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

#define TIMES 10
#define MANY 50
#define SLOW 17
#define PAUSE_NS 50000000L

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready[2], locked[2];

static void pause_ns(long ns)
{
    struct timespec rest = {ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
}

static long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void *hold(void *unused)
{
    char byte;
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        write(locked[1], &byte, 1);
        await_next_sleep(ready[0], getpid());
        pause_ns(PAUSE_NS);
        pthread_mutex_unlock(&lock);
        read(ready[0], &byte, 1);
    }
    return unused;
}

/* The time that was spent to get the lock. */
static long wait_for_lock(void)
{
    pthread_t holder;
    char byte = 0;
    long spent = 0;
    pipe(ready);
    pipe(locked);
    pthread_create(&holder, NULL, hold, NULL);
    for (int i = 0; i < TIMES; i++) {
        long begun;
        read(locked[0], &byte, 1);
        tell_switches(ready[1]);
        begun = now_ns();
        pthread_mutex_lock(&lock);
        spent += now_ns() - begun;
        pthread_mutex_unlock(&lock);
        write(ready[1], &byte, 1);
    }
    pthread_join(holder, NULL);
    return spent;
}

static long wait_for_pipe(void)
{
    int ends[2];
    char byte = 0;
    long spent = 0;
    pipe(ends);
    pipe(ready);
    if (!fork()) {
        for (int i = 0; i < TIMES; i++) {
            await_next_sleep(ready[0], getppid());
            pause_ns(PAUSE_NS);
            write(ends[1], &byte, 1);
        }
        _exit(0);
    }
    for (int i = 0; i < TIMES; i++) {
        long begun;
        tell_switches(ready[1]);
        begun = now_ns();
        read(ends[0], &byte, 1);
        spent += now_ns() - begun;
    }
    wait(NULL);
    return spent;
}

/* Of many sockets with a path each, only one is written to. */
static long wait_for_one(const char *folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0), senders[MANY], receivers[MANY];
    char byte = 0;
    long spent = 0;
    pipe(ready);
    for (int i = 0; i < MANY; i++) {
        receivers[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
        senders[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
        snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", folder, i);
        bind(receivers[i], (struct sockaddr *)&address, sizeof address);
        connect(senders[i], (struct sockaddr *)&address, sizeof address);
        event.data.u64 = 1000 + i;
        epoll_ctl(epoll, EPOLL_CTL_ADD, receivers[i], &event);
    }
    if (!fork()) {
        for (int i = 0; i < TIMES; i++) {
            await_next_sleep(ready[0], getppid());
            pause_ns(PAUSE_NS);
            send(senders[SLOW], &byte, 1, 0);
        }
        _exit(0);
    }
    for (int i = 0; i < TIMES; i++) {
        long begun;
        tell_switches(ready[1]);
        begun = now_ns();
        epoll_wait(epoll, &event, 1, -1);
        spent += now_ns() - begun;
        recv(receivers[event.data.u64 - 1000], &byte, 1, 0);
    }
    wait(NULL);
    epoll_wait(epoll, &event, 1, PAUSE_NS / 1000000);
    return spent;
}

static long wait_for_child(void)
{
    long begun;
    pipe(ready);
    if (!fork()) {
        await_next_sleep(ready[0], getppid());
        pause_ns(TIMES * PAUSE_NS);
        _exit(0);
    }
    tell_switches(ready[1]);
    begun = now_ns();
    wait(NULL);
    return now_ns() - begun;
}

static long just_sleep(void)
{
    long begun = now_ns();
    for (int i = 0; i < TIMES; i++)
        pause_ns(PAUSE_NS);
    return now_ns() - begun;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long spent = 0;
    if (!strcmp(what, "lock"))
        spent = wait_for_lock();
    else if (!strcmp(what, "pipe"))
        spent = wait_for_pipe();
    else if (!strcmp(what, "one"))
        spent = wait_for_one(argv[2]);
    else if (!strcmp(what, "child"))
        spent = wait_for_child();
    else if (!strcmp(what, "sleep"))
        spent = just_sleep();
    printf("%ld\n", spent);
    return 0;
}
