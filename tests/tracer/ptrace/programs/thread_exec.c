/* A thread that is not the leader executes a program while the leader waits in a call. */
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
    execl("/bin/true", "true", (char *)NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (;;)
        pause();
}
