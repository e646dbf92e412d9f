/*
 * Answers its own calls of read on the first descriptor and of sendfile with the numbers that it is
 * given, in turn; a seccomp filter hands the calls to a thread.
 */
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listener;
static char **numbers;

static void *answer(void *nothing)
{
	for (int calls = 0;; calls++) {
		struct seccomp_notif asked = {0};
		struct seccomp_notif_resp given = {0};

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			return nothing;
		given.id = asked.id;
		/* Each number is for a read and a sendfile. */
		given.val = strtoll(numbers[calls / 2], NULL, 0);
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &given))
			return nothing;
	}
}

static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_sendfile, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_read, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDIN_FILENO, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		       &program);
}

int main(int count, char **arguments)
{
	pthread_t thread;
	char byte;

	numbers = arguments + 1;
	listener = filter();
	if (listener < 0 || pthread_create(&thread, NULL, answer, NULL)) {
		perror("cannot answer");
		return 1;
	}
	for (int each = 1; each < count; each++) {
		syscall(__NR_read, STDIN_FILENO, &byte, 1);
		syscall(__NR_sendfile, STDOUT_FILENO, STDIN_FILENO, NULL, 1);
	}
	return 0;
}
