#include "history/history.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/csv_reader.h"
#include "util/file.h"
#include "util/paths.h"

#define STEPS "steps"
/* A day without a time may come from the time zone farthest ahead of UTC. */
#define ZONES_S (14 * 3600.0)

static const char *const decision_words[] = {SG_DECISION_TABLE(SG_WORD)[SG_STEP_DECISION_COUNT] =
                                                 NULL};

const char *sg_step_decision_word(enum sg_step_decision decision)
{
    return decision_words[decision];
}

struct sg_night *sg_history_begin_night(struct sg_history *history)
{
    struct sg_night *night = SG_APPEND(history->nights, history->count, history->capacity);
    *night = (struct sg_night){.from = history->rows.count,
                               .to = history->rows.count,
                               .gpu_from = history->gpus.count,
                               .gpu_to = history->gpus.count};
    return night;
}

void sg_history_add_row(struct sg_history *history, const struct sg_night_row *row)
{
    *SG_APPEND(history->rows.items, history->rows.count, history->rows.capacity) = *row;
    history->nights[history->count - 1].to = history->rows.count;
}

void sg_history_add_gpu(struct sg_history *history, const struct sg_unit *gpu)
{
    *SG_APPEND(history->gpus.items, history->gpus.count, history->gpus.capacity) = *gpu;
    history->nights[history->count - 1].gpu_to = history->gpus.count;
}

/* ---- loading ---- */

/* A group has files of nightly runs; other folders next to groups are ignored. */
enum sg_code sg_history_groups(const char *folder, struct sg_names *groups, struct sg_err *err)
{
    SG_SCOPED(sg_text) pattern = {0};
    glob_t files = {0};
    for (const char *at = folder; *at; at++)
        sg_text_addf(&pattern, "\\%c", *at);
    sg_text_add(&pattern, "/*/*/*.csv");
    const int status = glob(pattern.data, GLOB_ERR, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *group = files.gl_pathv[i] + strlen(folder) + 1;
        *strrchr(group, '/') = '\0';
        if (sg_night_is_name(group) && !sg_names_have(groups, group))
            sg_names_add(groups, group);
    }
    if (status == GLOB_ABORTED || !sg_is_folder(folder))
        sg_fail(err, SG_BAD_INPUT, folder,
                "expected the folder of a history (--history=DIR, or $SOLGATE_HISTORY): %s",
                strerror(errno));
    else if (groups->count == 0)
        sg_fail(err, SG_BAD_INPUT, folder,
                "expected nightly runs in <gpu>/<suite>/, found none; `solgate history add RUN` "
                "adds one");
    globfree(&files);
    return err->code;
}

/* Refuses a copy of a file, or a file in the folder of another GPU or suite: it would count twice,
 * or in the wrong group. */
static enum sg_code check_place(const struct sg_history *history, const char *path,
                                struct sg_err *err)
{
    const struct sg_night *night = &history->nights[history->count - 1];
    SG_SCOPED(sg_text) place = {0};
    sg_night_add_group(night, &place);
    sg_text_add(&place, "/");
    sg_night_add_file(night, &place);
    const size_t length = strlen(path);
    if (length <= place.length || path[length - place.length - 1] != '/' ||
        strcmp(path + length - place.length, place.data) != 0)
        sg_fail(err, SG_BAD_INPUT, history->folder,
                "expected this file at %s by its facts, found it at %s", place.data,
                strrchr(path, '/') + 1);
    return err->code;
}

static struct sg_shown latest_date(void)
{
    return sg_utc_in(ZONES_S, SG_UTC_TIME);
}

/* Drops the run that was read last if its date cannot be true. */
static void leave_out_misdated(struct sg_history *history, const char *latest, const char *file)
{
    struct sg_night *night = &history->nights[history->count - 1];
    const char *why = sg_night_why_misdated(night, latest);
    if (!why)
        return;
    sg_names_addf(&history->misdated, "%s is dated %s", file, why);
    history->rows.count = night->from;
    history->gpus.count = night->gpu_from;
    sg_env_release(&night->facts);
    history->count--;
}

/* The first file that is not older than a date; file names begin with the date. */
static size_t first_since(const struct sg_names *files, const char *date)
{
    SG_SCOPED(sg_text) compact = {0};
    sg_night_add_date(date, &compact);
    size_t first = 0;
    while (first < files->count && strcmp(files->items[first], sg_text_string(&compact)) < 0)
        first++;
    return first;
}

/* Marks the files that a scan can use: the newest, the oldest, and the first ones since each
 * decision, with which slow creep compares the newest. */
static bool *find_needed(const struct sg_history *history, const struct sg_names *files)
{
    bool *is_needed = sg_alloc(files->count + 1, sizeof(*is_needed));
    for (size_t i = 0; i < files->count; i++)
        is_needed[i] =
            !history->is_recent || i < SG_NIGHTS_FIRST || i + SG_NIGHTS_LAST >= files->count;
    for (size_t d = 0; d < history->decision_count && history->is_recent; d++) {
        const size_t first = first_since(files, history->decisions[d].night);
        for (size_t i = first; i < files->count && i < first + SG_NIGHTS_FIRST; i++)
            is_needed[i] = true;
    }
    return is_needed;
}

/* Files are read by name: by date, then GPU. */
static enum sg_code load_nights(struct sg_history *history, struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    SG_SCOPED(sg_text) path = {0};
    const struct sg_shown latest = latest_date();
    sg_list_files(history->folder, ".csv", &files, err);
    SG_FREED bool *is_needed = find_needed(history, &files);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        history->unread += !is_needed[i];
        path.length = 0;
        sg_text_addf(&path, "%s/%s", history->folder, files.items[i]);
        if (is_needed[i] && sg_night_read(path.data, history, err) == SG_SUCCESS &&
            check_place(history, path.data, err) == SG_SUCCESS)
            leave_out_misdated(history, latest.text, files.items[i]);
    }
    return err->code;
}

