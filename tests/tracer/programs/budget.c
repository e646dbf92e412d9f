/* Works in its own code, in calls and not at all, between two lines that it prints; then it waits for
 * the end of its input. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void)
{
    struct timespec pause = {.tv_nsec = 5000000};
    char byte;

    puts("ready");
    fflush(stdout);
    read(0, &byte, 1);
    for (int round = 0; round < 40; round++) {
        long long end = cpu_ns() + 5000000;

        while (cpu_ns() < end)
            if (round % 2)
                syscall(SYS_getppid);
        nanosleep(&pause, NULL);
    }
    puts("done");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    return 42;
}
