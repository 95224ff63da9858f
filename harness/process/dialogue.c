#include "process/dialogue.h"

#include <stdio.h>
#include <string.h>

#include "results/env.h"
#include "stats/abba.h"

enum pass { LIST, DOCTOR, VERIFY, TIME, COUNT, PASSES };

static const char *const passes[PASSES] = {"list", "doctor", "verify", "time", "count"};

#define IN(pass) (1u << (pass))
#define IN_ALL   (IN(PASSES) - 1u)
#define OF_ITEMS (IN(VERIFY) | IN(TIME) | IN(COUNT))

/* Which passes a kind of message is of. */
static const unsigned is_of[SG_MESSAGE_COUNT] = {
    [SG_MESSAGE_HELLO] = IN_ALL,      [SG_MESSAGE_ENV] = IN_ALL,
    [SG_MESSAGE_FAMILY] = IN(LIST),   [SG_MESSAGE_CASE] = IN(LIST),
    [SG_MESSAGE_VARIANT] = IN(LIST),  [SG_MESSAGE_KNOB] = IN(LIST),
    [SG_MESSAGE_BEGIN] = OF_ITEMS,    [SG_MESSAGE_AT] = IN(COUNT),
    [SG_MESSAGE_STATUS] = OF_ITEMS,   [SG_MESSAGE_VALUE] = IN(VERIFY) | IN(COUNT),
    [SG_MESSAGE_BASELINE] = IN(TIME), [SG_MESSAGE_SAMPLE] = IN(TIME),
    [SG_MESSAGE_EVENTS] = IN(TIME),   [SG_MESSAGE_FIGURE] = IN(TIME),
    [SG_MESSAGE_NOTE] = IN_ALL,       [SG_MESSAGE_FAIL] = IN_ALL,
    [SG_MESSAGE_SIDE] = IN(TIME),     [SG_MESSAGE_BYE] = IN_ALL,
};

static bool is_pass(const struct sg_dialogue *d, enum pass pass)
{
    return strcmp(d->pass, passes[pass]) == 0;
}

static unsigned pass_bit(const struct sg_dialogue *d)
{
    enum pass pass = LIST;
    while (pass < PASSES && !is_pass(d, pass))
        pass++;
    return IN(pass);
}

/* False: the pool had it. */
static bool add_new(struct sg_intern_pool **pool, const char *string)
{
    const bool is_new = sg_intern_pool_find(*pool, string) == UINT32_MAX;
    sg_intern(pool, string);
    return is_new;
}

static enum sg_code take_hello(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    char version[16];
    snprintf(version, sizeof(version), "%d", SG_PROTOCOL_VERSION);
    if (d->greeted)
        return sg_fail(err, SG_INVALID, NULL, "hello again");
    if (strcmp(m->field[0], version) != 0)
        return sg_fail(err, SG_INVALID, NULL,
                       "hello: expected version %s of the protocol, found '%s': solgate and solgate-worker are not of one build", version,
                       sg_show(m->field[0], strlen(m->field[0])).text);
    if (strcmp(m->field[1], d->pass) != 0)
        return sg_fail(err, SG_INVALID, NULL, "hello: expected pass %s, found '%s'", d->pass,
                       sg_show(m->field[1], strlen(m->field[1])).text);
    d->greeted = true;
    return SG_SUCCESS;
}

static enum sg_code take_env(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    if (d->item.length > 0 || d->launches > 0 || d->looks > 0)
        return sg_fail(err, SG_INVALID, NULL, "env: expected it before the first item, found '%s' behind it",
                       sg_show(m->field[0], strlen(m->field[0])).text);
    if (!add_new(&d->keys, m->field[0]))
        return sg_fail(err, SG_INVALID, NULL, "env: expected each key once, found '%s' again",
                       sg_show(m->field[0], strlen(m->field[0])).text);
    d->has_code |= strncmp(m->field[0], SG_CODE_PREFIX, strlen(SG_CODE_PREFIX)) == 0 ||
                   strncmp(m->field[0], SG_ACCEPTED_CODE_PREFIX, strlen(SG_ACCEPTED_CODE_PREFIX)) == 0;
    return SG_SUCCESS;
}

static struct sg_text name_of(const struct sg_message *m)
{
    struct sg_text name = {0};
    sg_text_addf(&name, "%s/%s/%s", m->field[0], m->field[1], m->field[2]);
    return name;
}

static enum sg_code take_begin(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    if (!d->has_code)
        return sg_fail(err, SG_INVALID, NULL, "begin: expected env lines that say which code was loaded before it");
    if (is_pass(d, TIME) && d->looks != 1)
        return sg_fail(err, SG_INVALID, NULL, "begin: expected it between the events of start and end");
    if (is_pass(d, VERIFY) && d->item.length > 0)
        return sg_fail(err, SG_INVALID, NULL, "begin: expected one item");
    sg_text_release(&d->item);
    d->item = name_of(m);
    sg_intern_pool_free(d->metrics);
    d->metrics = NULL;
    d->has_status = d->has_rows = false;
    d->batches = 0;
    return SG_SUCCESS;
}

static enum sg_code take_at(struct sg_dialogue *d, struct sg_err *err)
{
    if (++d->launches <= SG_LAUNCHES_REPORTED_MAX)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "at: more launches than there are to count");
}

static enum sg_code check_item(const struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    struct sg_text name = name_of(m);
    if (d->item.length == 0)
        sg_fail(err, SG_INVALID, NULL, "a row of no item that has begun");
    else if (strcmp(name.data, d->item.data) != 0)
        sg_fail(err, SG_INVALID, NULL, "expected a row of %s, found one of '%s'", d->item.data, sg_show(name.data, name.length).text);
    sg_text_release(&name);
    return err->code;
}

