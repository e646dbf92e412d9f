/* Threads whose calls overlap, and one of them that replaces the whole process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *wander(void *argument)
{
    struct timespec pause = {.tv_nsec = 200000};
    char path[32];

    for (int step = 0; step < 15; step++) {
        snprintf(path, sizeof path, "/nope%ld-%d", (long)argument, step);
        nanosleep(&pause, NULL);
        open(path, O_RDONLY);
    }
    return NULL;
}

static void *replace(void *argument)
{
    (void)argument;
    execl("/bin/true", "true", (char *)NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[4], last;

    for (long number = 0; number < 4; number++)
        pthread_create(&threads[number], NULL, wander, (void *)number);
    for (int number = 0; number < 4; number++)
        pthread_join(threads[number], NULL);
    if (!fork()) {
        pthread_create(&last, NULL, replace, NULL);
        pause();
    }
    wait(NULL);
    return 0;
}
