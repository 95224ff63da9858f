/* history/series.h: nights paired with accepted builds. A build that is accepted makes no step,
 * hides none, and settles its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "history/judge.h"
#include "util/random.h"

#define NIGHTS 70
#define NOISE  0.0004

static const struct sg_history_rule rule = {.tolerance = SG_HISTORY_TOLERANCE};

/* A year of one item: how slow its code is each night, and the night
 * whose code is the accepted build's. */
struct year {
    double slow[NIGHTS];  /* ln */
    int code[NIGHTS];     /* number of the module */
    int accepted[NIGHTS]; /* the night whose build is accepted; NOT_PAIRED */
    double accepted_slow[NIGHTS];
    unsigned gpus, unknown_codes;
    int new_gpu; /* from this night on another GPU; 0: none */
};
#define NOT_PAIRED (-1)

/* One module all the time, that of the first night accepted. */
static struct year quiet_year(void)
{
    struct year year = {.gpus = 1};
    return year;
}

static void change_code(struct year *year, int night, double slower)
{
    for (int i = night; i < NIGHTS; i++) {
        year->slow[i] += slower;
        year->code[i]++;
    }
}

/* From `night` on the build of the night `of` is accepted. */
static void accept_build(struct year *year, int night, int of)
{
    for (int i = night; i < NIGHTS; i++)
        year->accepted[i] = of;
}

static sg_id digest_of(struct sg_intern_pool **pool, int code)
{
    char digest[32];
    snprintf(digest, sizeof(digest), "%016x", 1 + code);
    return sg_intern(pool, digest);
}

static void make_history(const struct year *year, struct sg_history *history)
{
    uint64_t random = 11;
    *history = (struct sg_history){0};
    for (int i = 0; i < NIGHTS; i++) {
        char date[32], gpu[16];
        struct sg_env *facts = &sg_history_begin_night(history)->facts;
        const unsigned n = (unsigned)(i * 7) % year->gpus;
        const int of = year->accepted[i];
        snprintf(date, sizeof(date), "2026-%02d-%02dT02:00:00Z", 1 + i / 28, 1 + i % 28);
        snprintf(gpu, sizeof(gpu), "gpu%u",
                 year->new_gpu > 0 && i >= year->new_gpu ? year->gpus : n);
        sg_env_set(facts, SG_NIGHT_DATE, date);
        sg_env_set(facts, "gpu_uuid_hash", gpu);
        sg_env_set(facts, "driver", "580");
        sg_env_set(facts, "tolerance", "0.005");
        struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
        row.name = sg_intern(&history->pool, "f/c/v");
        row.status = sg_intern(&history->pool, "ok");
        row.code = year->unknown_codes ? 0 : digest_of(&history->pool, year->code[i]);
        /* GPUs differ in it by one percent, pairs of builds do not. */
        const double pair = NOISE * sg_random_normal(&random),
                     ratio = 0.001 * sg_random_normal(&random);
        row.ratio = 1.2 * exp(0.01 * n + ratio + year->slow[i]);
        row.ratio_se = 0.0003;
        if (of != NOT_PAIRED) {
            row.build = digest_of(&history->pool, year->code[of]);
            row.build_ratio = exp(pair + year->slow[i] - year->slow[of]);
            row.build_ratio_se = NOISE / 2;
        }
        sg_history_add_row(history, &row);
    }
}

/* "slower@40 " for each finding; then each step that counts as "step@40 accepted ". */
static struct sg_text judge(const struct year *year)
{
    struct sg_history history;
    struct sg_judgement judgement;
    struct sg_text found = {0};
    make_history(year, &history);
    sg_history_judge(&history, &rule, &judgement);
    for (size_t i = 0; i < judgement.finding_count; i++)
        sg_text_addf(&found, "%s %s@%zu; ", sg_verdict_word(judgement.findings[i].found),
                     sg_history_kind_word(judgement.findings[i].kind),
                     judgement.findings[i].step.at);
    const struct sg_history_series *series = &judgement.series[0];
    for (size_t i = 0; i < series->steps.count; i++)
        if (series->steps.steps[i].counts && series->decided[series->steps.steps[i].at])
            sg_text_addf(&found, "%s@%zu; ",
                         sg_decided_word(series->decided[series->steps.steps[i].at]),
                         series->steps.steps[i].at);
    return found;
}

static void expect(const char *proves, const struct year *year, const char *words)
{
    for (unsigned gpus = 1; gpus <= 5; gpus += 4) {
        struct year of_gpus = *year;
        of_gpus.gpus = gpus;
        struct sg_text found = judge(&of_gpus);
        if (strcmp(sg_text_string(&found), words) != 0)
            fail_msg("%s, %u GPUs: '%s'", proves, gpus, sg_text_string(&found));
        sg_text_release(&found);
    }
}

TEST(steps_of_paired_nights)
{
    struct year year = quiet_year();
    expect("nothing", &year, "");
    year = quiet_year();
    change_code(&year, 40, 0.003);
    expect("a change below the tolerance of the gate", &year, "slower build@40; ");
    year = quiet_year();
    change_code(&year, 30, 0);
    accept_build(&year, 45, 40);
    expect("another build that is as fast", &year, "");
}

