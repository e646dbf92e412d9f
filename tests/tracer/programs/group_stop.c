/* A child stops itself; its parent checks that it stays stopped, continues it, and waits. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    /* A signal during wait makes the kernel restart it: a further call, by chance. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int status, gate[2];
    if (pipe(gate) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(gate[1]);
        raise(SIGSTOP);
        /* The end of a child hides that it was continued, so it waits until that was reported. */
        read(gate[0], &status, 1);
        _exit(5);
    }
    if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
        return 1;
    struct timespec moment = {0, 100 * 1000 * 1000};
    nanosleep(&moment, NULL);
    if (waitpid(child, &status, WNOHANG) != 0)
        return 2; /* It did not stay stopped. */
    kill(child, SIGCONT);
    if (waitpid(child, &status, WCONTINUED) != child || !WIFCONTINUED(status))
        return 3;
    close(gate[1]);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
        return 4;
    return 0;
}
