#include "exec/descendants.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"

#define FIRST_S 0.0005 /* first polling period; each period is an eighth longer, up to */
#define LAST_S  0.1
#define WAIT_S  2.0 /* time for workers that poll for their parent each second (Inductor) */

/* Contents of /proc/PID/NAME; empty if the process has exited. */
static struct sg_text read_proc(const char *pid, const char *name)
{
    struct sg_text text = {0};
    SG_FORMATTED(path, "/proc/%s/%s", pid, name);
    sg_read_file(path.data, &text, SG_IGNORED);
    return text;
}

/* Each thread's `children` file lists only the children which that thread created. */
static void add_descendants(const char *pid, const struct sg_names *but, struct sg_names *found)
{
    SG_FORMATTED(folder, "/proc/%s/task", pid);
    DIR *threads = opendir(folder.data);
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        SG_SCOPED(sg_names) children = {0};
        SG_FORMATTED(name, "task/%s/children", thread->d_name);
        SG_SCOPED(sg_text) list = read_proc(pid, name.data);
        sg_names_add_split(&children, sg_text_string(&list), ' ');
        for (size_t i = 0; i < children.count; i++) {
            if (!*children.items[i] || sg_names_have(but, children.items[i]))
                continue;
            sg_names_add(found, children.items[i]);
            add_descendants(children.items[i], but, found);
        }
    }
    if (threads)
        closedir(threads);
}

void sg_descendants_begin(struct sg_descendants *d)
{
    static const struct sg_names none = {0};
    d->period_s = FIRST_S;
    for (size_t i = 0; d->argv[i]; i++)
        sg_text_add_bytes(&d->command, d->argv[i], strlen(d->argv[i]) + 1);
    add_descendants("self", &none, &d->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void sg_descendants_end(struct sg_descendants *d)
{
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sg_names_release(&d->before);
    sg_text_release(&d->command);
}

static void complain(const struct sg_descendants *d, const char *pid, const char *what)
{
    SG_SCOPED(sg_text) name = read_proc(pid, "comm");
    const char *comm = sg_text_string(&name);
    if (d->complaint->length == 0)
        sg_text_addf(d->complaint, "process %s (%.*s) %s", pid, (int)strcspn(comm, "\n"), comm,
                     what);
}

static bool has_driver(const char *pid)
{
    SG_SCOPED(sg_text) maps = read_proc(pid, "maps");
    return strstr(sg_text_string(&maps), "/libcuda.so") != NULL;
}

/* A fork of the program has the program's command line and code, and may begin to launch. The
 * command line of a script has its interpreter in front. A compile daemon or a TensorBoard that the
 * program executed has another command line. */
static bool may_launch(const struct sg_descendants *d, const char *pid)
{
    SG_SCOPED(sg_text) line = read_proc(pid, "cmdline");
    const size_t length = d->command.length;
    return has_driver(pid) || (line.length >= length && memcmp(line.data + line.length - length,
                                                               d->command.data, length) == 0);
}

/* The environment of a process that is just starting or ending reads as empty. It is complete if
 * the driver is there before and after. */
static bool is_unseen(const char *pid, const char *variable)
{
    if (!has_driver(pid))
        return false;
    SG_SCOPED(sg_text) environment = read_proc(pid, "environ");
    for (size_t at = 0; at < environment.length; at += strlen(environment.data + at) + 1)
        if (strcmp(environment.data + at, variable) == 0)
            return false;
    return has_driver(pid);
}

void sg_descendants_scan(struct sg_descendants *d)
{
    SG_SCOPED(sg_names) pids = {0};
    const double now = sg_monotonic_s();
    if (now < d->next_s || d->complaint->length > 0)
        return;
    d->period_s = fmin(1.125 * d->period_s, LAST_S);
    d->next_s = now + d->period_s;
    add_descendants("self", &d->before, &pids);
    for (size_t i = 0; i < pids.count; i++)
        if (is_unseen(pids.items[i], d->variable))
            complain(d, pids.items[i],
                     "uses the driver, but its environment lacks the library, so its launches are "
                     "not seen");
}

/* `reaps`: also reap exited processes; only allowed once the program itself has been waited for. */
static void find_running(const struct sg_descendants *d, bool reaps, struct sg_names *running)
{
    SG_SCOPED(sg_names) pids = {0};
    add_descendants("self", &d->before, &pids);
    for (size_t i = 0; i < pids.count; i++) {
        SG_SCOPED(sg_text) facts = read_proc(pids.items[i], "stat");
        const char *state = strrchr(sg_text_string(&facts), ')');
        if (state && !strchr("ZX", state[2]))
            sg_names_add(running, pids.items[i]);
        else if (reaps)
            waitpid((pid_t)strtol(pids.items[i], NULL, 10), NULL, WNOHANG);
    }
}

void sg_descendants_kill(const struct sg_descendants *d)
{
    SG_SCOPED(sg_names) running = {0};
    find_running(d, false, &running);
    for (size_t i = 0; i < running.count; i++)
        kill((pid_t)strtol(running.items[i], NULL, 10), SIGKILL);
}

void sg_descendants_wait(struct sg_descendants *d, bool (*is_stopped)(void))
{
    const double late_s = sg_monotonic_s() + WAIT_S, last_s = is_stopped ? late_s + WAIT_S : late_s;
    for (double now = 0; now <= last_s;) {
        SG_SCOPED(sg_names) running = {0};
        now = sg_monotonic_s();
        find_running(d, true, &running);
        sg_descendants_scan(d);
        if (running.count == 0)
            return;
        for (size_t i = 0; i < running.count && now > late_s; i++)
            if (may_launch(d, running.items[i]))
                complain(d, running.items[i],
                         "still runs after the program has ended, so its later launches are not "
                         "seen");
        if (is_stopped && (now > late_s || is_stopped()))
            sg_descendants_kill(d);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}
