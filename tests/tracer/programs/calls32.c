/* Calls that only 32-bit programs make, and calls with 64-bit numbers in two halves. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct time64 {
    int64_t seconds, nanoseconds;
};

int main(void)
{
    static char buffer[4096];
    static struct time64 none, brief = {0, 1000}, stamps[2] = {{1000, 5}, {2000, 6}};
    static struct time64 timer[2] = {{0, 0}, {50, 7}}, now[2];
    struct timeval patience = {0, 1000};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 2};
    struct pollfd polled = {.fd = 0, .events = POLLIN};
    uint32_t word = 1;
    uid_t users[3];
    gid_t groups[64];
    struct rlimit limit;
    uint64_t position = 0;
    fd_set set;
    int file = open("/tmp", O_TMPFILE | O_RDWR, 0600), other = open("/etc/passwd", O_RDONLY);

    if (file < 0 || other < 0)
        return 1;
    syscall(SYS_ftruncate64, file, 5, 1);
    syscall(SYS_truncate64, "/no/such/file", 5, 0);
    syscall(SYS_pwrite64, file, "abc", 3, 7, 1);
    syscall(SYS_pread64, file, buffer, 3, 7, 1);
    syscall(SYS__llseek, file, 1, 2, &position, SEEK_SET);
    syscall(SYS__llseek, file, -1, -5, &position, SEEK_CUR);
    syscall(SYS__llseek, -1, 0, 0, &position, SEEK_SET);
    syscall(SYS_lseek, file, -1, SEEK_SET);
    syscall(SYS_fallocate, file, 0, 1, 0, 2, 0);
    syscall(SYS_readahead, file, 1, 1, 4096);
    syscall(SYS_sync_file_range, file, 1, 1, 2, 0, 0);
    syscall(SYS_fadvise64, file, 1, 1, 3, POSIX_FADV_NORMAL);
    syscall(SYS_fadvise64_64, file, 1, 1, 2, 1, POSIX_FADV_NORMAL);
    position = 3;
    syscall(SYS_sendfile64, file, other, &position, 5);
    syscall(SYS_stat64, "/etc/passwd", buffer);
    syscall(SYS_lstat64, "/dev/null", buffer);
    syscall(SYS_fstat64, other, buffer);
    syscall(SYS_fstatat64, AT_FDCWD, "/no/such/file", buffer, AT_SYMLINK_NOFOLLOW);
    syscall(SYS_statfs64, "/proc", 84, buffer);
    syscall(SYS_fstatfs64, -1, 84, buffer);
    syscall(SYS_statfs, "/proc", buffer);
    syscall(SYS_chown32, "/no/such/file", 70000, -1);
    syscall(SYS_fchown32, -1, -1, 5);
    syscall(SYS_getuid32);
    syscall(SYS_getegid32);
    syscall(SYS_getresuid32, users, users + 1, users + 2);
    syscall(SYS_getgroups32, 64, groups);
    syscall(SYS_setuid32, -1);
    syscall(SYS_fcntl64, file, F_SETFD, FD_CLOEXEC);
    syscall(SYS_fcntl64, file, F_GETFD);
    syscall(SYS_fcntl64, file, F_DUPFD, 20);
    syscall(SYS_fcntl64, file, F_SETLK, &lock);
    syscall(SYS_fcntl64, file, F_GETFL);
    syscall(SYS_ugetrlimit, RLIMIT_CORE, &limit);
    syscall(SYS_mmap2, 0, 4096, PROT_READ, MAP_SHARED, file, 3);
    FD_ZERO(&set);
    FD_SET(file, &set);
    syscall(SYS__newselect, file + 1, &set, 0, 0, &patience);
    syscall(SYS_clock_gettime64, CLOCK_MONOTONIC, 0);
    syscall(SYS_clock_getres_time64, CLOCK_REALTIME, now);
    syscall(SYS_clock_nanosleep_time64, CLOCK_MONOTONIC, 0, &brief, 0);
    syscall(SYS_futex_time64, &word, FUTEX_WAIT_PRIVATE, 1, &brief, 0, 0);
    syscall(SYS_ppoll_time64, &polled, 1, &none, 0, 0);
    syscall(SYS_pselect6_time64, 0, 0, 0, 0, &none, 0);
    syscall(SYS_utimensat_time64, file, 0, stamps, 0);
    syscall(SYS_timerfd_settime64, file, 0, timer, now);
    syscall(SYS_sched_rr_get_interval_time64, -1, now);
    syscall(SYS_rt_sigtimedwait_time64, &(uint64_t){1}, 0, &none, 8);
    syscall(SYS_nice, 0);
    syscall(SYS_umount, "/no/such/folder");
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    return syscall(SYS_waitpid, child, &word, 0) != child;
}
