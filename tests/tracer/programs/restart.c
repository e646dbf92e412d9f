/* Signals interrupt calls: one is restarted, one is resumed, one fails with EINTR. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int caught;
/* Shared with the child: how many signals are requested. */
static volatile int *wanted;
static int ends[2];

static void handler(int number)
{
    (void)number;
    if (++caught == 1)
        if (write(ends[1], "x", 1) != 1)
            _exit(9);
}

static void handle(int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGALRM, &action, NULL);
}

/* Returns the state of a process, with a call that is not used elsewhere. */
static char state_of(int stat)
{
    char text[256];
    struct iovec whole = {text, sizeof text};
    ssize_t length = preadv(stat, &whole, 1, 0);
    char *end = length > 0 ? memrchr(text, ')', length) : NULL;
    return end ? end[2] : '?';
}

/* A process that sleeps after it has asked for a signal is within the call that the signal is for:
   a timer could only guess when that is. */
static int interrupt(pid_t parent)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", parent);
    int stat = open(path, O_RDONLY);
    for (int sent = 0; sent < 3; sent++) {
        /* In this order: before it asked, it may have slept in the call before. */
        int asked = *wanted;
        char state = state_of(stat);
        while (asked == sent || state != 'S') {
            if (state == 'Z' || state == '?')
                return 1;
            sched_yield();
            asked = *wanted;
            state = state_of(stat);
        }
        kill(parent, SIGALRM);
    }
    return 0;
}

int main(void)
{
    char byte;
    int status;
    struct timespec long_time = {1000, 0};
    wanted = mmap(NULL, sizeof *wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (wanted == MAP_FAILED || pipe(ends))
        return 1;
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        _exit(interrupt(parent));
    /* SIGCHLD is not one of the requested signals. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    handle(SA_RESTART);
    *wanted = 1;
    if (read(ends[0], &byte, 1) != 1 || caught != 1)
        return 2;
    handle(0);
    *wanted = 2;
    if (syscall(SYS_nanosleep, &long_time, NULL) != -1 || errno != EINTR || caught != 2)
        return 3;
    *wanted = 3;
    if (read(ends[0], &byte, 1) != -1 || errno != EINTR || caught != 3)
        return 4;
    signal(SIGALRM, SIG_DFL);
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 5;
}
