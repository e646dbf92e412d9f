/* Uses the x32 ABI, which few kernels support. */
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
