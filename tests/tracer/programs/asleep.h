/* Waits until another thread sleeps in a call, so that a delay that begins then is waited for by that
 * thread to its end, however slowly it is traced. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BETWEEN_LOOKS_US 1000

static void await_sleep(int tid)
{
    char path[32], text[256];
    const char *name_end = NULL;

    snprintf(path, sizeof path, "/proc/%d/stat", tid);
    do {
        FILE *file = fopen(path, "r");

        if (!file)
            return;
        name_end = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        fclose(file);
        if (name_end && name_end[2] == 'S')
            return;
        usleep(BETWEEN_LOOKS_US);
    } while (1);
}
