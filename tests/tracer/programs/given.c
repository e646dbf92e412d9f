/* Calls whose arguments point to memory that the kernel overwrites, to pointers, or to both. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static char long_text[300];
/* Written at run time: pages that a child has not accessed may not be in its memory. */
static char self[32], word[8], empty[8];

static void on_alarm(int number)
{
	(void)number;
}

static void wait_for_descriptors(int in, int out)
{
	struct timeval second = {1, 0};
	struct timespec same = {1, 0};
	struct pollfd polled[] = {{in, POLLIN, 0}, {out, POLLOUT, 0}};
	struct epoll_event event = {EPOLLIN, {.u64 = 7}}, happened[4];
	fd_set readable, writable;
	sigset_t none;
	int epoll;

	sigemptyset(&none);
	FD_ZERO(&readable);
	FD_ZERO(&writable);
	FD_SET(in, &readable);
	FD_SET(out, &writable);
	syscall(SYS_select, out + 1, &readable, &writable, NULL, &second);
	FD_SET(in, &readable);
	FD_SET(out, &writable);
	syscall(SYS_pselect6, out + 1, &readable, &writable, NULL, &same,
		(void *[]){&none, (void *)8});
	poll(polled, 2, 1000);
	ppoll(polled, 2, &same, &none);
	same = (struct timespec){0, 1000};
	polled[1].fd = -1;
	syscall(SYS_ppoll, polled, 2, &same, NULL, 8);
	syscall(SYS_ppoll, polled, 2, &same, NULL, 8);
	epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, out, &(struct epoll_event){EPOLLOUT, {.u64 = 7}});
	epoll_ctl(epoll, EPOLL_CTL_ADD, in, &event);
	epoll_wait(epoll, happened, 4, 100);
	close(epoll);
}

static void move_bytes(int from, int in, int out)
{
	char bytes[64];
	struct iovec parts[] = {{bytes, 3}, {bytes + 10, 5}, {bytes + 20, 8}};
	struct iovec here = {bytes, 5}, there = {long_text, 5};
	off_t at = 0;
	loff_t offset = 2;

	sendfile(out, from, &at, 5);
	sendfile(out, from, &at, 5);
	syscall(SYS_splice, from, &offset, out, NULL, 4, 0);
	readv(in, parts, 3);
	preadv(from, parts, 3, 1);
	writev(out, parts, 3);
	read(in, bytes, sizeof(bytes));
	pwrite(from, long_text, 40, 0);
	process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	readlink("/proc/self/fd/0", bytes, sizeof(bytes));
	strcpy(bytes, "/proc/self/exe");
	syscall(SYS_readlink, bytes, bytes, sizeof(bytes));
	fsetxattr(from, "user.name", long_text, 100, 0);
	fgetxattr(from, "user.name", bytes, sizeof(bytes));
}

static void talk(void)
{
	struct sockaddr_un name = {AF_UNIX, "\0syswatch-given"}, found;
	struct sockaddr_storage peer;
	socklen_t length = sizeof(peer);
	char first[40] = "", second[40] = "", control[64];
	struct iovec parts[] = {{"one", 3}, {long_text, 50}}, places[] = {{first, 2}, {second, 40}};
	struct msghdr given = {.msg_iov = parts, .msg_iovlen = 2};
	struct msghdr taken = {.msg_name = &peer, .msg_namelen = sizeof(peer), .msg_iov = places,
			       .msg_iovlen = 2, .msg_control = control, .msg_controllen = 64};
	struct mmsghdr many[2] = {{.msg_hdr = given}, {.msg_hdr = given}};
	struct timespec patience = {1, 0};
	struct ucred credentials;
	int pair[2], listener, client, server, on = 1;

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	sendmsg(pair[0], &given, 0);
	recvmsg(pair[1], &taken, 0);
	sendmmsg(pair[0], many, 2, 0);
	many[0].msg_hdr = many[1].msg_hdr = taken;
	many[0].msg_hdr.msg_controllen = many[1].msg_hdr.msg_controllen = 0;
	syscall(SYS_recvmmsg, pair[1], many, 2, 0, &patience);
	setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	length = sizeof(credentials);
	getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &credentials, &length);
	ioctl(pair[0], FIONREAD, &on);
	ioctl(pair[0], FIONBIO, &on);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listener, (void *)&name, 2 + 15);
	listen(listener, 1);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(client, (void *)&name, 2 + 15);
	length = sizeof(peer);
	server = accept(listener, (void *)&peer, &length);
	length = sizeof(found);
	getsockname(listener, (void *)&found, &length);
	length = 9;
	getpeername(client, (void *)&found, &length);
	send(client, "text", 4, 0);
	length = sizeof(found);
	recvfrom(server, first, sizeof(first), 0, (void *)&found, &length);
}

