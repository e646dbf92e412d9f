/* Creates one descriptor of each rare kind, uses it five times, and prints a line for each that the
 * kernel has refused, with the reason. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES 5

static void use(const char *name, long descriptor)
{
    char byte;
    if (descriptor < 0) {
        puts(name);
        return;
    }
    /* Nothing can be read there at this place, but that is found out by the file itself. */
    for (int i = 0; i < TIMES; i++)
        pread(descriptor, &byte, 1, 0);
    close(descriptor);
}

static long map(void)
{
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    return syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
}

static long clock_event(void)
{
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};
    return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}

static long ring(void)
{
    struct io_uring_params parameters = {0};
    return syscall(SYS_io_uring_setup, 1, &parameters);
}

int main(void)
{
    use("pidfd", syscall(SYS_pidfd_open, getpid(), 0));
    use("perf_event", clock_event());
    use("io_uring", ring());
    use("userfaultfd", syscall(SYS_userfaultfd, 1 /* only faults of programs */));
    /* Probably at the address of the file that was closed before, and not created by a call that
     * always returns a descriptor. */
    use("bpf-map", map());
    return 0;
}
