/*
 * Lets a filter refuse getppid: by a signal that is handled (trap), by the end of the process
 * (process), or by that of one of its threads (thread).
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handled(int number)
{
    (void)number;
}

static void *refused(void *unused)
{
    syscall(SYS_getppid);
    return unused;
}

static void *waits(void *unused)
{
    pause();
    return unused;
}

int main(int count, char **arguments)
{
    unsigned action = SECCOMP_RET_TRAP;
    pthread_t thread;

    if (count > 1 && !strcmp(arguments[1], "process"))
        action = SECCOMP_RET_KILL_PROCESS;
    if (count > 1 && !strcmp(arguments[1], "thread"))
        action = SECCOMP_RET_KILL_THREAD;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    signal(SIGSYS, handled);
    syscall(SYS_getppid);
    pthread_create(&thread, 0, waits, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    pthread_create(&thread, 0, refused, 0);
    usleep(300000);
    if (action == SECCOMP_RET_TRAP)
        syscall(SYS_getppid);
    return 0;
}
