/* Makes as many calls of ioctl as its argument says, each with another request. */
#include <stdlib.h>
#include <sys/ioctl.h>

int main(int count, char **arguments)
{
    unsigned long number = count > 1 ? strtoul(arguments[1], 0, 10) : 1;

    for (unsigned long request = 1; request <= number; request++)
        ioctl(-1, request, 0);
    return 0;
}
