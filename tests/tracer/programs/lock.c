/* Two threads and a mutex: one holds it while it computes, the other waits for it, ten times. */
#include <pthread.h>
#include <time.h>

#define TIMES 10
#define HELD_NS 100000000LL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *waiter(void *unused)
{
    int i;

    for (i = 0; i < TIMES; i++) {
        pthread_barrier_wait(&barrier);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    long long end;
    int i;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, waiter, NULL);
    for (i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        pthread_barrier_wait(&barrier);
        for (end = now() + HELD_NS; now() < end;)
            ;
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
    }
    return pthread_join(thread, NULL);
}
