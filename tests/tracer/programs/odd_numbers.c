/* Numbers that are invalid, of other ABIs, or lost at the exit of the call. */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32 0x40000000L

static void on_signal(int number)
{
	(void)number;
	syscall(-1L);
}

static void call_32_bit_kernel(long number)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number) : "memory", "r8", "r9", "r10", "r11");
}

int main(void)
{
	int round;

	signal(SIGUSR1, on_signal);
	for (round = 0; round < 3; round++) {
		syscall(-1L);
		syscall(0xffffffffL);
		syscall(-2L);
		syscall(1000L);
		syscall(0x100000000L | SYS_getppid); /* the kernel uses only the lower half */
		syscall(X32 | SYS_getpid);
		syscall(X32 | 520);
		syscall(X32 | 2000);
		call_32_bit_kernel(-1);
		call_32_bit_kernel(1000);
		raise(SIGUSR1);
	}
	return 0;
}
