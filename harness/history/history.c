#include "history/history.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/csv_fields.h"
#include "util/csv_reader.h"
#include "util/file.h"
#include "util/paths.h"

#define STEPS "steps"
/* A day without a time may be that of the time zone that is the farthest ahead. */
#define ZONES_S (14 * 3600.0)

const char *sg_step_decision_word(enum sg_step_decision decision)
{
    static const char *const words[] = {
#define X(constant, word, meaning) word,
        SG_DECISION_TABLE(X)
#undef X
    };
    return words[decision];
}

static void release_decision(struct sg_decision_row *row)
{
    free((char *)(uintptr_t)row->night);
    free((char *)(uintptr_t)row->series);
    free((char *)(uintptr_t)row->reason);
    free((char *)(uintptr_t)row->date);
    free((char *)(uintptr_t)row->source);
}

void sg_history_release(struct sg_history *history)
{
    for (size_t i = 0; i < history->count; i++)
        sg_night_release(&history->nights[i]);
    for (size_t i = 0; i < history->decision_count; i++)
        release_decision(&history->decisions[i]);
    free(history->nights);
    free(history->decisions);
    free(history->rows.items);
    free(history->folder);
    sg_names_release(&history->misdated);
    sg_intern_pool_free(history->pool);
    *history = (struct sg_history){0};
}

/* ---- loading ---- */

/* Adds the folders in a folder whose names are names, as "BEFORE<name>". */
static enum sg_code add_folders(const char *folder, const char *before, struct sg_names *names, struct sg_err *err)
{
    DIR *opened = opendir(folder);
    struct sg_text path = {0};
    if (!opened)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_INPUT), folder, "expected the folder of a history: %s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(opened)) != NULL;) {
        path.length = 0;
        sg_text_addf(&path, "%s/%s", folder, entry->d_name);
        if (sg_is_name(entry->d_name) && sg_is_folder(path.data))
            sg_names_addf(names, "%s%s", before, entry->d_name);
    }
    closedir(opened);
    sg_text_release(&path);
    return SG_SUCCESS;
}

/* Has a group any night? Other folders beside groups are none of ours. */
static bool has_nights(const char *folder, const char *group, struct sg_err *err)
{
    struct sg_names files = {0};
    struct sg_text path = {0};
    sg_text_addf(&path, "%s/%s", folder, group);
    sg_list_files(path.data, ".csv", &files, err);
    const bool any = files.count > 0;
    sg_text_release(&path);
    sg_names_release(&files);
    return any;
}

static enum sg_code add_groups_of(const char *folder, const char *gpu, struct sg_names *groups, struct sg_err *err)
{
    struct sg_text path = {0}, before = {0};
    struct sg_names found = {0};
    sg_text_addf(&path, "%s/%s", folder, gpu);
    sg_text_addf(&before, "%s/", gpu);
    add_folders(path.data, before.data, &found, err);
    for (size_t i = 0; i < found.count && err->code == SG_SUCCESS; i++)
        if (has_nights(folder, found.items[i], err))
            sg_names_add(groups, found.items[i]);
    sg_names_release(&found);
    sg_text_release(&before);
    sg_text_release(&path);
    return err->code;
}

enum sg_code sg_history_groups(const char *folder, struct sg_names *groups, struct sg_err *err)
{
    struct sg_names gpus = {0};
    add_folders(folder, "", &gpus, err);
    for (size_t i = 0; i < gpus.count && err->code == SG_SUCCESS; i++)
        add_groups_of(folder, gpus.items[i], groups, err);
    sg_names_release(&gpus);
    if (err->code != SG_SUCCESS)
        return err->code;
    sg_names_sort(groups);
    if (groups->count == 0)
        sg_fail(err, SG_BAD_INPUT, folder, "expected nights in <gpu>/<suite>/, found none; `solgate history add RUN` adds one");
    return err->code;
}

