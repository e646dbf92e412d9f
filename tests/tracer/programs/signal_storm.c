/* Threads that send themselves signals continuously, until the alarm or another signal. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define THREADS 8

static void nothing(int number)
{
    (void)number;
}

static void *storm(void *unused)
{
    for (;;)
        raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;

    signal(SIGUSR1, nothing);
    alarm(60);
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, 0, storm, 0);
    storm(0);
}
