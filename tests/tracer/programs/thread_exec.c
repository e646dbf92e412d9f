/* A thread that is not the leader executes a program while the leader waits in a call. */
#include <pthread.h>
#include <unistd.h>

/* Execve ends the leader wherever it is; it must be done with every call that counts by then. */
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
