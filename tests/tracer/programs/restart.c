/* Signals interrupt calls: one is restarted, one goes on, one fails with EINTR. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int caught;
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

/* Long enough for the next call to be waiting by then, however busy the machine is. */
static void alarm_soon(void)
{
    struct itimerval soon = {{0, 0}, {0, 200 * 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
}

int main(void)
{
    char byte;
    struct timespec moment = {10, 0};
    if (pipe(ends))
        return 1;
    handle(SA_RESTART);
    alarm_soon();
    if (read(ends[0], &byte, 1) != 1 || caught != 1)
        return 2;
    handle(0);
    alarm_soon();
    if (syscall(SYS_nanosleep, &moment, NULL) != -1 || errno != EINTR || caught != 2)
        return 3;
    alarm_soon();
    if (read(ends[0], &byte, 1) != -1 || errno != EINTR || caught != 3)
        return 4;
    signal(SIGALRM, SIG_DFL);
    return 0;
}
