/* 200 threads at the same time, each making calls, some of which fail. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *unused)
{
    for (int i = 0; i < 10; i++) {
        syscall(SYS_getppid);
        syscall(SYS_close, -1);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[200];
    for (int i = 0; i < 200; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 200; i++)
        pthread_join(threads[i], NULL);
    return 7;
}
