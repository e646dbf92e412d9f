/* As many threads as the argument, ten at a time, each of which makes 100 calls and sleeps 1 ms. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++)
        syscall(SYS_getppid);
    usleep(1000);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[10];
    int count = argc > 1 ? atoi(argv[1]) : 100;

    for (int begun = 0; begun < count; begun += 10) {
        for (int i = 0; i < 10; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 10; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}