static int by_date(const void *left, const void *right)
{
    const struct sg_night *a = left, *b = right;
    const int order = strcmp(sg_env_get(&a->facts, SG_NIGHT_DATE), sg_env_get(&b->facts, SG_NIGHT_DATE));
    return order != 0 ? order : strcmp(sg_env_get(&a->facts, SG_NIGHT_RUN), sg_env_get(&b->facts, SG_NIGHT_RUN));
}

/* A copy of a night, or one in the folder of another GPU or suite,
 * would count twice, or as another's. */
static enum sg_code check_name(const struct sg_history *history, const char *file, const struct sg_night *night, struct sg_err *err)
{
    struct sg_text group = {0}, name = {0};
    sg_night_add_group(night, &group);
    sg_night_add_file(night, &name);
    const char *slash = strrchr(history->folder, '/');
    while (slash > history->folder && slash[-1] != '/')
        slash--;
    if (strcmp(slash, group.data) != 0 || strcmp(file, name.data) != 0)
        sg_fail(err, SG_BAD_INPUT, history->folder, "expected this night at %s/%s by its facts, found it at %s", group.data, name.data,
                sg_show(file, strlen(file)).text);
    sg_text_release(&name);
    sg_text_release(&group);
    return err->code;
}

static struct sg_shown latest_date(void)
{
    return sg_utc_in(ZONES_S, SG_UTC_TIME);
}

/* The last night that was read, unless its date can be true. */
static void leave_out_misdated(struct sg_history *history, const char *latest, const char *file)
{
    struct sg_night *night = &history->nights[history->count - 1];
    const char *why = sg_night_why_misdated(night, latest);
    if (!why)
        return;
    sg_names_addf(&history->misdated, "%s is dated %s", file, why);
    history->rows.count = night->from;
    history->count--;
    sg_night_release(night);
}

static enum sg_code load_nights(const char *only, struct sg_history *history, struct sg_err *err)
{
    struct sg_names files = {0};
    struct sg_text path = {0};
    const struct sg_shown latest = latest_date();
    sg_list_files(history->folder, ".csv", &files, err);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        path.length = 0;
        sg_text_addf(&path, "%s/%s", history->folder, files.items[i]);
        struct sg_night *night = SG_APPEND(history->nights, history->count, history->capacity);
        *night = (struct sg_night){0};
        if (sg_night_read(path.data, only, &history->pool, &history->rows, night, err) == SG_SUCCESS &&
            check_name(history, files.items[i], night, err) == SG_SUCCESS)
            leave_out_misdated(history, latest.text, files.items[i]);
    }
    if (err->code == SG_SUCCESS && history->count > 0)
        qsort(history->nights, history->count, sizeof(*history->nights), by_date);
    sg_text_release(&path);
    sg_names_release(&files);
    return err->code;
}

static enum sg_code read_decision(const char *word, enum sg_step_decision *decision, struct sg_err *err)
{
    for (unsigned i = 0; i < SG_STEP_DECISION_COUNT; i++)
        if (strcmp(word, sg_step_decision_word((enum sg_step_decision)i)) == 0) {
            *decision = (enum sg_step_decision)i;
            return SG_SUCCESS;
        }
    return sg_field_fail("decision", "accepted, confirmed or refuted", word, err);
}

