/*
 * Creates processes with the same PID, one after the other: two children; or with an argument, this
 * process and, when it has ended, a grandchild.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fork with a given PID, in a new namespace, where only the tracer may create another thread at that
 * moment: then try again. */
static int fork_as(int pid)
{
    int child, tries = 100;

    do {
        FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
        fprintf(last, "%d", pid - 1);
        fclose(last);
        child = fork();
        if (!child && getpid() != pid)
            _exit(8);
    } while (child && child != pid && waitpid(child, NULL, 0) && --tries);
    return child;
}

int main(int count, char **words)
{
    int status, first = getpid(), child;
    (void)words;
    if (count > 1) {
        if (fork())
            return 3;
        while (!kill(first, 0))
            usleep(1000);
    } else {
        first = fork();
        if (!first) {
            getppid();
            _exit(1);
        }
        waitpid(first, &status, 0);
    }
    child = fork_as(first);
    if (!child) {
        getppid();
        getppid();
        _exit(2);
    }
    waitpid(child, &status, 0);
    return child == first ? 0 : 9;
}