TEST(accepted_build_settles_its_step)
{
    struct year year = quiet_year();
    change_code(&year, 40, 0.01);
    accept_build(&year, 44, 43);
    expect("slower by more than the tolerance", &year, "accepted with its build@40; ");
    year = quiet_year();
    change_code(&year, 40, 0.003);
    accept_build(&year, 50, 49);
    expect("by less, so that nobody was asked", &year, "slower build@40; ");
    year = quiet_year();
    change_code(&year, 40, -0.01);
    accept_build(&year, 50, 49);
    expect("faster", &year, "accepted with its build@40; ");
    change_code(&year, 60, 0.01);
    expect("and lost again", &year, "slower build@60; accepted with its build@40; ");
}

TEST(accepted_build_hides_no_step)
{
    struct year year = quiet_year();
    change_code(&year, 50, 0.004);
    accept_build(&year, 50, 49);
    expect("a step on the night of the new build", &year, "slower build@50; ");
    year = quiet_year();
    change_code(&year, 45, 0.004);
    accept_build(&year, 50, 44);
    expect("one that the new build is older than", &year, "slower build@45; ");
    year = quiet_year();
    change_code(&year, 66, 0.004);
    accept_build(&year, 68, 60);
    expect("one of two nights before it", &year, "slower build@66; ");
}

/* Each change is below the tolerance of steps and is accepted four nights later:
 * together they are slower by much more. */
TEST(accepted_builds_do_not_hide_creep)
{
    struct year year = quiet_year();
    struct sg_history history;
    struct sg_judgement judgement;
    for (int night = 10; night < 64; night += 6) {
        change_code(&year, night, 0.0009);
        accept_build(&year, night + 4, night);
    }
    double is = 0;
    for (size_t i = 0; i < SG_CREEP_NIGHTS; i++)
        is += (year.slow[NIGHTS - 1 - i] - year.slow[i]) / SG_CREEP_NIGHTS;
    make_history(&year, &history);
    sg_history_judge(&history, &rule, &judgement);
    const struct sg_series_steps *steps = &judgement.series[0].steps;
    if (!(steps->creep_low < is && is < steps->creep_high &&
          steps->creep_low > 2 * SG_HISTORY_TOLERANCE))
        fail_msg("creep of %g reads %g [%g, %g]", is, steps->creep, steps->creep_low,
                 steps->creep_high);
    assert_true(judgement.finding_count == 1 && judgement.findings[0].found == SG_CREEP);
}

/* Pairs with an accepted build are compared between GPUs, whether its own value is known or not. */
TEST(new_machine_hides_no_step)
{
    struct year year = quiet_year();
    year.new_gpu = NIGHTS - 3;
    expect("none", &year, "");
    change_code(&year, NIGHTS - 3, 0.018);
    expect("that comes with it", &year, "slower build@67; ");
    year = quiet_year();
    year.new_gpu = NIGHTS - 1;
    change_code(&year, NIGHTS - 1, 0.018);
    expect("on its first night", &year, "off build@69; ");
    year.unknown_codes = 1;
    expect("of a build that was never measured", &year, "off build@69; ");
}

/* Pairs find a step with any number of GPUs in turns. Ratios do not with many, and say so. */
TEST(many_gpus_hide_no_step)
{
    static const unsigned gpus[] = {1, 8, 30, 61, 400};
    for (size_t i = 0; i < COUNT(gpus); i++) {
        struct sg_history history;
        struct sg_judgement judgement;
        struct year year = quiet_year();
        year.gpus = gpus[i];
        change_code(&year, 30, 0.05);
        make_history(&year, &history);
        sg_history_judge(&history, &rule, &judgement);
        if (judgement.finding_count != 1 || judgement.findings[0].step.at != 30 ||
            judgement.findings[0].step.found > 33 || judgement.thin > 0)
            fail_msg("pairs of %u GPUs: %zu findings", gpus[i], judgement.finding_count);
        accept_build(&year, 0, NOT_PAIRED);
        make_history(&year, &history);
        sg_history_judge(&history, &rule, &judgement);
        if ((judgement.finding_count != 1) != (judgement.thin == 1))
            fail_msg("ratios of %u GPUs: %zu findings, %zu series are thin", gpus[i],
                     judgement.finding_count, judgement.thin);
    }
}

/* A build that the history never measured: what lies before it and behind it cannot be compared. */
TEST(unknown_build_makes_no_step)
{
    struct year year = quiet_year();
    year.unknown_codes = 1;
    change_code(&year, 40, 0.01);
    accept_build(&year, 50, 45);
    expect("it makes none, and settles none", &year, "slower build@40; ");
    year = quiet_year();
    year.unknown_codes = 1;
    change_code(&year, 50, 0.01);
    accept_build(&year, 50, 50);
    expect("nor where nothing is left to compare with", &year, "");
}

TEST(nights_without_a_pair_count)
{
    struct year year = quiet_year();
    accept_build(&year, 0, NOT_PAIRED);
    accept_build(&year, 30, 29);
    expect("pairs begin", &year, "");
    change_code(&year, 30, 0.01);
    expect("with a step on that night", &year, "slower build@30; ");
    year = quiet_year();
    accept_build(&year, 40, NOT_PAIRED);
    change_code(&year, 50, 0.02);
    expect("the build is lost, and then a step", &year, "slower ratio@50; ");
    year = quiet_year();
    change_code(&year, 25, 0.01);
    accept_build(&year, 40, NOT_PAIRED);
    expect("a step that pairs found stays open", &year, "slower build@25; ");
}
