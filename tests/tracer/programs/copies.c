/* Copies a file in every way, and prints what the kernel has counted before and after: the bytes
 * read and written.  The arguments are a file and a new one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define PART 1000

static int accounting;
static char text[2][512];

/* Always with the same number of calls. */
static void take(int moment)
{
    accounting = open("/proc/self/io", O_RDONLY);
    read(accounting, text[moment], sizeof text[moment] - 1);
    close(accounting);
}

int main(int argc, char **argv)
{
    char data[PART], more[PART];
    struct iovec parts[] = {{data, PART}, {more, PART / 2}};
    int from, into, ends[2], pair[2];

    if (argc < 3)
        return 1;
    from = open(argv[1], O_RDONLY);
    into = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    take(0);
    write(into, data, read(from, data, PART));
    pwrite(into, data, pread(from, data, PART, 0), PART);
    writev(into, parts, readv(from, parts, 2) > 0 ? 2 : 0);
    pwritev2(into, parts, preadv2(from, parts, 2, 0, 0) > 0 ? 2 : 0, 0, 0);
    sendfile(into, from, NULL, PART);
    copy_file_range(from, NULL, into, NULL, PART, 0);
    splice(from, NULL, ends[1], NULL, PART, 0);
    splice(ends[0], NULL, into, NULL, PART, 0);
    write(pair[0], data, PART);
    read(pair[1], data, PART);
    send(pair[0], data, PART, 0);
    recv(pair[1], data, PART, 0);
    take(1);
    printf("%s%s", text[0], text[1]);
    return 0;
}
