/* Waits for 50 pipes, ten times by poll and ten times by epoll; the same one is always written to,
 * 10 ms later.  Its descriptors are 70 and 71.  Then each waits 10 ms in vain. */
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIPES 50
#define SLOW 33
#define READ 70
#define WRITE 71

static void write_slowly(void)
{
    for (int i = 0; i < 20; i++) {
        usleep(10000);
        write(WRITE, "x", 1);
    }
    _exit(0);
}

int main(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd polled[PIPES];
    int epoll = epoll_create1(0), ends[2];
    char byte;

    for (int i = 0; i < PIPES; i++) {
        pipe(ends);
        if (i == SLOW) {
            dup2(ends[0], READ);
            dup2(ends[1], WRITE);
            ends[0] = READ;
        }
        polled[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
        /* Not the descriptor: that is for the program to choose. */
        event.data.u64 = (uintptr_t)&polled[i];
        epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
    }
    if (!fork())
        write_slowly();
    for (int i = 0; i < 10; i++) {
        poll(polled, PIPES, -1);
        read(READ, &byte, 1);
    }
    for (int i = 0; i < 10; i++) {
        epoll_wait(epoll, &event, 1, -1);
        read(READ, &byte, 1);
    }
    wait(NULL);
    poll(polled, PIPES, 10);
    epoll_wait(epoll, &event, 1, 10);
    return 0;
}
