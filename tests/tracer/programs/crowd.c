/* 150 threads that call getppid again and again.  For each line that it reads, the main thread makes
 * 100 calls that fail, and prints a line; at the end of its input it prints the number of getppid. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 150

static volatile int must_stop;
static unsigned long counts[THREADS];

static void *work(void *count)
{
    while (!must_stop) {
        syscall(SYS_getppid);
        ++*(unsigned long *)count;
        usleep(50 * 1000);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned long sum = 0;
    char line[80];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, &counts[i]);
    while (fgets(line, sizeof(line), stdin)) {
        for (int i = 0; i < 100; i++)
            rmdir("/nonexistent/folder");
        puts("done");
        fflush(stdout);
    }
    must_stop = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        sum += counts[i];
    }
    printf("%lu\n", sum);
    return 0;
}
