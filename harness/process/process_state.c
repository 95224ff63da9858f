#include "process/process_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sg_process_state sg_process_state_of(pid_t process)
{
    struct sg_process_state found = {0};
    char path[64], facts[512] = "";
    snprintf(path, sizeof(path), "/proc/%ld/stat", (long)process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd >= 0 ? read(fd, facts, sizeof(facts) - 1) : -1;
    if (fd >= 0)
        close(fd);
    facts[length > 0 ? length : 0] = '\0';
    // "number (name) state parent ...": the name may hold brackets itself.
    const char *bracket = strrchr(facts, ')');
    if (!bracket || strlen(bracket) <= 4)
        return found;
    found.state = bracket[2];
    found.parent = (pid_t)strtol(bracket + 4, NULL, 10);
    return found;
}
