/* Threads that are blocked in a read of a descriptor while another thread closes it, and opens a file by
 * the same number.  The read continues with the pipe. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asleep.h"

#define TIMES 20
#define BYTES 8

static int ends[2];
static atomic_int reader;

static void *read_pipe(void *unused)
{
    char bytes[BYTES];

    reader = syscall(SYS_gettid);
    return (void *)read(ends[0], bytes, sizeof bytes);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < TIMES; i++) {
        char bytes[BYTES] = "";
        pthread_t thread;
        void *result;
        int file;

        reader = 0;
        if (pipe(ends) || pthread_create(&thread, NULL, read_pipe, NULL))
            exit(1);
        while (!reader)
            ;
        await_sleep(reader);
        close(ends[0]);
        file = open(argv[argc - 1], O_RDONLY);
        if (file != ends[0] || read(file, bytes, 1) != 1)
            exit(2);
        if (write(ends[1], bytes, sizeof bytes) != sizeof bytes)
            exit(3);
        pthread_join(thread, &result);
        if ((long)result != BYTES)
            exit(4);
        close(file);
        close(ends[1]);
    }
    return 0;
}
