/* A thread other than the leader calls execve while the leader is blocked in a call. */
#include <pthread.h>
#include <unistd.h>

/* Execve ends the leader; by then it must have finished every call that is counted. */
static volatile int leader_is_done;

static void *work(void *unused)
{
    while (!leader_is_done)
        ;
    execl("/bin/true", "true", (char *)NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    leader_is_done = 1;
    for (;;)
        pause();
}
