/* Opens two files in turn, a thousand times, always with the same number: a byte is read from the
 * first one, and three from the second one. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char bytes[3];

    for (int i = 0; i < 1000 && argc > 2; i++) {
        int descriptor = open(argv[1 + i % 2], O_RDONLY);

        read(descriptor, bytes, i % 2 ? 3 : 1);
        close(descriptor);
    }
    return 0;
}
