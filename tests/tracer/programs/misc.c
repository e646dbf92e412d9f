/* Does one unusual thing, named by its argument, and then continues normally. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "close-all"))
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
    else if (!strcmp(what, "deathsig"))
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    else if (!strcmp(what, "name"))
        prctl(PR_SET_NAME, "hunter");
    else if (!strcmp(what, "ptrace"))
        return ptrace(PTRACE_TRACEME, 0, 0, 0) == -1 && errno == EPERM ? 0 : 1;
    else if (!strcmp(what, "abort"))
        kill(getpid(), SIGABRT);
    else if (!strcmp(what, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(what, "signals")) {
        for (int number = 1; number < 32; number++) {
            struct sigaction action;
            sigaction(number, NULL, &action);
            if (action.sa_handler != SIG_DFL)
                return number;
        }
        sigset_t blocked;
        sigprocmask(SIG_SETMASK, NULL, &blocked);
        for (int number = 1; number < 32; number++)
            if (sigismember(&blocked, number))
                return 100 + number;
    } else if (!strcmp(what, "descriptors")) {
        for (int fd = 3; fd < 1024; fd++)
            if (syscall(SYS_fcntl, fd, 1, 0) != -1)
                return fd;
    } else if (!strcmp(what, "uid")) {
        if (setuid(65534) || syscall(SYS_getuid) != 65534)
            return 1;
    }
    syscall(SYS_getppid);
    return 0;
}
