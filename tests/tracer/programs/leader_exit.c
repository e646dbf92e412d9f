/* The leader exits before its thread. */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel clears it when the leader has ended. */
static volatile int leader = 1;

static void *work(void *unused)
{
    while (leader)
        ;
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
    syscall(SYS_set_tid_address, &leader);
    pthread_create(&thread, NULL, work, NULL);
    syscall(SYS_exit, 0);
}
