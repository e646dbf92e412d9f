/* Writes to two files by way of descriptors whose meaning changes.
 * The arguments are the way and the files; the first file gets single bytes, the second one pairs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 1000
#define SLOT 20

static const char *first, *second;
static int flags = O_WRONLY | O_CREAT | O_APPEND;

static void one(int fd) { write(fd, "x", 1); }
static void two(int fd) { write(fd, "yy", 2); }

static void reuse(void)
{
    for (int i = 0; i < TIMES; i++) {
        int fd = open(first, flags, 0600);
        one(fd);
        close(fd);
        fd = open(second, flags, 0600);
        two(fd);
        close(fd);
    }
}

static void replace(void)
{
    int a = open(first, flags, 0600), b = open(second, flags, 0600);
    for (int i = 0; i < TIMES; i++) {
        dup2(a, SLOT);
        one(SLOT);
        dup3(b, SLOT, O_CLOEXEC);
        two(SLOT);
    }
    /* A failed call changes nothing. */
    dup2(-1, SLOT);
    two(SLOT);
    dup2(fcntl(a, F_DUPFD, SLOT + 5), SLOT);
    one(SLOT);
}

static void send_fd(int socket, int fd)
{
    char data = 'd', control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&data, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    sendmsg(socket, &message, 0);
}

static int receive_fd(int socket)
{
    int fd = -1;
    char data, control[CMSG_SPACE(sizeof fd)];
    struct iovec part = {&data, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, 0) > 0)
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

static void rights(void)
{
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (!fork()) {
        for (int i = 0; i < TIMES; i++) {
            int fd = open(i % 2 ? second : first, flags, 0600);
            send_fd(pair[1], fd);
            close(fd);
        }
        _exit(0);
    }
    for (int i = 0; i < TIMES; i++) {
        int fd = receive_fd(pair[0]);
        i % 2 ? two(fd) : one(fd);
        close(fd);
    }
    wait(NULL);
}

static void ranges(void)
{
    for (int i = 0; i < TIMES; i++) {
        int fd = open(first, flags, 0600);
        one(fd);
        syscall(SYS_close_range, fd, ~0u, 0);
        fd = open(second, flags, 0600);
        two(fd);
        syscall(SYS_close_range, fd, ~0u, 0);
    }
}

static void share(void)
{
    /* The child opens a file for its parent. */
    if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)) {
        dup2(open(first, flags, 0600), SLOT);
        _exit(0);
    }
    wait(NULL);
    one(SLOT);
    /* This one has a table of its own. */
    if (!fork()) {
        dup2(open(second, flags, 0600), SLOT);
        two(SLOT);
        _exit(0);
    }
    wait(NULL);
    one(SLOT);
    /* So has this one, once it has left the table of its parent. */
    if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)) {
        unshare(CLONE_FILES);
        dup2(open(second, flags, 0600), SLOT);
        two(SLOT);
        _exit(0);
    }
    wait(NULL);
    one(SLOT);
}

static void execute(char **argv)
{
    int a = open(first, flags, 0600), b = open(second, flags, 0600);
    dup3(a, SLOT, O_CLOEXEC);
    dup2(b, SLOT + 1);
    one(SLOT);
    two(SLOT + 1);
    argv[1] = "executed";
    execv("/proc/self/exe", argv);
}

static void executed(void)
{
    /* This one was closed, so it is free. */
    dup2(open(second, flags, 0600), SLOT);
    two(SLOT);
    two(SLOT + 1);
    one(open(first, flags, 0600));
}

int main(int argc, char **argv)
{
    const char *way = argc == 4 ? argv[1] : "";
    first = argv[2];
    second = argv[3];
    if (!strcmp(way, "reuse"))
        reuse();
    else if (!strcmp(way, "replace"))
        replace();
    else if (!strcmp(way, "rights"))
        rights();
    else if (!strcmp(way, "ranges"))
        ranges();
    else if (!strcmp(way, "share"))
        share();
    else if (!strcmp(way, "execute"))
        execute(argv);
    else if (!strcmp(way, "executed"))
        executed();
    else
        return 1;
    return 0;
}
