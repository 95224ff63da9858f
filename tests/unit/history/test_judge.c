/* history/judge.h: what a history in memory comes to. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "history/judge.h"
#include "util/random.h"

#define NIGHTS 60
#define STEP   40 /* the first night after it */

static const struct sg_history_rule rule = {.tolerance = SG_HISTORY_TOLERANCE};

/* NIGHTS nights of one item, a ratio of 1.2 and from STEP on (1 + step) times that. */
static void make_history(double step, struct sg_history *history)
{
    uint64_t random = 3;
    *history = (struct sg_history){0};
    for (int i = 0; i < NIGHTS; i++) {
        char date[32], commit[16];
        struct sg_env *facts = &sg_history_begin_night(history)->facts;
        snprintf(date, sizeof(date), "2026-%02d-%02dT02:00:00Z", 1 + i / 28, 1 + i % 28);
        snprintf(commit, sizeof(commit), "%07d", i);
        sg_env_set(facts, SG_NIGHT_DATE, date);
        sg_env_set(facts, "commit", commit);
        sg_env_set(facts, "gpu_uuid_hash", "aa");
        sg_env_set(facts, "driver", "580");
        struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
        row.name = sg_intern(&history->pool, "f/c/v");
        row.status = sg_intern(&history->pool, "ok");
        row.counters = sg_intern(&history->pool, "grid=1 registers=40");
        row.ratio = 1.2 * exp(0.001 * sg_random_normal(&random)) * (i >= STEP ? 1 + step : 1);
        row.ratio_se = 0.0003;
        sg_history_add_row(history, &row);
    }
}

static void decide(struct sg_history *history, const char *night, enum sg_step_decision decision)
{
    *SG_APPEND(history->decisions, history->decision_count, history->decision_capacity) =
        (struct sg_decision_row){.night = night,
                                 .series = "f/*",
                                 .decision = decision,
                                 .reason = "why",
                                 .date = "2026-03-01",
                                 .source = ""};
}

/* "slower f/c/v; " for each finding, and the exit code. */
static void expect(const char *proves, struct sg_history *history, const char *words,
                   enum sg_exit exit_code)
{
    struct sg_judgement judgement;
    SG_SCOPED(sg_text) found = {0};
    int worst = SG_EXIT_DONE;
    sg_history_judge(history, &rule, &judgement);
    for (size_t i = 0; i < judgement.finding_count; i++) {
        if (!judgement.findings[i].is_informational)
            worst = sg_worse_exit(worst, (int)sg_verdict_exit(judgement.findings[i].found));
        sg_text_addf(&found, "%s %s%s; ", sg_verdict_word(judgement.findings[i].found),
                     sg_intern_pool_string(history->pool,
                                           judgement.series[judgement.findings[i].series].item),
                     judgement.findings[i].detail.length > 0 ? " +" : "");
    }
    if (strcmp(sg_text_string(&found), words) != 0 || worst != (int)exit_code)
        fail_msg("%s: '%s', exit %d", proves, sg_text_string(&found), worst);
}

TEST(steps_and_decisions)
{
    struct sg_history history;
    make_history(0, &history);
    expect("nothing", &history, "", SG_EXIT_DONE);
    make_history(0.01, &history);
    expect("a step that nobody looked at", &history, "slower f/c/v; ", SG_EXIT_INCONCLUSIVE);
    make_history(0.01, &history);
    decide(&history, "2026-02-13", SG_STEP_CONFIRMED);
    expect("one that is confirmed", &history, "regressed f/c/v; ", SG_EXIT_REGRESSED);
    make_history(0.01, &history);
    decide(&history, "2026-02-13", SG_STEP_CONFIRMED);
    decide(&history, "2026-02-13", SG_STEP_ACCEPTED);
    expect("and then accepted", &history, "", SG_EXIT_DONE);
    make_history(0.01, &history);
    decide(&history, "2026-02-13T02:00:00Z", SG_STEP_REFUTED);
    expect("one that is the machine's", &history, "", SG_EXIT_DONE);
    make_history(0.01, &history);
    for (size_t i = STEP; i < NIGHTS; i++)
        sg_env_set(&history.nights[i].facts, "driver", "590");
    decide(&history, "2026-02-13", SG_STEP_CONFIRMED);
    expect("one whose size another driver hides", &history, "regressed f/c/v; ", SG_EXIT_REGRESSED);
    make_history(-0.01, &history);
    expect("faster asks for nothing", &history, "faster f/c/v; ", SG_EXIT_DONE);
}

