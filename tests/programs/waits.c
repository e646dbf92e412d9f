/* Makes calls whose records are hard to read: annotated results, restarts, signals, odd strings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void ignore(int signal) { (void)signal; }

static void alarm_in(long microseconds, int flags)
{
    struct sigaction action = {.sa_handler = ignore, .sa_flags = flags};
    /* Again and again: a slow tracer may let the first one pass before the call that it is for. */
    struct itimerval timer = {.it_interval = {.tv_usec = 20000}, .it_value = {.tv_usec = microseconds}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void no_alarm(void)
{
    struct itimerval none = {0};

    setitimer(ITIMER_REAL, &none, NULL);
}

static void interrupted(void)
{
    struct timespec moment = {.tv_nsec = 20000000};
    int ends[2];
    char byte;

    alarm_in(2000, SA_RESTART);
    nanosleep(&moment, NULL); /* EINTR, by way of ERESTART_RESTARTBLOCK */
    alarm_in(2000, 0);
    pause(); /* ERESTARTNOHAND */
    no_alarm();
    pipe(ends);
    alarm_in(2000, 0);
    read(ends[0], &byte, 1); /* ERESTARTSYS that becomes EINTR */
    alarm_in(2000, SA_RESTART);
    if (!fork()) {
        moment.tv_nsec = 10000000;
        nanosleep(&moment, NULL);
        write(ends[1], "x", 1);
        _exit(0);
    }
    read(ends[0], &byte, 1); /* ERESTARTSYS that is restarted */
    wait(NULL);
    no_alarm();
}

static void annotated(void)
{
    struct timeval timeout = {.tv_usec = 1000};
    struct pollfd polled = {.events = POLLIN};
    fd_set set;
    int ends[2];

    pipe2(ends, O_CLOEXEC);
    polled.fd = ends[0];
    poll(&polled, 1, 1);
    write(ends[1], ") = 7 <0.000001>\n\"\\\" <unfinished ...>\0\377", 40);
    poll(&polled, 1, -1);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, &timeout);
    FD_ZERO(&set);
    select(0, NULL, NULL, NULL, &timeout);
    fcntl(ends[1], F_GETFL);
    fcntl(ends[1], F_GETFD);
    close(memfd_create("a) = 1 <0.5>", 0));
    close(open("/tmp", O_TMPFILE | O_RDWR, 0600));
    close(open("/dev/null", O_RDONLY));
    open("/nope/\303\244\n\"(<->", O_RDONLY);
    creat("/nope/x", 0644);
}

static void killed(void)
{
    int ends[2];
    char byte;
    pid_t child;

    pipe(ends);
    child = fork();
    if (!child) {
        read(ends[0], &byte, 1);
        _exit(1);
    }
    usleep(3000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    annotated();
    interrupted();
    killed();
    return 0;
}
