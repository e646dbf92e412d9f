/* Prints a line, then makes calls until its input ends; with one argument, in two threads; with two
 * arguments, in the second one only, after the first has ended. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

static void end(void)
{
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
    puts("done");
    exit(42);
}

static void *work_alone(void *first)
{
    pthread_join(*(pthread_t *)first, NULL);
    puts("ready");
    fflush(stdout);
    work(NULL);
    end();
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t first, second;
    (void)argv;
    if (argc > 2) {
        first = pthread_self();
        pthread_create(&second, NULL, work_alone, &first);
        pthread_exit(NULL);
    }
    if (argc > 1)
        pthread_create(&second, NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    work(NULL);
    if (argc > 1)
        pthread_join(second, NULL);
    end();
}
