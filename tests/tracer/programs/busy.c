/* Says hello, then makes calls until its input ends; with an argument, in two threads. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *unused)
{
    struct pollfd input = {0, POLLIN, 0};
    while (poll(&input, 1, 1) == 0)
        for (int i = 0; i < 20; i++)
            syscall(SYS_getppid);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char byte;
    (void)argv;
    if (argc > 1)
        pthread_create(&thread, NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    work(NULL);
    if (argc > 1)
        pthread_join(thread, NULL);
    while (read(0, &byte, 1) > 0)
        ;
    puts("done");
    return 42;
}