static bool is_series(const char *series)
{
    return *series != '\0';
}

static bool is_reason(const char *reason)
{
    return !sg_is_blank(reason);
}

#define FIELD(type, member, ...) \
    SG_FIELD(type, #member, struct sg_decision_row, member, __VA_ARGS__)
#define DATE(member)                            \
    FIELD(TEXT, member, .is = sg_night_is_date, \
          .expected = "a date such as 2026-11-20, or 2026-11-20T23:40:34Z")
static const struct sg_field decision_columns[] = {
    DATE(night),
    FIELD(TEXT, series, .is = is_series, .expected = "an item, or a pattern"),
    FIELD(WORD, decision, .words = decision_words, .expected = "accepted, confirmed or refuted"),
    FIELD(TEXT, reason, .is = is_reason, .expected = "a reason in words"),
    DATE(date),
    FIELD(TEXT, source),
};
static const struct sg_record decision_record = SG_RECORD(decision_columns);

static enum sg_code on_decision(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_history *history = context;
    struct sg_decision_row read;
    const char *kept[sizeof(decision_columns) / sizeof(decision_columns[0])];
    if (row->line == 1)
        return sg_record_check_header(&decision_record, row, err);
    for (size_t i = 0; i < row->count; i++)
        kept[i] = sg_intern_string(&history->pool, row->field[i]);
    if (sg_record_read(&decision_record, kept, &read, NULL, err) == SG_SUCCESS)
        *SG_APPEND(history->decisions, history->decision_count, history->decision_capacity) = read;
    return sg_fail_here(err, row->path, row->line);
}

static int by_decision(const void *left, const void *right)
{
    const struct sg_decision_row *a = left, *b = right;
    const int order = strcmp(a->date, b->date);
    return order != 0 ? order : (a->decision > b->decision) - (a->decision < b->decision);
}

static enum sg_code load_decisions(struct sg_history *history, struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    SG_SCOPED(sg_text) folder = sg_text_of("%s/" STEPS, history->folder), path = {0};
    if (sg_is_folder(folder.data))
        sg_list_files(folder.data, ".csv", &files, err);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        path.length = 0;
        sg_text_addf(&path, "%s/%s", folder.data, files.items[i]);
        sg_csv_read(path.data, on_decision, history, err);
    }
    if (err->code == SG_SUCCESS && history->decision_count > 0)
        qsort(history->decisions, history->decision_count, sizeof(*history->decisions),
              by_decision);
    return err->code;
}

enum sg_code sg_history_load(const char *folder, const char *group, struct sg_history *history,
                             struct sg_err *err)
{
    SG_FORMATTED(path, "%s/%s", folder, group);
    free(history->folder);
    history->folder = sg_copy_string(path.data);
    if (load_decisions(history, err) == SG_SUCCESS)
        load_nights(history, err);
    return err->code;
}

/* ---- adding ---- */

/* A file that cannot be read back would make the whole group unreadable. */
static enum sg_code check_night(const struct sg_history *history, const char *path,
                                struct sg_err *err)
{
    const struct sg_night *night = &history->nights[history->count - 1];
    const char *why = sg_night_why_misdated(night, latest_date().text);
    struct sg_err wrong = {0};
    if (why)
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "expected the date of a nightly run, found a date %s: %s", why,
                       sg_env_get(&night->facts, SG_NIGHT_DATE));
    for (size_t i = night->from; i < night->to; i++) {
        const struct sg_night_row *row = &history->rows.items[i];
        if (sg_night_check_row(row, &wrong) != SG_SUCCESS)
            return sg_fail(err, wrong.code, path, "%s: %s",
                           sg_intern_pool_string(history->pool, row->name), wrong.message);
    }
    return SG_SUCCESS;
}

enum sg_code sg_history_add(const char *folder, const struct sg_history *history,
                            struct sg_text *path, bool *is_new, struct sg_err *err)
{
    const struct sg_night *night = &history->nights[history->count - 1];
    SG_SCOPED(sg_text) group = sg_text_of("%s/", folder), text = {0};
    sg_night_add_group(night, &group);
    sg_text_addf(path, "%s/", group.data);
    sg_night_add_file(night, path);
    *is_new = access(path->data, F_OK) != 0;
    sg_night_format(history, &text);
    if (check_night(history, path->data, err) == SG_SUCCESS &&
        sg_make_folders(group.data, err) == SG_SUCCESS && *is_new)
        sg_write_file(path->data, text.data, text.length, err);
    return err->code;
}

enum sg_code sg_history_decide(const struct sg_history *history, struct sg_decision_row row,
                               struct sg_err *err)
{
    const struct sg_shown now = sg_utc_now(SG_UTC_TIME);
    row.date = sg_later_date(now.text, history->decision_count > 0
                                           ? history->decisions[history->decision_count - 1].date
                                           : NULL);
    SG_SCOPED(sg_text) text = {0}, steps = {0}, path = {0};
    sg_record_add_header(&text, &decision_record);
    sg_text_add(&text, "\n");
    sg_record_add(&text, &decision_record, &row, NULL);
    sg_text_add(&text, "\n");
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, text.data, text.length);
    sg_text_addf(&steps, "%s/" STEPS, history->folder);
    sg_text_addf(&path, "%s/%.10s-%s.csv", steps.data, row.date, sg_digest_word(&digest).text);
    if (sg_make_folders(steps.data, err) == SG_SUCCESS)
        sg_write_file(path.data, text.data, text.length, err);
    return err->code;
}
