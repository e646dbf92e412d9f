/* As many processes as the argument, up to 20 at a time; every fifth creates another one. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(int index)
{
    getppid();
    if (index % 5 == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(1);
        waitpid(grandchild, NULL, 0);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    /* A SIGCHLD during fork makes the kernel restart it, which is a further call. */
    sigset_t signals;
    sigfillset(&signals);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int count = argc > 1 ? atoi(argv[1]) : 100;
    for (int begun = 0; begun < count; begun += 20) {
        for (int i = 0; i < 20; i++)
            if (fork() == 0)
                child(i);
        for (int i = 0; i < 20; i++)
            waitpid(-1, NULL, 0);
    }
    return 0;
}
