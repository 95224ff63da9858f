/* Workers that wait for their turn: the children are one-line shell scripts, whose standard input
 * is the socket. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "process/pool.h"
#include "process/standby.h"

#define SAY(message) "echo '" message "' >&3; "
#define BYE          SAY("{\"is\":\"bye\"}")
#define READY        "printf r >&0; "
#define TURN         "others=$(head -c 1 | od -An -tu1); "
#define UNTIL_CLOSED "cat >/dev/null; "

/* What must come is waited for long, on a loaded machine too; what never comes, for a moment. */
#define LONG_S  60
#define SHORT_S 0.5

static enum sg_code hear(void *context, const struct sg_message *message, struct sg_err *err)
{
    (void)err;
    *(int *)context += message->kind == SG_MESSAGE_NOTE;
    return SG_SUCCESS;
}

/* What the script is given at the end, SG_STANDBY_OPTION, is its name. */
static void start(struct sg_standby *standby, const char *script)
{
    struct sg_names argv = {0};
    sg_names_add(&argv, "/bin/sh");
    sg_names_add(&argv, "-c");
    sg_names_add(&argv, script);
    sg_standby_start(standby, &argv);
}

/* Notes that the worker wrote. */
static int run(struct sg_standby *standby, const char *script, struct sg_worker_end *end)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    int notes = 0;
    struct sg_err err = {0};
    struct sg_worker_job job = {.argv = argv, .standby = standby, .deadline_s = LONG_S, .context = &notes, .on_message = hear};
    assert_int_equal(sg_workers_run(&job, 1, 1, &err), SG_SUCCESS);
    *end = job.end;
    return notes;
}

#define NOTE_IF(condition) "[ " condition " ] && " SAY("{\"is\":\"note\",\"text\":\"x\"}")

TEST(one_that_is_ready_goes_on_in_its_turn_and_another_one_starts_then)
{
    static const struct {
        const char *says, *script;
        size_t ready, parked; /* behind the wait; behind its turn */
        bool dies;            /* while it waits */
        bool is_stuck;        /* before it is ready */
    } rows[] = {
        {"ready: it is told of the other one, and parked", READY TURN NOTE_IF("$others = 1") BYE UNTIL_CLOSED, 2, 1, false, false},
        {"not ready: it starts as usual, without a socket", "[ -S /dev/stdin ] && sleep 60; " NOTE_IF("! -S /dev/stdin") BYE, 1, 0, false,
         true},
        {"dead before it was ready", "[ -S /dev/stdin ] && kill -KILL $$; " NOTE_IF("! -S /dev/stdin") BYE, 1, 0, false, false},
        {"dead while it waits", "[ -S /dev/stdin ] && " READY "[ -S /dev/stdin ] && exit 3; " NOTE_IF("! -S /dev/stdin") BYE, 2, 0, true,
         false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_standby standby = {0};
        struct sg_worker_end end;
        print_message("  %s\n", rows[i].says);
        start(&standby, READY TURN BYE UNTIL_CLOSED);
        sg_standby_settle(&standby, LONG_S);
        start(&standby, rows[i].script);
        sg_standby_settle(&standby, rows[i].is_stuck ? SHORT_S : LONG_S);
        assert_int_equal(standby.count, rows[i].ready);
        struct pollfd ended = {.fd = standby.workers[standby.count - 1].process.alive, .events = POLLIN};
        assert_true(!rows[i].dies || poll(&ended, 1, 1000 * LONG_S) == 1);
        assert_int_equal(run(&standby, rows[i].script, &end), 1);
        assert_int_equal(end.fate, SG_WORKER_FINISHED);
        assert_int_equal(standby.parked_count, rows[i].parked);
        assert_true(sg_standby_dismiss(&standby, LONG_S, &end));
        sg_standby_clear(&standby);
    }
}

TEST(one_that_does_not_end_well_behind_its_bye_is_reported)
{
    static const struct {
        const char *says, *script;
        enum sg_worker_fate fate;
        int signal, exit_status;
    } rows[] = {
        {"a status", READY TURN BYE UNTIL_CLOSED "exit 7", SG_WORKER_EXITED, 0, 7},
        {"a signal", READY TURN BYE UNTIL_CLOSED "kill -SEGV $$", SG_WORKER_SIGNALLED, SIGSEGV, 0},
        {"no end", READY TURN BYE UNTIL_CLOSED "sleep 60", SG_WORKER_LATE, SIGKILL, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_standby standby = {0};
        struct sg_worker_end end;
        print_message("  %s\n", rows[i].says);
        start(&standby, rows[i].script);
        sg_standby_settle(&standby, LONG_S);
        run(&standby, rows[i].script, &end);
        assert_int_equal(sg_standby_others(&standby), 1);
        assert_false(sg_standby_dismiss(&standby, rows[i].fate == SG_WORKER_LATE ? SHORT_S : LONG_S, &end));
        assert_int_equal(end.fate, rows[i].fate);
        assert_int_equal(end.signal, rows[i].signal);
        assert_int_equal(end.exit_status, rows[i].exit_status);
        assert_true(end.said_bye);
        sg_standby_clear(&standby);
    }
}

TEST(a_wait_ends_when_a_signal_is_pending)
{
    struct sg_standby standby = {0};
    sigset_t before;
    sg_signals_hold(&before);
    start(&standby, "sleep 60");
    raise(SIGTERM);
    sg_standby_settle(&standby, 60);
    assert_int_equal(standby.count, 0);
    sg_standby_clear(&standby);
    int number = 0;
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigwait(&term, &number);
    sg_signals_let_go(&before);
}
