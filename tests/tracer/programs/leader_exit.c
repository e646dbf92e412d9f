/* The leader ends before its thread does. */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *work(void *unused)
{
    struct timespec pause = {0, 50 * 1000 * 1000};
    nanosleep(&pause, NULL);
    for (int i = 0; i < 5; i++)
        syscall(SYS_getppid);
    _exit(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    syscall(SYS_exit, 0);
}
