/* Waits 20 times on an empty socket, for 5 ms each, and makes 2000 calls that never wait. */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

int main(void)
{
    struct timeval limit = {.tv_usec = 5000};
    int ends[2];
    char byte;

    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (int i = 0; i < 2000; i++)
        syscall(SYS_getppid);
    for (int i = 0; i < 20; i++)
        recvfrom(ends[0], &byte, 1, 0, NULL, NULL);
    return 0;
}
