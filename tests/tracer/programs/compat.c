/* A 64-bit program that uses the 32-bit interface, where 20 is getpid and not writev. */
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        long result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
        if (result != getpid())
            return 1;
    }
    return 0;
}