static enum sg_code on_decision(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_history *history = context;
    enum sg_step_decision decision = SG_STEP_ACCEPTED;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_DECISION_HEADER, err);
    const char *night = row->field[0], *reason = row->field[3], *date = row->field[4];
    if (!sg_night_is_date(night))
        sg_field_fail("night", "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", night, err);
    else if (!*row->field[1])
        sg_field_fail("series", "the name of an item, or a pattern", "", err);
    else if (sg_is_blank(reason))
        sg_field_fail("reason", "a reason in words", reason, err);
    else if (!sg_night_is_date(date))
        sg_field_fail("date", "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", date, err);
    else if (read_decision(row->field[2], &decision, err) == SG_SUCCESS)
        *SG_APPEND(history->decisions, history->decision_count, history->decision_capacity) = (struct sg_decision_row){
            .night = sg_copy_string(night),
            .series = sg_copy_string(row->field[1]),
            .decision = decision,
            .reason = sg_copy_string(reason),
            .date = sg_copy_string(date),
            .source = sg_copy_string(row->field[5]),
        };
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
    struct sg_names files = {0};
    struct sg_text folder = {0}, path = {0};
    sg_text_addf(&folder, "%s/" STEPS, history->folder);
    if (sg_is_folder(folder.data))
        sg_list_files(folder.data, ".csv", &files, err);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        path.length = 0;
        sg_text_addf(&path, "%s/%s", folder.data, files.items[i]);
        sg_csv_read(path.data, on_decision, history, err);
    }
    if (err->code == SG_SUCCESS && history->decision_count > 0)
        qsort(history->decisions, history->decision_count, sizeof(*history->decisions), by_decision);
    sg_text_release(&path);
    sg_text_release(&folder);
    sg_names_release(&files);
    return err->code;
}

enum sg_code sg_history_load(const char *folder, const char *group, const char *only, struct sg_history *history, struct sg_err *err)
{
    struct sg_text path = {0};
    sg_text_addf(&path, "%s/%s", folder, group);
    free(history->folder);
    history->folder = sg_copy_string(path.data);
    sg_text_release(&path);
    if (load_nights(only, history, err) == SG_SUCCESS)
        load_decisions(history, err);
    return err->code;
}

/* ---- how late it is ---- */

/* The days of a group's nights, by the names of their files. */
static void add_days(const char *folder, const char *group, struct sg_names *days)
{
    struct sg_names files = {0};
    struct sg_text path = {0};
    sg_text_addf(&path, "%s/%s", folder, group);
    sg_list_files(path.data, ".csv", &files, &(struct sg_err){0});
    for (size_t i = 0; i < files.count; i++)
        sg_names_addf(days, "%.4s-%.2s-%.2s", files.items[i], files.items[i] + strnlen(files.items[i], 4),
                      files.items[i] + strnlen(files.items[i], 6));
    sg_text_release(&path);
    sg_names_release(&files);
}

struct sg_shown sg_history_newest_day(const char *folder)
{
    struct sg_names groups = {0}, days = {0};
    struct sg_shown newest = {0};
    const struct sg_shown latest = latest_date();
    time_t at = 0, before = 0;
    sg_history_groups(folder, &groups, &(struct sg_err){0});
    for (size_t i = 0; i < groups.count; i++)
        add_days(folder, groups.items[i], &days);
    sg_names_sort(&days);
    for (size_t i = 0; i < days.count; i++) {
        const char *day = days.items[i];
        if (!sg_parse_day(day, &at) || strcmp(day, SG_NIGHT_FIRST_DAY) < 0)
            continue;
        if (strcmp(day, latest.text) > 0 && *newest.text && difftime(at, before) > SG_NIGHTS_APART * SG_DAY_S)
            break;
        snprintf(newest.text, sizeof(newest.text), "%s", day);
        before = at;
    }
    sg_names_release(&days);
    sg_names_release(&groups);
    return newest;
}

/* ---- adding ---- */

/* What adding this night left behind when it was killed; whoever holds the
 * lock is the only one to write it. */
static void remove_leftovers(const char *folder, const char *file)
{
    struct sg_names entries = {0};
    struct sg_text path = {0};
    if (sg_list_files(folder, ".tmp", &entries, &(struct sg_err){0}) == SG_SUCCESS)
        for (size_t i = 0; i < entries.count; i++)
            if (strncmp(entries.items[i], file, strlen(file)) == 0) {
                path.length = 0;
                sg_text_addf(&path, "%s/%s", folder, entries.items[i]);
                unlink(path.data);
            }
    sg_text_release(&path);
    sg_names_release(&entries);
}