TEST(step_that_went_back_is_not_open)
{
    struct sg_history history;
    make_history(0.02, &history);
    for (size_t i = STEP + 8; i < NIGHTS; i++)
        history.rows.items[i].ratio /= 1.02;
    expect("there and back", &history, "", SG_EXIT_DONE);
}

TEST(last_night_alone)
{
    struct sg_history history;
    make_history(0, &history);
    history.rows.items[NIGHTS - 1].ratio *= 1.01;
    expect("slower by ten sd", &history, "off f/c/v; ", SG_EXIT_INCONCLUSIVE);
    make_history(0, &history);
    history.rows.items[NIGHTS - 1].ratio /= 1.01;
    expect("faster by as much", &history, "", SG_EXIT_DONE);
}

TEST(driver_moves_are_no_steps)
{
    struct sg_history history;
    make_history(0, &history);
    for (size_t i = NIGHTS - 3; i < NIGHTS; i++) {
        sg_env_set(&history.nights[i].facts, "driver", "590");
        history.rows.items[i].ratio *= 1.02;
    }
    expect("a new driver", &history, "moved f/c/v +; ", SG_EXIT_DONE);
    for (size_t i = 0; i < NIGHTS; i++) {
        char gpu[8];
        snprintf(gpu, sizeof(gpu), "gpu%zu", i % 30);
        sg_env_set(&history.nights[i].facts, "gpu_uuid_hash", gpu);
        history.rows.items[i].build_ratio = history.rows.items[i].ratio;
        history.rows.items[i].build = 1;
    }
    expect("of pairs, whose GPU is seldom the same", &history, "moved f/c/v +; ", SG_EXIT_DONE);
    make_history(0, &history);
    for (size_t i = NIGHTS - 3; i < NIGHTS; i++) {
        sg_env_set(&history.nights[i].facts, "gpu_uuid_hash", "bb");
        history.rows.items[i].ratio *= 1.02;
    }
    expect("another GPU", &history, "", SG_EXIT_DONE);
}

static void make_wrong(size_t nights, struct sg_history *history)
{
    make_history(0, history);
    for (size_t i = NIGHTS - nights; i < NIGHTS; i++) {
        history->rows.items[i].status = sg_intern(&history->pool, "wrong");
        history->rows.items[i].ratio = NAN;
    }
}

TEST(statuses_and_counters)
{
    struct sg_history history;
    make_history(0, &history);
    history.rows.items[NIGHTS - 1].status = sg_intern(&history.pool, "wrong");
    history.rows.items[NIGHTS - 1].ratio = NAN;
    expect("not ok any more", &history, "broken f/c/v +; ", SG_EXIT_UNDECLARED);
    make_wrong(3, &history);
    expect("nor the night before", &history, "broken f/c/v +; ", SG_EXIT_UNDECLARED);
    make_wrong(3, &history);
    decide(&history, "2026-02-28", SG_STEP_ACCEPTED);
    expect("accepted before it broke", &history, "broken f/c/v +; ", SG_EXIT_UNDECLARED);
    make_wrong(3, &history);
    decide(&history, "2026-03-03", SG_STEP_ACCEPTED);
    expect("accepted as it is", &history, "", SG_EXIT_DONE);
    make_wrong(NIGHTS, &history);
    expect("never ok", &history, "", SG_EXIT_DONE);
    make_history(0, &history);
    history.rows.items[NIGHTS - 2].ratio = history.rows.items[NIGHTS - 1].ratio = NAN;
    expect("ok, and without its ratio", &history, "missing f/c/v +; ", SG_EXIT_DONE);
    make_history(0, &history);
    history.rows.items[NIGHTS - 1].counters = sg_intern(&history.pool, "grid=1 registers=48");
    expect("a counter", &history, "changed f/c/v +; ", SG_EXIT_DONE);
    make_history(0, &history);
    history.nights[NIGHTS - 1].to = history.nights[NIGHTS - 1].from;
    expect("not there", &history, "missing f/c/v; ", SG_EXIT_DONE);
}

