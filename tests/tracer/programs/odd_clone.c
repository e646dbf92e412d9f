/* Children created in unusual ways; with an argument, one that cannot be followed. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long make(unsigned long flags)
{
    long pid = syscall(SYS_clone, flags, 0, 0, 0, 0);
    if (pid == 0) {
        syscall(SYS_getppid);
        _exit(0);
    }
    return pid;
}

int main(int argc, char **argv)
{
    (void)argv;
    /* A signal during wait makes the kernel restart it: a further call, by chance. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGUSR2, SIG_IGN);
    make(0); /* No signal when it ends: the kernel reports a clone. */
    waitpid(-1, NULL, __WALL);
    make(SIGUSR2);
    waitpid(-1, NULL, __WALL);
    make(CLONE_VFORK | SIGCHLD);
    waitpid(-1, NULL, __WALL);
    if (argc > 1) {
        make(CLONE_UNTRACED | SIGCHLD);
        waitpid(-1, NULL, __WALL);
    }
    return 0;
}
