/* Sleeps for 1 to 60 ms in a mixed order, among 3000 fast calls. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    for (int i = 1; i <= 60; i++) {
        struct timespec duration = {.tv_nsec = (i * 37 % 61) * 1000000L};

        nanosleep(&duration, NULL);
        for (int j = 0; j < 50; j++)
            syscall(SYS_getppid);
    }
    return 0;
}