/* Nothing that is missing or of another GPU takes back what was seen. */
TEST(failures_stay_open)
{
    struct sg_history history;
    const size_t wrong = NIGHTS - 4; /* on GPU aa; what comes behind it: */
    static const struct {
        const char *sentence, *unit, *statuses /* of the three nights; blank: without the item */,
            *words;
        enum sg_exit exit_code;
    } rows[] = {
        {"not measured since", "aa", "   ", "broken f/c/v +; ", SG_EXIT_UNDECLARED},
        {"right on another GPU", "bb", "ooo", "broken f/c/v +; ", SG_EXIT_UNDECLARED},
        {"right on a GPU without a name", "", "ooo", "broken f/c/v +; ", SG_EXIT_UNDECLARED},
        {"wrong on another GPU too", "bb", "www", "broken f/c/v +; broken f/c/v +; ",
         SG_EXIT_UNDECLARED},
        {"wrong on another GPU, and right there", "bb", "wwo", "broken f/c/v +; fixed f/c/v +; ",
         SG_EXIT_UNDECLARED},
        {"right there, and then without the item", "aa", "o  ", "", SG_EXIT_DONE},
        {"right on the same GPU", "aa", "  o", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"skipped since", "aa", " ss", "broken f/c/v +; ", SG_EXIT_UNDECLARED},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        make_history(0, &history);
        for (size_t night = wrong; night < NIGHTS; night++) {
            const char status = night == wrong ? 'w' : rows[i].statuses[night - wrong - 1];
            struct sg_night_row *row = &history.rows.items[night];
            if (night > wrong)
                sg_env_set(&history.nights[night].facts, SG_NIGHT_UNIT, rows[i].unit);
            if (status == ' ')
                history.nights[night].to = history.nights[night].from;
            row->status = sg_intern(&history.pool, status == 'o'   ? "ok"
                                                   : status == 's' ? "skipped"
                                                                   : "wrong");
            row->ratio = status == 'o' ? row->ratio : NAN;
        }
        expect(rows[i].sentence, &history, rows[i].words, rows[i].exit_code);
    }
    make_history(0, &history);
    history.rows.items[NIGHTS - 2].ratio *= 1.01;
    history.nights[NIGHTS - 1].to = history.nights[NIGHTS - 1].from;
    expect("off on its last night, and not there since", &history, "off f/c/v; missing f/c/v; ",
           SG_EXIT_INCONCLUSIVE);
}

