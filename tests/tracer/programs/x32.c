/* Calls the kernel as a program of the x32 ABI does, which few kernels are built for. */
#include <sys/syscall.h>
#include <unistd.h>

#define X32 0x40000000

int main(void)
{
    for (int i = 0; i < 3; i++)
        syscall(X32 | SYS_getppid);
    for (int i = 0; i < 2; i++)
        syscall(SYS_getppid);
    return 0;
}
