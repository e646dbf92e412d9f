/* A child stops itself; its parent sees that it stays stopped, lets it go on, and sees it end. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    /* A signal that arrives within wait makes the kernel begin it anew: a further call, by chance. */
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
        /* A child that has ended hides that it went on: it waits until that was seen. */
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