/* Of an item there is a status, or there are rows; where it is verified,
 * first the one and then the others. */
static enum sg_code take_status(struct sg_dialogue *d, struct sg_err *err)
{
    if (d->has_status || d->has_rows)
        return sg_fail(err, SG_INVALID, NULL, "status: expected one, and before any row, found it behind %s",
                       d->has_status ? "another" : "rows");
    d->has_status = true;
    return SG_SUCCESS;
}

static enum sg_code take_row(struct sg_dialogue *d, struct sg_err *err)
{
    if (d->has_status != is_pass(d, VERIFY))
        return sg_fail(err, SG_INVALID, NULL, d->has_status ? "a row of an item that failed" : "a row before the status");
    d->has_rows = true;
    return SG_SUCCESS;
}

static enum sg_code take_value(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    const char *metric = m->field[3];
    if (take_row(d, err) != SG_SUCCESS)
        return err->code;
    if (sg_intern_pool_find(d->metrics, "count_passes") != UINT32_MAX)
        return sg_fail(err, SG_INVALID, NULL, "value: expected nothing behind count_passes");
    if (!add_new(&d->metrics, metric))
        return sg_fail(err, SG_INVALID, NULL, "value: expected each metric once, found '%s' again", sg_show(metric, strlen(metric)).text);
    return SG_SUCCESS;
}

static enum sg_code take_sample(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    static const char *const column[] = {"process", "block", "position"};
    const uint64_t expected[] = {d->process, d->batches / SG_BLOCK_BATCHES, d->batches % SG_BLOCK_BATCHES};
    if (take_row(d, err) != SG_SUCCESS)
        return err->code;
    if (d->batches == (size_t)SG_BLOCKS_MAX * SG_BLOCK_BATCHES)
        return sg_fail(err, SG_INVALID, NULL, "sample: expected at most %d blocks", SG_BLOCKS_MAX);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        uint64_t found = 0;
        const char *field = m->field[3 + i];
        if (!sg_parse_u64(field, &found) || found != expected[i])
            return sg_fail(err, SG_INVALID, NULL, "sample: %s: expected %llu, found '%s'", column[i], (unsigned long long)expected[i],
                           sg_show(field, strlen(field)).text);
    }
    d->batches++;
    return SG_SUCCESS;
}

static enum sg_code take_events(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    if (d->looks == SG_MOMENTS || strcmp(m->field[0], sg_moment_word((enum sg_moment)d->looks)) != 0)
        return sg_fail(err, SG_INVALID, NULL, "events: expected those of start and then of end, each once, found '%s'",
                       sg_show(m->field[0], strlen(m->field[0])).text);
    d->looks++;
    return SG_SUCCESS;
}

static enum sg_code take_figure(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    const enum sg_moment now = d->looks == SG_MOMENTS ? SG_AT_END : SG_AT_START;
    enum sg_figure figure = 0;
    while (figure < SG_FIGURE_COUNT && strcmp(m->field[1], sg_figure_word(figure)) != 0)
        figure++;
    if (d->looks == 0 || strcmp(m->field[0], sg_moment_word(now)) != 0 || figure == SG_FIGURE_COUNT || d->figured[now][figure])
        return sg_fail(err, SG_INVALID, NULL, "figure: expected each once behind the events of its moment, found '%s' of '%s'",
                       sg_show(m->field[1], strlen(m->field[1])).text, sg_show(m->field[0], strlen(m->field[0])).text);
    d->figured[now][figure] = true;
    return SG_SUCCESS;
}

static enum sg_code take_of_item(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    if (check_item(d, m, err) != SG_SUCCESS)
        return err->code;
    switch (m->kind) {
    case SG_MESSAGE_STATUS:
    case SG_MESSAGE_BASELINE:
        return take_status(d, err);
    case SG_MESSAGE_VALUE:
        return take_value(d, m, err);
    default:
        return take_sample(d, m, err);
    }
}

enum sg_code sg_dialogue_take(struct sg_dialogue *d, const struct sg_message *m, struct sg_err *err)
{
    /* A worker that does not understand its command line says so before anything else. */
    if (!d->greeted && m->kind != SG_MESSAGE_HELLO && m->kind != SG_MESSAGE_FAIL)
        return sg_fail(err, SG_INVALID, NULL, "expected hello before anything else");
    if (!(is_of[m->kind] & pass_bit(d)))
        return sg_fail(err, SG_INVALID, NULL, "a message that is none of pass %s", d->pass);
    if (d->left)
        return sg_fail(err, SG_INVALID, NULL, "a message behind its bye");
    switch (m->kind) {
    case SG_MESSAGE_HELLO:
        return take_hello(d, m, err);
    case SG_MESSAGE_ENV:
        return take_env(d, m, err);
    case SG_MESSAGE_BEGIN:
        return take_begin(d, m, err);
    case SG_MESSAGE_AT:
        return take_at(d, err);
    case SG_MESSAGE_SIDE:
        return d->item.length > 0 ? SG_SUCCESS : sg_fail(err, SG_INVALID, NULL, "side: of no item that has begun");
    case SG_MESSAGE_STATUS:
    case SG_MESSAGE_BASELINE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
        return take_of_item(d, m, err);
    case SG_MESSAGE_EVENTS:
        return take_events(d, m, err);
    case SG_MESSAGE_FIGURE:
        return take_figure(d, m, err);
    case SG_MESSAGE_BYE:
        d->left = true;
        return SG_SUCCESS;
    default:
        return SG_SUCCESS;
    }
}

void sg_dialogue_release(struct sg_dialogue *d)
{
    sg_intern_pool_free(d->keys);
    sg_intern_pool_free(d->metrics);
    sg_text_release(&d->item);
    *d = (struct sg_dialogue){0};
}
