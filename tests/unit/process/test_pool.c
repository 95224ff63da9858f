/*
 * The children are one-line shell scripts that speak the protocol; every
 * row names what must come of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "process/pool.h"

#define SAY(message)   "echo '" message "' >&3; "
#define HELLO          SAY("hello,4,verify")
#define ENV            SAY("env,x,y")
#define NOTE           SAY("note,x")
#define BEGIN          SAY("begin,a,b,c")
#define SETUP(seconds) SAY("setup," seconds)
#define SAMPLE         SAY("sample,a,b,c,0,0,0,c,1,0,0")
#define BYE            SAY("bye")

struct heard {
    double start_up_s;
    size_t messages, ends;
    enum sg_code answer; /* what on_message returns for a note */
};

static enum sg_code hear(void *context, const struct sg_message *message, struct sg_err *err)
{
    struct heard *heard = context;
    heard->messages++;
    if (message->kind == SG_MESSAGE_NOTE && heard->answer != SG_SUCCESS)
        return sg_fail(err, heard->answer, NULL, "a note that cannot be");
    return SG_SUCCESS;
}

static enum sg_code hear_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    (void)job;
    (void)err;
    ((struct heard *)context)->ends++;
    return SG_SUCCESS;
}

static enum sg_code run_one(const char *script, double deadline_s, struct heard *heard,
                            struct sg_worker_end *end, struct sg_err *err)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct sg_worker_job job = {
        .argv = argv,
        .deadline_s = deadline_s,
        .start_up_s = heard->start_up_s,
        .context = heard,
        .on_message = hear,
        .on_end = hear_end,
    };
    enum sg_code code = sg_workers_run(&job, 1, 1, err);
    SG_SCOPED(sg_text) text = {0};
    sg_worker_describe(&job, &text);
    assert_true(text.length > 0);
    *end = job.end;
    return code;
}

#define ANY SIZE_MAX

struct fate_row {
    const char *says;
    const char *script;
    double deadline_s;
    enum sg_worker_fate fate;
    int signal, exit_status;
    size_t messages;     /* or ANY */
    const char *printed; /* must be in the captured output */
};

