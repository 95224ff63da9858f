#include "cli/cmd_history.h"

#include <fnmatch.h>
#include <string.h>

struct input {
    const char *folder, *group, *series, *night, *reason;
    struct sg_text out;
};

static enum sg_code read_night(void *place, const char *found, struct sg_err *err)
{
    if (!sg_night_is_date(found))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a date such as 2026-11-20, found '%s'",
                       sg_show_string(found).text);
    *(const char **)place = found;
    return SG_SUCCESS;
}

/* Number of items that match the name or pattern; 0 if the history has no nightly run from that
 * date on. */
static size_t count_matches(const struct input *in, const struct sg_history *history)
{
    size_t count = 0;
    struct sg_intern_pool *seen = NULL;
    if (history->count == 0 ||
        strcmp(sg_night_fact(history, history->count - 1, SG_NIGHT_DATE), in->night) < 0)
        return 0;
    for (size_t i = 0; i < history->rows.count; i++) {
        const char *name = sg_intern_pool_string(history->pool, history->rows.items[i].name);
        count += fnmatch(in->series, name, 0) == 0 && sg_intern_pool_is_news(&seen, name);
    }
    return count;
}

/* If a day has several nightly runs, the date alone does not say which one precedes the step. */
static enum sg_code check_night(const struct input *in, const char *group,
                                const struct sg_history *history, struct sg_err *err)
{
    const size_t length = strlen(in->night);
    const char *last = "";
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++) {
        const char *date = sg_night_fact(history, i, SG_NIGHT_DATE);
        const bool is_longer = strncmp(date, in->night, length) == 0 && date[length];
        count += is_longer;
        last = is_longer ? date : last;
    }
    return count <= 1 ? SG_SUCCESS
                      : sg_fail(err, SG_BAD_USAGE, "--night",
                                "%s has %zu nightly runs on %s: name one by its time, such as %s",
                                group, count, in->night, last);
}

static enum sg_code accept_in(void *context, const char *group, const struct sg_history *history,
                              struct sg_err *err)
{
    struct input *in = context;
    const struct sg_decision_row row = {.night = in->night,
                                        .series = in->series,
                                        .decision = SG_STEP_ACCEPTED,
                                        .reason = in->reason,
                                        .source = ""};
    const size_t count = count_matches(in, history);
    if (count > 0 && check_night(in, group, history, err) == SG_SUCCESS &&
        sg_history_decide(history, row, err) == SG_SUCCESS)
        sg_text_addf(&in->out, "%s: accepted in %zu series from %s on\n", group, count, in->night);
    return err->code;
}

static enum sg_code accept_all(struct input *in, struct sg_err *err)
{
    const struct sg_history_wanted wanted = {.folder = in->folder, .group = in->group, .all = true};
    if (sg_history_each(&wanted, accept_in, in, err) == SG_SUCCESS && in->out.length == 0)
        sg_fail(err, SG_BAD_INPUT, in->folder,
                "expected a series that is in the history on %s or later, found none called '%s'",
                in->night, sg_show_string(in->series).text);
    if (err->code == SG_SUCCESS)
        sg_print(&in->out, err);
    return err->code;
}

int sg_cmd_history_accept(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
        SG_GROUP_OPTION(struct input),
        SG_VALUE("night", "DATE", struct input, night,
                 .help = "the first nightly run after the step, as check prints it",
                 .read = read_night, .required = true),
        SG_VALUE("reason", "TEXT", struct input, reason, .help = "why it is accepted",
                 .read = sg_read_reason, .required = true),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("SERIES", struct input, series,
                                  .help = "FAMILY/CASE/VARIANT, or a pattern such as 'matvec/*'")},
        .summary = "Accepts a step: later nightly runs are compared with the level after the step.",
        .notes = "Written as one file into DIR/<gpu>/<suite>/steps/; to take it back, remove the "
                 "file.\n\n"
                 "Example: solgate history accept matvec/r64_c64_f32/warp_per_row "
                 "--night=2026-11-12 --reason='fewer registers, more checks'",
        .exits = {{SG_EXIT_DONE, "accepted"},
                  {SG_EXIT_INVALID, "not written"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.folder = sg_history_folder()};
    if (sg_options_parse(&table, &in, argc, argv, err))
        accept_all(&in, err);
    return 0;
}
