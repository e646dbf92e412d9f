/* Makes the calls whose arguments rules depend on, in a child and in threads, too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void *in_thread(void *unused)
{
    int waiting;
    ioctl(0, FIONREAD, &waiting);
    /* Only the lower half of the register counts. */
    long above = sizeof(long) == 8 ? ~0xffffffffL : 0;
    syscall(SYS_prctl, above | PR_GET_DUMPABLE, 0, 0, 0, 0);
    return unused;
}

#if defined(__x86_64__)
static void with_other_interface(void)
{
    long result;
    /* socketcall and prctl of i386. */
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(102), "b"(1), "c"(0)
                     : "memory", "r8", "r9", "r10", "r11");
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(172), "b"(PR_GET_DUMPABLE)
                     : "memory", "r8", "r9", "r10", "r11");
}
#else
static void with_other_interface(void) {}
#endif

int main(int count, char **arguments)
{
    int pair[2], value = 1;
    socklen_t length = sizeof value;
    pthread_t threads[3];

    int internet = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    socket(AF_NETLINK, SOCK_RAW, 15);
    socket(77, 5, -1);
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair);
    setsockopt(internet, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value);
    setsockopt(internet, IPPROTO_TCP, 1, &value, sizeof value);
    getsockopt(internet, SOL_SOCKET, SO_ERROR, &value, &length);
    for (int i = 0; i < 5; i++)
        fcntl(internet, F_GETFD);
    fcntl(internet, F_SETFL, O_NONBLOCK);
    fcntl(internet, F_DUPFD_CLOEXEC, 100);
    ioctl(internet, TIOCGWINSZ, pair);
    ioctl(-1, 0xdeadbeef, 0);
    personality(0xffffffff);
    char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_pkey_mprotect, memory, 4096L, PROT_READ, -1L);
    shmat(-1, 0, SHM_RDONLY | SHM_EXEC);
    syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3L, 0L);
    syscall(SYS_bpf, 99L, 0L, 0L);
    syscall(SYS_unshare, 0L);
    setns(-1, CLONE_NEWNET);
    (void)arguments;
    if (count == 1)
        with_other_interface();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, in_thread, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    if (!fork()) {
        prctl(PR_SET_NAME, "renamed");
        unshare(CLONE_FS);
        _exit(0);
    }
    wait(0);
    /* The flags of a refused namespace are evidence, too; without a stack, no child runs. */
    syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | CLONE_THREAD | 17L, 0L, 0L, 0L, 0L);
    return 0;
}