/* A row that fails now and then is not fixed by one right night. */
TEST(flaky_rows)
{
    struct sg_history history;
    static const struct {
        const char *sentence, *statuses /* of the last nights, behind right ones */,
            *gpus /* in turn */, *words;
        enum sg_exit exit_code;
    } rows[] = {
        {"every second night, right on the last", "wowowowo", "a", "flaky f/c/v +; ",
         SG_EXIT_INCONCLUSIVE},
        {"for six nights", "wowowoooooo", "a", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"every third night, right on the last", "woowoowoowo", "a", "flaky f/c/v +; ",
         SG_EXIT_INCONCLUSIVE},
        {"for eight nights", "woowoowoowoooooooo", "a", "flaky f/c/v +; ", SG_EXIT_INCONCLUSIVE},
        {"for nine nights", "woowoowoowooooooooo", "a", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"for ten nights", "woowoowoowoooooooooo", "a", "", SG_EXIT_DONE},
        {"every third night on two GPUs in turn", "woowoowoowoo", "ab", "flaky f/c/v +; ",
         SG_EXIT_INCONCLUSIVE},
        {"and right for nine nights", "woowoowoowooooooooo", "ab", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"every fifth night, right for fourteen", "woooowoooowoooooooooooooo", "a",
         "flaky f/c/v +; ", SG_EXIT_INCONCLUSIVE},
        {"and for fifteen", "woooowoooowooooooooooooooo", "a", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"the longest way counts", "wowoooowoooooooooooo", "a", "flaky f/c/v +; ",
         SG_EXIT_INCONCLUSIVE},
        {"without the item since", "woowoowo   ", "a", "flaky f/c/v +; ", SG_EXIT_INCONCLUSIVE},
        {"wrong on the last night", "woowoow", "a", "broken f/c/v +; ", SG_EXIT_UNDECLARED},
        {"one failure", "wo", "a", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"one failure long ago", "wooooooooo", "a", "", SG_EXIT_DONE},
        {"wrong on each night before", "wwwwwo", "a", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"wrong on each night of one GPU", "wowowowo", "ab", "broken f/c/v +; ",
         SG_EXIT_UNDECLARED},
        {"and right there on the last", "owowowoo", "ab", "fixed f/c/v +; ", SG_EXIT_DONE},
        {"two faults, 31 nights apart", "woooooooooooooooooooooooooooooowo", "a", "fixed f/c/v +; ",
         SG_EXIT_DONE},
        {"30 nights apart", "wooooooooooooooooooooooooooooowo", "a", "flaky f/c/v +; ",
         SG_EXIT_INCONCLUSIVE},
        {"flaky, fixed, and one failure after that", "wowowoooooooowo", "a", "fixed f/c/v +; ",
         SG_EXIT_DONE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t first = NIGHTS - strlen(rows[i].statuses);
        make_history(0, &history);
        for (size_t night = 0; night < NIGHTS; night++) {
            struct sg_night_row *row = &history.rows.items[night];
            const char status = night < first ? 'o' : rows[i].statuses[night - first];
            sg_env_setf(&history.nights[night].facts, SG_NIGHT_UNIT, "%c",
                        rows[i].gpus[night % strlen(rows[i].gpus)]);
            if (status == ' ')
                history.nights[night].to = history.nights[night].from;
            row->status = sg_intern(&history.pool, status == 'o' ? "ok" : "wrong");
            row->ratio = status == 'o' ? row->ratio : NAN;
        }
        expect(rows[i].sentence, &history, rows[i].words, rows[i].exit_code);
    }
}

TEST(spread_of_processes)
{
    struct sg_history history;
    static const struct {
        const char *sentence;
        size_t nights; /* that have a spread, with the last */
        double times;
        const char *accepted;
        bool is_paired, is_absent, is_wide;
    } rows[] = {
        {"five times as far", 11, 5, NULL, false, false, true},
        {"and then without the item", 12, 5, NULL, false, true, true},
        {"twice as far", 30, 2, NULL, false, false, false},
        {"with nine nights before", 10, 5, NULL, false, false, false},
        {"with nights of another kind before", 30, 5, NULL, true, false, false},
        {"accepted as it is", 30, 5, "2026-03-04", false, false, false},
        {"accepted before", 30, 5, "2026-02-10", false, false, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        make_history(0, &history);
        const size_t last = NIGHTS - 1 - rows[i].is_absent;
        for (size_t night = NIGHTS - rows[i].nights; night < NIGHTS; night++) {
            history.rows.items[night].spread.sd = night == last ? 0.001 * rows[i].times : 0.001;
            history.rows.items[night].spread.processes = 10;
        }
        if (rows[i].is_paired) {
            history.rows.items[last].build_ratio = 1;
            history.rows.items[last].build_ratio_se = 0.0003;
            history.rows.items[last].build = sg_intern(&history.pool, "00112233445566ff");
        }
        if (rows[i].is_absent)
            history.nights[NIGHTS - 1].to = history.nights[NIGHTS - 1].from;
        if (rows[i].accepted)
            decide(&history, rows[i].accepted, SG_STEP_ACCEPTED);
        expect(rows[i].sentence, &history,
               !rows[i].is_wide    ? ""
               : rows[i].is_absent ? "spread f/c/v +; missing f/c/v; "
                                   : "spread f/c/v +; ",
               rows[i].is_wide ? SG_EXIT_INCONCLUSIVE : SG_EXIT_DONE);
    }
}

/* "x a=1 b=2": module and counters of a night; "-": a module that is not known. */
static void add_counted_night(struct sg_history *history, const char *night)
{
    const char module[] = {night[0], '\0'};
    struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
    sg_history_begin_night(history);
    row.name = sg_intern(&history->pool, "f/c/v");
    row.status = sg_intern(&history->pool, "ok");
    row.code = sg_intern(&history->pool, module[0] == '-' ? "" : module);
    row.counters = sg_intern(&history->pool, night + 2);
    sg_history_add_row(history, &row);
}

TEST(counters_that_differ)
{
    static const struct {
        const char *proves, *nights[8], *changes; /* the last night first */
    } rows[] = {
        {"none", {"x a=1 b=2", "w a=1 b=2"}, ""},
        {"another module", {"x a=1 b=20 c=3", "w a=1 b=2 c=3"}, "b 2 -> 20;"},
        {"two, and one that is new", {"x a=2 b=2 c=4", "w a=1 c=3"}, "a 1 -> 2;c 3 -> 4;"},
        {"names that begin alike", {"x a=1 b=3", "w a=1 ab=5 b=2"}, "b 2 -> 3;"},
        {"the same module: it was no change of code", {"x a=2", "x a=1", "w a=1"}, ""},
        {"no counters before", {"x a=1", "w "}, ""},
        {"none tonight", {"x ", "w a=1"}, ""},
        {"the first night", {"x a=1"}, ""},
        {"of a night without counters between", {"x a=2", "w ", "w a=1"}, "a 1 -> 2;"},
        {"one differed on nights of one module",
         {"x a=3 b=3", "w a=2 b=2", "w a=2 b=2.001"},
         "a 2 -> 3;"},
        {"long before, too",
         {"x a=3", "w a=2", "v a=2", "v a=2", "v a=2", "v a=2", "v a=2", "v a=1"},
         ""},
        {"one that commits change each night is exact",
         {"x a=4", "w a=3", "v a=2", "u a=1"},
         "a 3 -> 4;"},
        {"modules that are not known",
         {"- a=3 b=3", "- a=2 b=2", "- a=2 b=2", "- a=2 b=1"},
         "a 2 -> 3;"},
        {"of them the last five nights count",
         {"- a=3", "- a=2", "- a=2", "- a=2", "- a=2", "- a=2", "- a=2", "- a=1"},
         "a 2 -> 3;"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_history history = {0};
        struct sg_judgement judgement;
        SG_SCOPED(sg_names) changes = {0};
        SG_SCOPED(sg_text) found = {0};
        size_t count = 0;
        while (count < 8 && rows[i].nights[count])
            count++;
        for (size_t night = count; night-- > 0;)
            add_counted_night(&history, rows[i].nights[night]);
        sg_history_judge(&history, &rule, &judgement);
        sg_night_counter_changes(&history, &judgement.series[0], NULL, count - 1, &changes);
        for (size_t k = 0; k < changes.count; k++)
            sg_text_addf(&found, "%s;", changes.items[k]);
        if (strcmp(sg_text_string(&found), rows[i].changes) != 0)
            fail_msg("%s: '%s'", rows[i].proves, sg_text_string(&found));
    }
}
