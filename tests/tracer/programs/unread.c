/* Executes argument 1 by a path that is in no page of this process until the kernel reads it; with
 * execveat if there is an argument 2. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words)
{
	char *after[] = {words[1], NULL}, *none[] = {NULL}, *path;
	int file = memfd_create("path", MFD_CLOEXEC);

	if (write(file, words[1], strlen(words[1]) + 1) < 0)
		return 1;
	path = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	if (count > 2)
		syscall(SYS_execveat, AT_FDCWD, path, after, none, 0);
	else
		execve(path, after, none);
	return 2;
}
