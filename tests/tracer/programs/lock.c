/* Two threads and a mutex: ten times, one holds it while the other waits for it, and computes for
 * 100 ms from the moment on at which the other is asleep. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "asleep.h"

#define TIMES 10
#define HELD_NS 100000000LL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int held[2], wanted[2];

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *hold(void *unused)
{
    long long end;
    char byte = 0;

    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        write(held[1], &byte, 1);
        read(wanted[0], &byte, 1);
        await_sleep(getpid());
        for (end = now() + HELD_NS; now() < end;)
            ;
        pthread_mutex_unlock(&lock);
        read(wanted[0], &byte, 1);
    }
    return unused;
}

int main(void)
{
    pthread_t holder;
    char byte = 0;

    pipe(held);
    pipe(wanted);
    pthread_create(&holder, NULL, hold, NULL);
    for (int i = 0; i < TIMES; i++) {
        read(held[0], &byte, 1);
        write(wanted[1], &byte, 1);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        write(wanted[1], &byte, 1);
    }
    return pthread_join(holder, NULL);
}