static void *nothing(void *argument)
{
	return argument;
}

static void ask_about_processes(void)
{
	struct timespec same = {5, 0};
	struct itimerval soon = {{0, 0}, {0, 20000}};
	struct sigaction action = {.sa_handler = on_alarm}, old;
	struct rlimit limits;
	gid_t groups[4] = {1, 2, 3, 4};
	sigset_t set;
	pthread_t thread;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, &old);
	sigaction(SIGUSR1, NULL, &action);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &set, 8L);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, &set, 8L);
	setitimer(ITIMER_REAL, &soon, NULL);
	nanosleep(&same, &same);
	same.tv_sec = 0;
	same.tv_nsec = 1000;
	nanosleep(&same, &same);
	getrlimit(RLIMIT_NOFILE, &limits);
	prlimit(0, RLIMIT_NOFILE, &limits, &limits);
	prctl(PR_SET_NAME, "renamed");
	setgroups(4, groups);
	getgroups(4, groups);
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	mount("nothing", "/no-such-folder", "tmpfs", 0, "size=1m");
}

static void use_terminal(int file)
{
	struct flock lock = {F_WRLCK, SEEK_SET, 1, 2, 0};
	struct termios settings;
	struct winsize size = {24, 80, 0, 0};
	int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY), zero = 0, number;

	ioctl(terminal, TIOCSPTLCK, &zero);
	ioctl(terminal, TIOCGPTN, &number);
	ioctl(terminal, TCGETS, &settings);
	ioctl(terminal, TIOCSWINSZ, &size);
	ioctl(terminal, TIOCGWINSZ, &size);
	fcntl(file, F_SETLK, &lock);
	fcntl(file, F_GETLK, &lock);
}

/* The kernel changes the position, so each call gets 0 and leaves 5. */
static void send_again_and_again(int from)
{
	int out = open("/dev/null", O_WRONLY), round;
	off_t at;

	for (round = 0; round < 500000; round++) {
		at = 0;
		sendfile(out, from, &at, 5);
	}
}

int main(int count, char **words)
{
	char entries[4096];
	int pipes[2], file, folder;

	if (count > 2)
		return 0;
	if (count == 2 && !strcmp(words[1], "child")) {
		/* Constants that have not been accessed are not in memory. */
		if (!fork())
			execl("/bin/true", "true", "constant words", NULL);
		wait(NULL);
		return 0;
	}
	memset(long_text, 'x', sizeof(long_text) - 1);
	file = open("given.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file, "0123456789abcdef", 16);
	if (count > 1) {
		send_again_and_again(file);
		return 0;
	}
	if (pipe(pipes))
		return 1;
	wait_for_descriptors(pipes[0], pipes[1]);
	move_bytes(file, pipes[0], pipes[1]);
	talk();
	ask_about_processes();
	use_terminal(file);
	folder = open("/", O_RDONLY | O_DIRECTORY);
	while (syscall(SYS_getdents64, folder, entries, sizeof(entries)) > 0)
		;
	unlink("given.txt");
	strcpy(self, "/proc/self/exe");
	strcpy(word, "word");
	strcpy(empty, "");
	empty[1] = 1;
	if (!fork())
		execv(self, (char *[]){words[0], word, long_text, empty, NULL});
	wait(NULL);
	return 0;
}
