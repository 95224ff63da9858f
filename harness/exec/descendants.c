#include "exec/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"

#define FIRST_S 0.0005 /* between two looks; each is an eighth later, until it is */
#define LAST_S  0.1
#define WAIT_S  1.0

/* What /proc/PID/NAME holds; nothing where the process is gone. */
static struct sg_text read_proc(const char *pid, const char *name)
{
    SG_SCOPED(sg_text) path = {0};
    struct sg_text text = {0};
    struct sg_err none = {0};
    sg_text_addf(&path, "/proc/%s/%s", pid, name);
    sg_read_file(path.data, &text, &none);
    return text;
}

/* Children are listed by the thread that made them. */
static void add_descendants(const char *pid, const struct sg_names *but, struct sg_names *found)
{
    SG_SCOPED(sg_text) folder = {0};
    sg_text_addf(&folder, "/proc/%s/task", pid);
    DIR *threads = opendir(folder.data);
    for (const struct dirent *thread; threads && (thread = readdir(threads));) {
        SG_SCOPED(sg_text) name = {0};
        SG_SCOPED(sg_names) children = {0};
        sg_text_addf(&name, "task/%s/children", thread->d_name);
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
    *d = (struct sg_descendants){.period_s = FIRST_S};
    add_descendants("self", &none, &d->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void sg_descendants_end(struct sg_descendants *d)
{
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sg_names_release(&d->before);
}

static void add_words(const char *pid, const char *what, struct sg_text *words)
{
    SG_SCOPED(sg_text) name = read_proc(pid, "comm");
    if (words->length == 0)
        sg_text_addf(words, "process %s (%.*s) %s", pid, (int)strcspn(sg_text_string(&name), "\n"), sg_text_string(&name), what);
}

static bool is_unseen(const char *pid, const char *variable)
{
    SG_SCOPED(sg_text) environment = read_proc(pid, "environ");
    for (size_t at = 0; at < environment.length; at += strlen(environment.data + at) + 1)
        if (strcmp(environment.data + at, variable) == 0)
            return false;
    SG_SCOPED(sg_text) maps = read_proc(pid, "maps");
    return strstr(sg_text_string(&maps), "/libcuda.so") != NULL;
}

void sg_descendants_look(struct sg_descendants *d, const char *variable, struct sg_text *words)
{
    SG_SCOPED(sg_names) pids = {0};
    const double now = sg_monotonic_s();
    if (now < d->next_s || words->length > 0)
        return;
    d->period_s = d->period_s < LAST_S ? d->period_s * 1.125 : LAST_S;
    d->next_s = now + d->period_s;
    add_descendants("self", &d->before, &pids);
    for (size_t i = 0; i < pids.count; i++)
        if (is_unseen(pids.items[i], variable))
            add_words(pids.items[i],
                      "uses the driver without the library, for it was started with an environment of its own: its launches are "
                      "not seen",
                      words);
}

/* Once the program has ended and was waited for, solgate reaps what it inherited. */
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

void sg_descendants_wait(struct sg_descendants *d, const char *variable, bool kills, struct sg_text *words)
{
    const double late_s = sg_monotonic_s() + WAIT_S;
    for (bool is_over = false; !is_over;) {
        SG_SCOPED(sg_names) running = {0};
        const double now = sg_monotonic_s();
        find_running(d, true, &running);
        sg_descendants_look(d, variable, words);
        if (now > late_s && running.count > 0)
            add_words(running.items[0], "goes on after the program has ended: what it launches then is not seen", words);
        if (now > late_s && kills)
            sg_descendants_kill(d);
        is_over = running.count == 0 || now > (kills ? late_s + WAIT_S : late_s);
        if (!is_over)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}
