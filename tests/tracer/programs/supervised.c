/*
 * Lets a thread answer calls that the filter of another thread passes to it: getppid succeeds, getpgid
 * fails, getsid is made after all.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listener = -1;

static void *supervises(void *unused)
{
    while (*(volatile int *)&listener < 0)
        usleep(1000);
    for (int i = 0; i < 3; i++) {
        struct seccomp_notif request = {0};
        struct seccomp_notif_resp response = {0};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
            return unused;
        response.id = request.id;
        if (request.data.nr == SYS_getppid)
            response.val = 42;
        else if (request.data.nr == SYS_getpgid)
            response.error = -EACCES;
        else
            response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
    return unused;
}

int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    pthread_t thread;

    pthread_create(&thread, 0, supervises, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                       &program);
    if (listener < 0)
        return 1;
    if (syscall(SYS_getppid) != 42 || syscall(SYS_getpgid, 0) != -1 || errno != EACCES)
        return 2;
    if (syscall(SYS_getsid, 0) < 0) /* 0: the session began in another PID namespace */
        return 3;
    pthread_join(thread, 0);
    return 0;
}
