#define _GNU_SOURCE /* for O_PATH */
#include "plan/gate_script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/message.h"
#include "util/file.h"
#include "util/paths.h"

#define SHELL     "/bin/sh"
#define AT_COMMIT "@" /* precedes the commit in the path of a copy */

bool sg_is_gate_script(const char *path)
{
    char head[2];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = descriptor >= 0 && read(descriptor, head, sizeof(head)) == sizeof(head) &&
                    memcmp(head, "#!", sizeof(head)) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return is;
}

enum sg_code sg_gate_script_at(const char *path, const char *commit, struct sg_text *copy,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_text(path, &text, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&text, "# at %s\n", commit); /* other code has another digest */
    sg_text_addf(copy, "%s" AT_COMMIT "%s", path, commit);
    return sg_write_file(copy->data, text.data, text.length, err);
}

const char *sg_gate_script_commit(const char *path)
{
    const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, AT_COMMIT);
    return at ? at + strlen(AT_COMMIT) : "";
}

enum sg_code sg_gate_set_paths(struct sg_err *err)
{
    SG_SCOPED(sg_text) home = {0}, path = {0};
    const char *before = getenv("PYTHONPATH");
    bool is_installed;
    if (sg_home(&home, &is_installed, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&path, "%s/python%s%s", home.data, before && *before ? ":" : "",
                 before ? before : "");
    setenv("PYTHONPATH", path.data, 1);
    setenv(SG_HOME_VARIABLE, home.data, 1); /* a Python process is not in solgate's folder */
    return SG_SUCCESS;
}

/* Connects to the fork that waits beside the script; -1: none waits. Names of sockets are short, so
 * that the folder is named by its descriptor. */
static int fork_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    SG_SCOPED(sg_text) folder = {0}, name = {0};
    sg_text_addf(&folder, "%.*s/", slash ? (int)(slash - path) : 1, slash ? path : ".");
    const int descriptor = open(folder.data, O_PATH | O_DIRECTORY | O_CLOEXEC);
    sg_text_addf(&name, "/proc/self/fd/%d/%s.fork", descriptor, slash ? slash + 1 : path);
    int peer = -1;
    if (descriptor >= 0 && name.length < sizeof(at.sun_path))
        peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    strncpy(at.sun_path, name.data, sizeof(at.sun_path) - 1);
    if (peer >= 0 && connect(peer, (const struct sockaddr *)&at, sizeof(at)) != 0) {
        close(peer);
        peer = -1;
    }
    if (descriptor >= 0)
        close(descriptor);
    return peer;
}

/* Hands the words and descriptors 0 to 3 to the fork, which works in this process's place. */
static bool hand_over(int peer, const struct sg_text *words)
{
    static const int given[] = {0, 1, 2, SG_PROTOCOL_FD};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(given))] = {0};
    struct iovec part = {.iov_base = words->data, .iov_len = words->length};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = control,
                                   .msg_controllen = sizeof(control)};
    dprintf(SG_PROTOCOL_FD, "setup,%d\n", (int)SG_SETUP_S);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(given));
    memcpy(CMSG_DATA(head), given, sizeof(given));
    return sendmsg(peer, &message, MSG_NOSIGNAL) == (ssize_t)words->length;
}

/* Waits for the fork's child and ends as it has ended. */
static _Noreturn void end_like_fork(int peer)
{
    int how = SG_EXIT_INVALID << 8;
    close(STDIN_FILENO); /* readers of these pipes wait until all copies are closed */
    close(SG_PROTOCOL_FD);
    if (recv(peer, &how, sizeof(how), 0) == sizeof(how) && WIFSIGNALED(how)) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0}); /* the child has already dumped core */
        signal(WTERMSIG(how), SIG_DFL);
        raise(WTERMSIG(how));
    }
    _exit(WEXITSTATUS(how));
}

enum sg_code sg_gate_script_become(const char *path, int argc, char **argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) words = {0};
    if (sg_path_of_module(&words, "libsolgate_gate.so", err) != SG_SUCCESS ||
        sg_gate_set_paths(err) != SG_SUCCESS)
        return err->code;
    for (int i = 0; i < argc; i++)
        sg_text_addf(&words, SG_GATE_SEPARATOR "%s", argv[i]);
    const int peer = fork_of(path);
    if (peer >= 0 && hand_over(peer, &words))
        end_like_fork(peer);
    setenv(SG_GATE_VARIABLE, words.data, 1);
    execl(SHELL, SHELL, path, (char *)NULL);
    return sg_fail(err, SG_SYSTEM, SHELL, "cannot be started: %s", strerror(errno));
}
