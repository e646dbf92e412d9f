/* Two threads and their children make calls until the input ends; 42 if no call failed. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(void)
{
    for (int i = 0; i < 50; i++)
        if (syscall(SYS_getppid) < 0)
            _exit(1);
}

static void *work(void *vfork_too)
{
    struct pollfd input = {0, POLLIN, 0};
    int ready, status;
    /* A stop makes poll restart or return early. */
    while ((ready = poll(&input, 1, 1)) <= 0) {
        call();
        pid_t child = vfork_too ? vfork() : fork();
        if (child == 0) {
            if (!vfork_too)
                call();
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            exit(2);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, &thread);
    puts("ready");
    fflush(stdout);
    work(NULL);
    pthread_join(thread, NULL);
    return 42;
}
