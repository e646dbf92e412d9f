/* Two threads that compute on one CPU between two bytes that they read, and then wait for the end of
 * the input.  The first line that is printed is the ID of the second thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 1200000000L

static void compute(void)
{
    char byte;

    read(0, &byte, 1);
    for (volatile long left = ROUNDS; left > 0; left--)
        ;
    read(0, &byte, 1);
}

static void *second(void *unused)
{
    printf("%d\n", gettid());
    fflush(stdout);
    compute();
    return unused;
}

int main(void)
{
    pthread_t thread;
    cpu_set_t cpus;
    int cpu = 0;

    sched_getaffinity(0, sizeof cpus, &cpus);
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    pthread_create(&thread, NULL, second, NULL);
    compute();
    pthread_join(thread, NULL);
    return 42;
}
