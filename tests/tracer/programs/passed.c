/* Reads files by descriptors that were duplicated, inherited, sent over a socket and shared.
 * The arguments are five files; so many bytes are read as the number of the file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBER 40

static char bytes[8];
static char **files;

static void *in_thread(void *unused)
{
    /* The other thread opened it and this one closes it. */
    read(NUMBER, bytes, 4);
    close(NUMBER);
    return unused;
}

static void send_one(int socket, int descriptor)
{
    union {
        char space[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {0};
    struct iovec data = {.iov_base = bytes, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1,
                             .msg_control = control.space, .msg_controllen = sizeof control.space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    sendmsg(socket, &message, 0);
}

static int receive_one(int socket)
{
    union {
        char space[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec data = {.iov_base = bytes, .iov_len = 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1,
                             .msg_control = control.space, .msg_controllen = sizeof control.space};
    int descriptor;

    recvmsg(socket, &message, 0);
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

int main(int argc, char **argv)
{
    int ends[2];
    pthread_t thread;

    files = argv + 1;
    if (argc == 2) { /* Executed: one descriptor was inherited, the other one was closed. */
        if (fcntl(NUMBER, F_GETFD) >= 0)
            return 1;
        return read(NUMBER + 1, bytes, 5) != 5;
    }
    dup2(open(files[0], O_RDONLY), NUMBER);
    read(NUMBER, bytes, 1);
    dup2(open(files[1], O_RDONLY), NUMBER); /* Another file, under the same number. */
    if (!fork()) {
        read(NUMBER, bytes, 2);
        dup2(open(files[2], O_RDONLY), NUMBER); /* In the child only. */
        read(NUMBER, bytes, 3);
        _exit(0);
    }
    wait(NULL);
    read(NUMBER, bytes, 2);
    dup2(open(files[3], O_RDONLY), NUMBER);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    if (!fork()) {
        read(receive_one(ends[1]), bytes, 5);
        _exit(0);
    }
    send_one(ends[0], open(files[4], O_RDONLY));
    wait(NULL);
    dup3(open(files[0], O_RDONLY), NUMBER, O_CLOEXEC);
    dup2(open(files[4], O_RDONLY), NUMBER + 1);
    execl(argv[0], argv[0], "executed", (char *)NULL);
    return 1;
}
