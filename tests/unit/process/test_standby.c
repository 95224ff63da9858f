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
#define BYE          SAY("bye")
#define READY        "printf r >&0; "
#define TURN         "others=$(head -c 1 | od -An -tu1); "
#define UNTIL_CLOSED "cat >/dev/null || :; "

/* What must come is waited for long, on a loaded machine too; what never comes, for a moment. */
#define LONG_S  60
#define SHORT_S 0.5

static enum sg_code hear(void *context, const struct sg_message *message, struct sg_err *err)
{
    (void)err;
    *(int *)context += message->kind == SG_MESSAGE_NOTE;
    return SG_SUCCESS;
}

static struct sg_names argv_of(const char *script)
{
    struct sg_names argv = {0};
    sg_names_add(&argv, "/bin/sh");
    sg_names_add(&argv, "-c");
    sg_names_add(&argv, script);
    return argv;
}

static void start(struct sg_standby *standby, const char *script)
{
    struct sg_names argv = argv_of(script);
    struct sg_err err = {0};
    assert_int_equal(sg_standby_start(standby, &argv, &err), SG_SUCCESS);
}

static bool is_next(const struct sg_standby *standby, const char *script)
{
    struct sg_names argv = argv_of(script);
    const bool is = sg_standby_is_next(standby, &argv);
    sg_names_release(&argv);
    return is;
}

/* The next one; how many notes it wrote. */
static int run(struct sg_standby *standby, struct sg_worker_end *end)
{
    int notes = 0;
    struct sg_err err = {0};
    struct sg_worker_job job = {.process = sg_standby_take(standby),
                                .deadline_s = LONG_S,
                                .context = &notes,
                                .on_message = hear};
    assert_int_equal(sg_workers_run(&job, 1, 1, &err), SG_SUCCESS);
    *end = job.end;
    return notes;
}

#define NOTE_IF(condition) "[ " condition " ] && " SAY("note,x")

TEST(one_that_is_not_ready_is_ended_and_so_are_those_behind_it)
{
    static const struct {
        const char *says, *script;
        double wait_s;
        size_t kept; /* of it, one before and one behind it */
    } rows[] = {
        {"ready", READY TURN BYE UNTIL_CLOSED, LONG_S, 3},
        {"late", "sleep 60; " READY TURN BYE UNTIL_CLOSED, SHORT_S, 1},
        {"dead before it is ready", "kill -KILL $$", LONG_S, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_standby standby = {0};
        print_message("  %s\n", rows[i].says);
        start(&standby, READY TURN BYE UNTIL_CLOSED);
        sg_standby_settle(&standby, LONG_S);
        start(&standby, rows[i].script);
        start(&standby, READY TURN BYE UNTIL_CLOSED);
        sg_standby_settle(&standby, rows[i].wait_s);
        assert_int_equal(standby.count, rows[i].kept);
        assert_int_equal(sg_standby_others(&standby), rows[i].kept);
        sg_standby_clear(&standby);
    }
}

TEST(each_goes_on_in_its_turn_and_stays_until_all_end)
{
    struct sg_standby standby = {0};
    struct sg_worker_end end;
    start(&standby, READY TURN NOTE_IF("$others = 1") BYE UNTIL_CLOSED);
    start(&standby, READY TURN NOTE_IF("$others = 1") BYE UNTIL_CLOSED);
    sg_standby_settle(&standby, LONG_S);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(run(&standby, &end), 1);
        assert_int_equal(end.fate, SG_WORKER_FINISHED);
        assert_int_equal(sg_standby_others(&standby), 2);
    }
    assert_true(sg_standby_dismiss(&standby, LONG_S, &end));
    assert_int_equal(sg_standby_others(&standby), 0);
    sg_standby_clear(&standby);
}

/* Descriptors of one that has ended are others' by then. */
TEST(what_starts_behind_one_that_ended_is_let_be)
{
    struct sg_standby standby = {0};
    struct sg_worker_end end;
    start(&standby, READY TURN "exit 3");
    sg_standby_settle(&standby, LONG_S);
    run(&standby, &end);
    assert_int_equal(end.fate, SG_WORKER_EXITED);
    start(&standby, READY TURN BYE UNTIL_CLOSED);
    assert_true(sg_standby_dismiss(&standby, LONG_S, &end));
    sg_standby_settle(&standby, LONG_S);
    assert_int_equal(run(&standby, &end), 0);
    assert_int_equal(end.fate, SG_WORKER_FINISHED);
    assert_true(sg_standby_dismiss(&standby, LONG_S, &end));
    sg_standby_clear(&standby);
}

TEST(the_next_one_is_alive_and_has_the_arguments)
{
    struct sg_standby standby = {0};
    assert_false(is_next(&standby, READY "exit 3"));
    start(&standby, READY "cat >/dev/null");
    start(&standby, READY "exit 3");
    assert_true(is_next(&standby, READY "cat >/dev/null"));
    assert_false(is_next(&standby, READY "exit 3"));
    sg_standby_settle(&standby, LONG_S);
    sg_standby_take(&standby);
    struct pollfd ended = {.fd = standby.workers[1].process.alive, .events = POLLIN};
    assert_int_equal(poll(&ended, 1, 1000 * LONG_S), 1);
    assert_false(is_next(&standby, READY "exit 3"));
    sg_standby_clear(&standby);
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
        run(&standby, &end);
        assert_int_equal(sg_standby_others(&standby), 1);
        assert_false(
            sg_standby_dismiss(&standby, rows[i].fate == SG_WORKER_LATE ? SHORT_S : LONG_S, &end));
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
