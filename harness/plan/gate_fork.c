#define _GNU_SOURCE /* O_PATH */
#include "plan/gate_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/err.h"

enum { DESCRIPTORS = 4 };

/* The address uses the folder's descriptor, because a socket address has room only for a short
 * path. */
static bool address_of(const char *gate, int folder, struct sockaddr_un *address)
{
    const char *slash = strrchr(gate, '/'), *name = slash ? slash + 1 : gate;
    const int length = snprintf(address->sun_path, sizeof(address->sun_path),
                                "/proc/self/fd/%d/%s" SG_GATE_FORK_SUFFIX, folder, name);
    return length > 0 && (size_t)length < sizeof(address->sun_path);
}

static int open_folder(const char *gate)
{
    SG_SCOPED(sg_text) folder = {0};
    const char *slash = strrchr(gate, '/');
    sg_text_addf(&folder, "%.*s", slash ? (int)(slash - gate + 1) : 1, slash ? gate : ".");
    return open(folder.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int connect_to(const char *gate)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int folder = open_folder(gate);
    int connection = folder < 0 ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection >= 0 &&
        (!address_of(gate, folder, &address) ||
         connect(connection, (struct sockaddr *)&address, sizeof(address)) != 0)) {
        close(connection);
        connection = -1;
    }
    if (folder >= 0)
        close(folder);
    return connection;
}

static bool hand_over(int connection, const struct sg_text *settings)
{
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } room = {.bytes = {0}};
    const int descriptors[DESCRIPTORS] = {0, 1, 2, 3};
    struct iovec words = {.iov_base = settings->data, .iov_len = settings->length};
    struct msghdr message = {.msg_iov = &words,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof(room.bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(descriptors));
    memcpy(CMSG_DATA(header), descriptors, sizeof(descriptors));
    return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)settings->length;
}

static void die_of(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the fork has already dumped core */
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

int sg_gate_fork(const char *gate, const struct sg_text *settings)
{
    int how = 0;
    ssize_t got = -1;
    const int connection = connect_to(gate);
    if (connection < 0)
        return -1;
    if (hand_over(connection, settings)) {
        /* The fork must hold the only copies: readers of these pipes wait for all copies to
         * close. */
        close(STDIN_FILENO);
        close(SG_GATE_LIFELINE_FD);
        while ((got = recv(connection, &how, sizeof(how), 0)) < 0 && errno == EINTR)
            continue;
        if (got == sizeof(how) && WIFSIGNALED(how))
            die_of(WTERMSIG(how));
        return got == sizeof(how) && WIFEXITED(how) ? WEXITSTATUS(how) : SG_EXIT_INVALID;
    }
    close(connection);
    return -1;
}
