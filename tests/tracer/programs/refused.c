/*
 * Installs a filter that refuses getppid(), and calls it three times.  With the name of a call and a
 * command, installs a filter that refuses the call, and executes the command.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    int call = SYS_getppid;
    if (count > 1 && !strcmp(words[1], "bpf"))
        call = SYS_bpf;
    if (count > 1 && !strcmp(words[1], "ptrace"))
        call = SYS_ptrace;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (count > 2) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        execvp(words[2], words + 2);
        return 127;
    }
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    syscall(SYS_getppid);
    if (!fork()) {
        syscall(SYS_getppid);
        _exit(0);
    }
    wait(0);
    return syscall(SYS_getppid) == -1 && errno == EPERM ? 0 : 1;
}
