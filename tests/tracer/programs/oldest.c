/* The first of nine child processes makes 500 calls.  The others make calls meanwhile, at most 10,000
 * each.  Prints how many of them have made so many. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHERS 8
#define MOST 10000

typedef struct {
    volatile int has_ended;
    volatile int calls[OTHERS];
} Shared;

/* Begins when all processes have been created. */
static void first(Shared *shared, const int *ends)
{
    char byte;

    close(ends[1]);
    read(ends[0], &byte, 1);
    for (int i = 0; i < 500; i++)
        syscall(SYS_getppid);
    shared->has_ended = 1;
    _exit(0);
}

static void other(Shared *shared, int number, const int *ends)
{
    close(ends[1]);
    while (!shared->has_ended && shared->calls[number] < MOST) {
        syscall(SYS_getppid);
        shared->calls[number]++;
    }
    _exit(0);
}

int main(void)
{
    Shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2], most = 0;

    pipe(ends);
    if (fork() == 0)
        first(shared, ends);
    for (int i = 0; i < OTHERS; i++)
        if (fork() == 0)
            other(shared, i, ends);
    close(ends[1]);
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < OTHERS; i++)
        most += shared->calls[i] == MOST;
    printf("%d\n", most);
    return 0;
}
