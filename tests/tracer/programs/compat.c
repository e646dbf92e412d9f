/* A 64-bit program that calls the 32-bit kernel: 20 is getpid there and writev here. */
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
