/* A 32-bit program: its own numbers, argument widths and layouts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    char buffer[256];
    int pipes[2], pair[2];
    struct stat status;
    struct rlimit limit;
    struct timespec pause = {0, 1000};
    struct timeval patience = {0, 1000};
    struct iovec parts[2] = {{"one", 3}, {"two", 3}};
    struct sockaddr_un place = {AF_UNIX, "/no/such/socket"};
    fd_set set;
    sigset_t mask;

    int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (read(file, buffer, 4) != 4 || lseek(file, 2, SEEK_SET) != 2)
        return 2;
    /* Offsets of 64 bits take two arguments. */
    syscall(SYS_pread64, file, buffer, 4, 1, 0);
    syscall(SYS__llseek, file, 0, 3, buffer, SEEK_SET);
    syscall(SYS_fadvise64_64, file, 0, 0, 4096, 0, POSIX_FADV_RANDOM);
    stat("/etc/passwd", &status);
    syscall(SYS_fstat64, file, buffer, 0);
    fcntl(file, F_GETFL);
    close(file);
    open("/no/such/file", O_RDWR | O_CREAT, 0640);
    syscall(SYS_open, "/no/such/folder/file", O_RDONLY);
    access("/etc/passwd", R_OK);
    if (pipe(pipes))
        return 3;
    writev(pipes[1], parts, 2);
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    select(pipes[0] + 1, &set, NULL, NULL, &patience);
    nanosleep(&pause, NULL);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    /* SYS_SOCKET of socketcall, which older programs use for sockets. */
    unsigned long words[] = {AF_UNIX, SOCK_DGRAM, 0};
    syscall(SYS_socketcall, 1, words);
    connect(pair[0], (struct sockaddr *)&place, sizeof place);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    getrlimit(RLIMIT_NOFILE, &limit);
    syscall(SYS_getuid32);
    syscall(SYS_getuid);
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    return write(pipes[1], "end\n", 4) == 4 ? 5 : 4;
}
