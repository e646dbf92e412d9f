/* Writes everything that is inherited across execve to the file named by its argument. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define SIGNALS 64
#define DESCRIPTORS 1024

extern char **environ;
/* Read from the kernel: the C library hides two signals that it uses itself. */
struct action {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask;
};
static char *text;
static size_t length;
static FILE *out;

static void say_link(const char *name, const char *path)
{
    char target[PATH_MAX] = "";
    if (readlink(path, target, sizeof target - 1) < 0)
        strcpy(target, "refused");
    fprintf(out, "%s\t%s\n", name, target);
}

static void say_lines(const char *name, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    for (int number = 0; fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\n")] = 0;
        char *colon = strchr(line, ':');
        if (strcmp(name, "status") == 0 && colon) {
            *colon = 0;
            fprintf(out, "%s %s\t%s\n", name, line, colon + 1);
        } else {
            fprintf(out, "%s %d\t%s\n", name, number, line);
        }
    }
    fclose(file);
}

static void say_descriptors(void)
{
    char name[64], path[64];
    for (int number = 0; number < DESCRIPTORS; number++) {
        int flags = fcntl(number, F_GETFD);
        if (flags < 0)
            continue;
        snprintf(name, sizeof name, "descriptor %d", number);
        snprintf(path, sizeof path, "/proc/self/fd/%d", number);
        say_link(name, path);
        fprintf(out, "descriptor %d has\t%x %x\n", number, flags, fcntl(number, F_GETFL));
        fprintf(out, "offset %d\t%ld\n", number, (long)lseek(number, 0, SEEK_CUR));
    }
}

static void say_signals(void)
{
    struct action action;
    unsigned long mask = 0;
    for (int number = 1; number <= SIGNALS; number++) {
        syscall(SYS_rt_sigaction, number, NULL, &action, 8);
        fprintf(out, "signal %d\t%p %lx\n", number, action.handler, action.flags);
    }
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
    fprintf(out, "blocked\t%lx\n", mask);
    syscall(SYS_rt_sigpending, &mask, 8);
    fprintf(out, "pending\t%lx\n", mask);
}

static void say_limits(void)
{
    struct rlimit limit;
    for (int number = 0; number < RLIM_NLIMITS; number++)
        if (getrlimit(number, &limit) == 0)
            fprintf(out, "limit %d\t%llx %llx\n", number, (unsigned long long)limit.rlim_cur,
                    (unsigned long long)limit.rlim_max);
}

static void say_attributes(void)
{
    static const struct {
        const char *name;
        int option;
    } plain[] = {
        {"dumpable", PR_GET_DUMPABLE},         {"keepcaps", PR_GET_KEEPCAPS},
        {"securebits", PR_GET_SECUREBITS},     {"timer slack", PR_GET_TIMERSLACK},
        {"no new privileges", PR_GET_NO_NEW_PRIVS}, {"huge pages", PR_GET_THP_DISABLE},
        {"machine checks", PR_MCE_KILL_GET},   {"timing", PR_GET_TIMING},
        {"writes back", 58 /* PR_GET_IO_FLUSHER */},
    };
    int number = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        fprintf(out, "%s\t%d\n", plain[i].name, prctl(plain[i].option, 0, 0, 0, 0));
    prctl(PR_GET_CHILD_SUBREAPER, &number);
    fprintf(out, "subreaper\t%d\n", number);
    prctl(PR_GET_TSC, &number);
    fprintf(out, "time stamp counter\t%d\n", number);
    fprintf(out, "personality\t%x\n", personality(0xffffffff));
    mode_t mask = umask(0);
    umask(mask);
    fprintf(out, "umask\t%o\n", mask);
    fprintf(out, "nice\t%d\n", getpriority(PRIO_PROCESS, 0));
    fprintf(out, "io priority\t%ld\n", syscall(SYS_ioprio_get, 1, 0));
    unsigned scheduling[16] = {0};
    syscall(SYS_sched_getattr, 0, scheduling, sizeof scheduling, 0);
    fprintf(out, "scheduling\t%x %x %x %x\n", scheduling[1], scheduling[2], scheduling[4],
            scheduling[5]);
    /* KEYCTL_GET_KEYRING_ID of the thread, the process and the session. */
    for (int ring = -1; ring >= -3; ring--)
        fprintf(out, "keyring %d\t%ld\n", ring, syscall(SYS_keyctl, 0, ring, 0));
    fprintf(out, "secure\t%ld\n", (long)getauxval(AT_SECURE));
    for (int which = 0; which < 3; which++) {
        struct itimerval timer;
        getitimer(which, &timer);
        fprintf(out, "timer %d\t%ld\n", which, (long)timer.it_value.tv_sec);
    }
}

static void say_place(void)
{
    static const char *const links[] = {"cwd",       "root",   "exe",    "ns/cgroup", "ns/ipc",
                                        "ns/mnt",    "ns/net", "ns/pid", "ns/time",   "ns/user",
                                        "ns/uts",    "ns/pid_for_children",
                                        "ns/time_for_children"};
    static const char *const files[] = {"cgroup",      "oom_score_adj", "coredump_filter",
                                        "loginuid",    "sessionid",     "timerslack_ns",
                                        "attr/current", "comm",         "setgroups",
                                        "uid_map",      "autogroup"};
    char path[64];
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(path, sizeof path, "/proc/self/%s", links[i]);
        say_link(links[i], path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/self/%s", files[i]);
        say_lines(files[i], path);
    }
    fprintf(out, "group\t%s\n", getpgrp() == getpid() ? "its own" : "another");
    fprintf(out, "group leads session\t%d\n", getpgrp() == getsid(0));
    fprintf(out, "session is its own\t%d\n", getsid(0) == getpid());
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    fprintf(out, "terminal\t%s\n", terminal < 0 ? "none" : "there");
    if (terminal >= 0) {
        fprintf(out, "foreground\t%d\n", tcgetpgrp(terminal) == getpgrp());
        close(terminal);
    }
}

int main(int count, char **words)
{
    out = open_memstream(&text, &length);
    say_descriptors();
    say_signals();
    say_lines("status", "/proc/self/status");
    say_limits();
    say_attributes();
    say_place();
    for (char **variable = environ; *variable; variable++)
        fprintf(out, "variable %zd\t%s\n", variable - environ, *variable);
    for (int i = 2; i < count; i++)
        fprintf(out, "word %d\t%s\n", i, words[i]);
    fclose(out);
    int file = open(words[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return write(file, text, length) == (ssize_t)length ? 7 : 1;
}
