/* Uses each argument as a name, in a child process; with --name, only renames itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void try_socket(const char *word, int abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + abstract, word, sizeof(address.sun_path) - 2);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&address, sizeof(address));
    bind(fd, (struct sockaddr *)&address, sizeof(address));
    listen(fd, 1);
    close(fd);
}

static void use(const char *word)
{
    char path[512], buffer[16];
    prctl(PR_SET_NAME, word);
    snprintf(path, sizeof(path), "/nonexistent/%s", word);
    open(path, O_RDONLY);
    int fd = open(word, O_RDWR | O_CREAT, 0600);
    read(fd, buffer, sizeof(buffer));
    try_socket(word, 0);
    try_socket(word, 1);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--name")) {
        prctl(PR_SET_NAME, argv[2]);
        puts("ready");
        fflush(stdout);
        while (getchar() != EOF)
            ;
        return 42;
    }
    for (int at = 1; at < argc; at++) {
        if (!fork()) {
            use(argv[at]);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