/* What must come before a deadline has two seconds for that, on a loaded machine too. */
static const struct fate_row fates[] = {
    {"bye and status 0 is finished", HELLO BYE, 20, SG_WORKER_FINISHED, 0, 0, 2, ""},
    {"status 0 without bye is an exit", HELLO, 20, SG_WORKER_EXITED, 0, 0, 1, ""},
    {"bye with another status is an exit", HELLO BYE "exit 9", 20, SG_WORKER_EXITED, 0, 9, 2, ""},
    {"a signal is told by its number", HELLO "kill -SEGV $$", 20, SG_WORKER_SIGNALLED, SIGSEGV, 0,
     1, ""},
    {"SIGKILL from anywhere is a signal", "kill -KILL $$", 20, SG_WORKER_SIGNALLED, SIGKILL, 0, 0,
     ""},
    {"silence past the deadline is late", HELLO "sleep 60", 2, SG_WORKER_LATE, SIGTERM, 0, 1, ""},
    {"a busy loop is late", "while :; do :; done", 0.3, SG_WORKER_LATE, SIGTERM, 0, 0, ""},
    {"one that ignores SIGTERM is killed", "trap '' TERM; while :; do :; done", 0.3, SG_WORKER_LATE,
     SIGKILL, 0, 0, ""},
    {"each line starts the deadline anew", "for i in 1 2 3 4 5; do sleep 0.5; " ENV "done; " BYE, 2,
     SG_WORKER_FINISHED, 0, 0, 6, ""},
    {"a setup has more time, before the hello too", SETUP("20") "sleep 1.5; " HELLO BYE, 0.5,
     SG_WORKER_FINISHED, 0, 0, 2, ""},
    {"a setup of 0 s ends the time of the one before", SETUP("60") SETUP("0") "sleep 60", 0.5,
     SG_WORKER_LATE, SIGTERM, 0, 0, ""},
    {"a note does not start the deadline anew", "while :; do " NOTE "sleep 0.05; done", 0.4,
     SG_WORKER_LATE, SIGTERM, 0, ANY, ""},
    {"a row that is said for ever does not start the deadline anew",
     "while :; do " SAMPLE "sleep 0.05; done", 0.4, SG_WORKER_LATE, SIGTERM, 0, ANY, ""},
    {"printing does not start the deadline anew", "while :; do echo x; sleep 0.05; done", 2,
     SG_WORKER_LATE, SIGTERM, 0, 0, "x"},
    {"a message behind bye breaks the protocol", BYE NOTE "sleep 60", 20, SG_WORKER_BROKE_PROTOCOL,
     SIGTERM, 0, 1, ""},
    {"an unknown kind breaks the protocol", "echo nonsense >&3; sleep 60", 20,
     SG_WORKER_BROKE_PROTOCOL, SIGTERM, 0, 0, ""},
    {"a NUL byte breaks the protocol", "printf 'bye\\0\\n' >&3; sleep 60", 20,
     SG_WORKER_BROKE_PROTOCOL, SIGTERM, 0, 0, ""},
    {"an endless line breaks the protocol", "tr '\\0' x </dev/zero >&3", 20,
     SG_WORKER_BROKE_PROTOCOL, SIGTERM, 0, 0, ""},
    {"a torn last line is dropped", HELLO "printf 'no' >&3; kill -KILL $$", 20, SG_WORKER_SIGNALLED,
     SIGKILL, 0, 1, ""},
    {"the end of what it printed is kept", "echo first; echo last >&2", 20, SG_WORKER_EXITED, 0, 0,
     0, "first\nlast"},
    {"a flood of output is drained", "head -c 300000000 /dev/zero; echo; echo done; " BYE, 60,
     SG_WORKER_FINISHED, 0, 0, 1, "\ndone\n"},
    {"unprintable output is replaced", "printf 'a\\033[31mb\\377'", 20, SG_WORKER_EXITED, 0, 0, 0,
     "a?[31mb?"},
    {"standard input is empty", "read line && echo read || echo empty", 20, SG_WORKER_EXITED, 0, 0,
     0, "empty"},
    {"a child that holds the pipes does not hold up the end", BYE "sleep 60 &", 20,
     SG_WORKER_FINISHED, 0, 0, 1, ""},
    {"closing descriptor 3 is not the end", "exec 3>&-; echo on; exit 4", 20, SG_WORKER_EXITED, 0,
     4, 0, "on"},
};

TEST(every_fate)
{
    for (size_t i = 0; i < sizeof(fates) / sizeof(fates[0]); i++) {
        const struct fate_row *row = &fates[i];
        print_message("  %s\n", row->says);
        struct heard heard = {0};
        struct sg_worker_end end;
        struct sg_err err = {0};
        assert_int_equal(run_one(row->script, row->deadline_s, &heard, &end, &err), SG_SUCCESS);
        assert_int_equal(end.fate, row->fate);
        assert_int_equal(end.signal, row->signal);
        assert_int_equal(end.exit_status, row->exit_status);
        assert_true(row->messages == ANY || heard.messages == row->messages);
        assert_int_equal(heard.ends, 1);
        assert_non_null(strstr(end.output, row->printed));
        assert_true(row->fate != SG_WORKER_BROKE_PROTOCOL || *end.violation);
    }
}

/* A variant may have a deadline of seconds; how long the host takes
 * to get to it is another matter. */
