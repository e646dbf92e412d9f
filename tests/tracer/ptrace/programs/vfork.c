/* vfork and execve, ten times. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 10; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
