#include "baseline/accept_internal.h"

#include <string.h>

#include "compare/compare_internal.h"
#include "results/row_kind.h"

/*
 * A file holds the numbers of one suite on one model of GPU: rows of another would stand in it
 * as missing for good. And of one state of the L2, which env.csv says of all: rows that stay
 * would be called what they are not.
 */
static enum sg_code check_old(const struct sg_env *run, const struct sg_accepted_file *old, struct sg_err *err)
{
    static const char *const keys[] = {"gpu", "suite", "l2"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *is = sg_env_get(run, keys[i]), *was = sg_env_get(&old->env, keys[i]);
        if (strcmp(is ? is : "", was ? was : "") != 0)
            return sg_fail(err, SG_NOT_COMPARABLE, old->path,
                           "not comparable: %s is '%s' in the run, '%s' in the accepted numbers; --out=FILE writes elsewhere", keys[i],
                           is ? is : "", was ? was : "");
    }
    return SG_SUCCESS;
}

static bool is_same_row(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y)
{
    return sg_accept_compare_rows(a, x, b, y) == 0 && x->has == y->has && x->status == y->status && x->n == y->n &&
           (!(x->has & SG_HAS_VALUE) || x->value == y->value) &&
           strcmp(sg_table_string(a, x->message), sg_table_string(b, y->message)) == 0;
}

/* A run and its copy: no two runs measure the same times. */
static bool is_same_run(const struct sg_table *a, const struct sg_table *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = is_same_row(a, &a->rows[i], b, &b->rows[i]);
    return same;
}

static enum sg_code check_once(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_run(options->runs[i].table, options->runs[k].table))
                return sg_fail(err, SG_BAD_USAGE, options->runs[i].path, "expected each run once, found that of %s again",
                               options->runs[k].path);
    return SG_SUCCESS;
}

/* Whatever is accepted is what later nights are held against, so it
 * must be what it declares to be. */
static enum sg_code check_declared(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        for (size_t k = 0; k < table->count && err->code == SG_SUCCESS; k++) {
            const struct sg_value value = sg_value_of(table, &table->rows[k]);
            if (strcmp(value.metric, "status") != 0)
                continue;
            const struct sg_row *expect = sg_table_find(table, value.family, value.case_, value.variant, "expect");
            const enum sg_status declared = expect ? (enum sg_status)expect->status : SG_OK;
            if (sg_is_undeclared(value.status, declared) && !sg_accept_is_waived(options, &value, value.status))
                sg_fail(err, SG_UNDECLARED, options->runs[i].path,
                        "%s/%s/%s should be %s, is %s%s%s: fix it, or give the reason why it may stay: --waive=%s/%s/%s --reason=TEXT "
                        "[--until=DATE]",
                        value.family, value.case_, value.variant, sg_status_word(declared), sg_status_word(value.status),
                        *value.message ? ": " : "", value.message, value.family, value.case_, value.variant);
        }
    }
    return err->code;
}

static enum sg_code check_same(const struct sg_accept_run *run, const struct sg_accept_run *last, const char *key, struct sg_err *err)
{
    const char *is = sg_env_get(run->env, key), *of_last = sg_env_get(last->env, key);
    if (strcmp(is ? is : "", of_last ? of_last : "") == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_NOT_COMPARABLE, run->path, "not comparable: %s is '%s' here, '%s' in %s", key, is ? is : "",
                   of_last ? of_last : "", last->path);
}

/* Of such a run the counters that were accepted would go, with nobody saying why. */
static enum sg_code check_counted(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        for (size_t k = 0; k < table->count && err->code == SG_SUCCESS; k++) {
            const struct sg_value value = sg_value_of(table, &table->rows[k]);
            if (strcmp(value.metric, SG_COUNT_METRIC) == 0 && sg_accept_lost_count(table, &value) &&
                !sg_accept_is_waived(options, &value, SG_OK))
                sg_fail(err, SG_INVALID, options->runs[i].path,
                        "%s/%s/%s was not counted: %s: %s: run it again, or say why it may be so: --waive=%s/%s/%s --reason=TEXT "
                        "[--until=DATE]",
                        value.family, value.case_, value.variant, sg_status_word(value.status), value.message, value.family, value.case_,
                        value.variant);
        }
    }
    return err->code;
}

enum sg_code sg_accept_check_runs(const struct sg_accept_options *options, struct sg_err *err)
{
    const struct sg_accept_run *last = &options->runs[options->run_count - 1];
    for (size_t i = 0; i < options->run_count; i++)
        if (options->runs[i].table->count == 0)
            return sg_fail(err, SG_INVALID, options->runs[i].path, "the run has no rows: nothing was measured");
    for (size_t i = 0; i < options->run_count; i++)
        if (sg_env_why_invalid(options->runs[i].env))
            return sg_fail(err, SG_INVALID, options->runs[i].path, "%s", sg_env_why_invalid(options->runs[i].env));
    for (size_t i = 0; i + 1 < options->run_count; i++)
        if (sg_check_comparable(options->runs[i].env, last->env, options->runs[i].path, err) != SG_SUCCESS ||
            check_same(&options->runs[i], last, "suite", err) != SG_SUCCESS ||
            check_same(&options->runs[i], last, "time_source", err) != SG_SUCCESS)
            return err->code;
    if (options->stands_in)
        return SG_SUCCESS;
    if (check_once(options, err) != SG_SUCCESS || check_declared(options, err) != SG_SUCCESS || check_counted(options, err) != SG_SUCCESS)
        return err->code;
    return options->old ? check_old(last->env, options->old, err) : SG_SUCCESS;
}
