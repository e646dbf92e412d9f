/* vfork and execve, ten times. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    /* A signal during wait makes the kernel restart it: a further call, by chance. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    for (int i = 0; i < 10; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