/* One that is there already has to be whole, or whoever adds it believes that it is kept. */
static enum sg_code check_there(const char *path, struct sg_err *err)
{
    struct sg_night night = {0};
    struct sg_night_rows rows = {0};
    struct sg_intern_pool *pool = NULL;
    sg_night_read(path, NULL, &pool, &rows, &night, err);
    sg_night_release(&night);
    free(rows.items);
    sg_intern_pool_free(pool);
    return err->code;
}

static enum sg_code write_new(const char *folder, const char *file, const char *path, const struct sg_text *text, bool *is_new,
                              struct sg_err *err)
{
    int lock = -1;
    if (sg_lock_folder_of(path, &lock, err) != SG_SUCCESS)
        return err->code;
    remove_leftovers(folder, file);
    *is_new = access(path, F_OK) != 0;
    if (*is_new)
        sg_write_file(path, text->data, text->length, err);
    else
        check_there(path, err);
    close(lock);
    return err->code;
}

/* What could not be read again would take the whole group with it. */
static enum sg_code check_night(const struct sg_night_source *source, const char *path, struct sg_err *err)
{
    struct sg_err wrong = {0};
    const char *why = sg_night_why_misdated(source->night, latest_date().text);
    if (why)
        return sg_fail(err, SG_NOT_COMPARABLE, path, "expected the date of a night, found one %s: %s", why,
                       sg_env_get(&source->night->facts, SG_NIGHT_DATE));
    for (size_t i = source->night->from; i < source->night->to; i++) {
        const struct sg_night_row *row = &source->rows->items[i];
        if (sg_night_check_row(row, &wrong) != SG_SUCCESS)
            return sg_fail(err, wrong.code, path, "%s: %s", sg_intern_pool_string(source->pool, row->name), wrong.message);
    }
    return SG_SUCCESS;
}

enum sg_code sg_history_add(const char *folder, const struct sg_night_source *source, struct sg_text *path, bool *is_new,
                            struct sg_err *err)
{
    struct sg_text group = {0}, file = {0}, text = {0};
    sg_text_addf(&group, "%s/", folder);
    sg_night_add_group(source->night, &group);
    sg_night_add_file(source->night, &file);
    sg_text_addf(path, "%s/%s", group.data, file.data);
    sg_night_format(source->night, source->pool, source->rows, &text);
    if (check_night(source, path->data, err) == SG_SUCCESS && sg_make_folders(group.data, err) == SG_SUCCESS)
        write_new(group.data, file.data, path->data, &text, is_new, err);
    sg_text_release(&text);
    sg_text_release(&file);
    sg_text_release(&group);
    return err->code;
}

enum sg_code sg_history_decide(const struct sg_history *history, struct sg_decision_row row, struct sg_err *err)
{
    const struct sg_shown now = sg_utc_now(SG_UTC_TIME);
    row.date = sg_later_date(now.text, history->decision_count > 0 ? history->decisions[history->decision_count - 1].date : NULL);
    const char *const field[] = {row.night, row.series, sg_step_decision_word(row.decision), row.reason, row.date, row.source};
    struct sg_text text = {0}, steps = {0}, path = {0};
    sg_text_add(&text, SG_DECISION_HEADER "\n");
    for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
        sg_text_add(&text, i > 0 ? "," : "");
        sg_csv_add_field(&text, field[i]);
    }
    sg_text_add(&text, "\n");
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, text.data, text.length);
    sg_text_addf(&steps, "%s/" STEPS, history->folder);
    sg_text_addf(&path, "%s/%.10s-%s.csv", steps.data, row.date, sg_digest_word(&digest).text);
    if (sg_make_folders(steps.data, err) == SG_SUCCESS)
        sg_write_file(path.data, text.data, text.length, err);
    sg_text_release(&path);
    sg_text_release(&steps);
    sg_text_release(&text);
    return err->code;
}