TEST(a_start_has_a_deadline_of_its_own)
{
    static const struct {
        const char *says, *script;
        double start_up_s;
        enum sg_worker_fate fate;
    } rows[] = {
        {"a slow start is not late", "sleep 0.6; " HELLO "sleep 0.6; " BEGIN BYE, 20,
         SG_WORKER_FINISHED},
        {"an item is", HELLO BEGIN "sleep 60", 20, SG_WORKER_LATE},
        {"a start that never ends is", "sleep 60", 0.5, SG_WORKER_LATE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct heard heard = {.start_up_s = rows[i].start_up_s};
        struct sg_worker_end end;
        struct sg_err err = {0};
        assert_int_equal(run_one(rows[i].script, 0.3, &heard, &end, &err), SG_SUCCESS);
        if (end.fate != rows[i].fate)
            fail_msg("%s: fate %d", rows[i].says, (int)end.fate);
    }
}

TEST(a_message_refused_as_invalid_breaks_the_protocol_and_costs_one_worker)
{
    struct heard heard[2] = {{.answer = SG_INVALID}, {.answer = SG_SUCCESS}};
    const char *const argv[] = {"/bin/sh", "-c", NOTE BYE, NULL};
    struct sg_worker_job jobs[2];
    for (size_t i = 0; i < 2; i++)
        jobs[i] = (struct sg_worker_job){.argv = argv,
                                         .deadline_s = 20,
                                         .context = &heard[i],
                                         .on_message = hear,
                                         .on_end = hear_end};
    struct sg_err err = {0};
    assert_int_equal(sg_workers_run(jobs, 2, 1, &err), SG_SUCCESS);
    assert_int_equal(jobs[0].end.fate, SG_WORKER_BROKE_PROTOCOL);
    assert_string_equal(jobs[0].end.violation, "a note that cannot be");
    assert_int_equal(jobs[1].end.fate, SG_WORKER_FINISHED);
}

/* The pass of a job is part of what it must say first. */
TEST(hello_comes_first_and_is_of_this_version_and_pass)
{
    static const struct {
        const char *script, *violation; /* NULL: none */
    } rows[] = {
        {HELLO BYE, NULL},
        {SAY("fail,1,no such option") "exit 4", NULL},
        {ENV BYE, "expected hello as the first message"},
        {SAY("hello,2,verify") BYE, "are from different builds"},
        {SAY("hello,4,time") BYE, "expected pass verify, found 'time'"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct heard heard = {0};
        const char *const argv[] = {"/bin/sh", "-c", rows[i].script, NULL};
        struct sg_worker_job job = {.argv = argv,
                                    .pass = "verify",
                                    .deadline_s = 20,
                                    .context = &heard,
                                    .on_message = hear,
                                    .on_end = hear_end};
        struct sg_err err = {0};
        assert_int_equal(sg_workers_run(&job, 1, 1, &err), SG_SUCCESS);
        assert_int_equal(job.end.fate == SG_WORKER_BROKE_PROTOCOL, rows[i].violation != NULL);
        assert_non_null(strstr(job.end.violation, rows[i].violation ? rows[i].violation : ""));
    }
}

TEST(any_other_error_of_a_message_ends_all_workers)
{
    struct heard heard = {.answer = SG_NOT_COMPARABLE};
    struct heard other = {0};
    const char *const refused[] = {"/bin/sh", "-c", NOTE "sleep 60", NULL};
    const char *const bystander[] = {"/bin/sh", "-c", "sleep 60", NULL};
    struct sg_worker_job jobs[] = {
        ROW(.argv = bystander, .deadline_s = 30, .context = &other, .on_message = hear,
            .on_end = hear_end),
        ROW(.argv = refused, .deadline_s = 30, .context = &heard, .on_message = hear,
            .on_end = hear_end),
        ROW(.argv = bystander, .deadline_s = 30, .context = &other, .on_message = hear,
            .on_end = hear_end),
    };
    struct sg_err err = {0};
    assert_int_equal(sg_workers_run(jobs, 3, 2, &err), SG_NOT_COMPARABLE);
    assert_int_equal(jobs[0].end.fate, SG_WORKER_STOPPED);
    assert_int_equal(jobs[1].end.fate, SG_WORKER_STOPPED);
    assert_int_equal(other.ends, 1); // the third was never started
}

TEST(at_most_so_many_run_at_a_time_and_all_run)
{
    char folder[] = "/tmp/solgate-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char script[256];
    // Each notes how many are there, itself included.
    snprintf(script, sizeof(script),
             "cd %s && : > $$.on && ls *.on | wc -l >> most; sleep 0.3; rm $$.on; " BYE, folder);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct heard heard = {0};
    struct sg_worker_job jobs[12];
    for (size_t i = 0; i < 12; i++)
        jobs[i] = (struct sg_worker_job){.argv = argv,
                                         .deadline_s = 20,
                                         .context = &heard,
                                         .on_message = hear,
                                         .on_end = hear_end};
    struct sg_err err = {0};
    assert_int_equal(sg_workers_run(jobs, 12, 3, &err), SG_SUCCESS);
    assert_int_equal(heard.ends, 12);

    char path[128];
    snprintf(path, sizeof(path), "%s/most", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int lines = 0, most = 0;
    for (int n; fscanf(file, "%d", &n) == 1; lines++)
        most = n > most ? n : most;
    fclose(file);
    unlink(path);
    rmdir(folder);
    assert_int_equal(lines, 12);
    assert_in_range(most, 2, 3);
}

TEST(a_program_that_is_not_there_is_an_error_that_names_it)
{
    const char *const argv[] = {"/nonexistent/worker", NULL};
    struct heard heard = {0};
    struct sg_worker_job job = {
        .argv = argv, .deadline_s = 20, .context = &heard, .on_message = hear};
    struct sg_err err = {0};
    assert_int_equal(sg_workers_run(&job, 1, 1, &err), SG_SYSTEM);
    assert_string_equal(err.where, "/nonexistent/worker");
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The worker's process writes its number to a file before it settles down. */
static pid_t wait_for_pid(const char *path)
{
    for (int i = 0; i < 1000; i++) {
        FILE *file = fopen(path, "r");
        long pid = 0;
        int got = file ? fscanf(file, "%ld\n", &pid) : 0;
        if (file)
            fclose(file);
        if (got == 1)
            return (pid_t)pid;
        pause_ms(10);
    }
    fail_msg("no worker came up");
    return 0;
}

static bool is_gone_soon(pid_t pid)
{
    for (int i = 0; i < 1000; i++) {
        char path[64], state = 'Z';
        snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
        FILE *file = fopen(path, "r");
        if (file) {
            // A zombie is dead; whoever inherited it may be slow to reap.
            if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
                state = 'Z';
            fclose(file);
        }
        if (state == 'Z')
            return true;
        pause_ms(10);
    }
    return false;
}

struct death_row {
    const char *says;
    const char *script; /* %s: file for the worker's number */
    int number;         /* what solgate's place is sent */
    int exit_status;    /* of it; -1: dies of the signal */
};

static const struct death_row deaths[] = {
    {"SIGINT ends a sleeping worker", "echo $$ > %s; sleep 60", SIGINT, 130},
    {"SIGTERM ends one that ignores SIGTERM",
     "trap '' TERM INT HUP; echo $$ > %s; while :; do :; done", SIGTERM, 130},
    {"SIGHUP ends a looping one", "echo $$ > %s; while :; do :; done", SIGHUP, 130},
    {"SIGKILL of the parent ends a sleeping worker", "echo $$ > %s; sleep 60", SIGKILL, -1},
    {"SIGKILL of the parent ends one that ignores SIGTERM",
     "trap '' TERM INT HUP; echo $$ > %s; while :; do :; done", SIGKILL, -1},
    {"SIGKILL of the parent ends what the worker started",
     "sh -c 'trap \"\" TERM HUP; echo $$ > %s; sleep 60; :' & wait", SIGKILL, -1},
};

TEST(no_worker_outlives_the_parent)
{
    for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
        const struct death_row *row = &deaths[i];
        print_message("  %s\n", row->says);
        char path[] = "/tmp/solgate-test-XXXXXX", script[256];
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        snprintf(script, sizeof(script), row->script, path);
        pid_t parent = fork();
        if (parent == 0) {
            struct heard heard = {0};
            struct sg_worker_end end;
            struct sg_err err = {0};
            run_one(script, 30, &heard, &end, &err);
            _exit(sg_exit_code(err.code));
        }
        pid_t worker = wait_for_pid(path);
        kill(parent, row->number);
        int how;
        assert_int_equal(waitpid(parent, &how, 0), parent);
        assert_int_equal(row->exit_status < 0 ? WIFSIGNALED(how) : WEXITSTATUS(how),
                         row->exit_status < 0 ? 1 : row->exit_status);
        assert_true(is_gone_soon(worker));
        unlink(path);
    }
}

TEST(a_signal_that_the_caller_ignores_stays_ignored)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGHUP, &ignore, &before);
    struct heard heard = {0};
    struct sg_worker_end end;
    struct sg_err err = {0};
    enum sg_code code = run_one("kill -HUP $PPID; sleep 0.2; " BYE, 20, &heard, &end, &err);
    sigaction(SIGHUP, &before, NULL);
    assert_int_equal(code, SG_SUCCESS);
    assert_int_equal(end.fate, SG_WORKER_FINISHED);
}
