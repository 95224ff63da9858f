#include "compare/accepted_variance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock_model.h"
#include "util/text.h"

/* `list`: unit names joined by '+'. */
static void count_units(const char *list, const char *unit, struct sg_origin *origin)
{
    const size_t wanted = strlen(unit);
    origin->units = 0;
    origin->has_unit = false;
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, "+");
        origin->units++;
        origin->has_unit |= length == wanted && strncmp(name, unit, length) == 0;
        name += length;
        if (*name == '\0')
            return;
    }
}

struct sg_origin sg_origin_of(const struct sg_env *accepted, const char *unit)
{
    struct sg_origin origin = {0};
    uint64_t runs = 0;
    const char *count = sg_env_get(accepted, "accepted_runs");
    const char *units = sg_env_get(accepted, "accepted_units");
    origin.runs = count && sg_parse_u64(count, &runs) && runs > 0 ? (size_t)runs : 1;
    count_units(units ? units : sg_unit_of(accepted), unit, &origin);
    return origin;
}

struct sg_origin sg_origin_of_row(const struct sg_accepted_file *file, const struct sg_row *row,
                                  const char *unit)
{
    const struct sg_accepted *accepted = &file->accepted[row - file->table.rows];
    const char *own = sg_table_string(&file->table, accepted->origin), *units = strchr(own, ':');
    /* A merged run that is used as accepted numbers says it in the row `unit`. */
    const struct sg_value item = sg_value_of(&file->table, row);
    const struct sg_row *measured = sg_table_find(&file->table, SG_NAMES(item), SG_UNIT_METRIC);
    struct sg_origin origin = {.runs = units ? (size_t)strtoull(own, NULL, 10) : 1};
    if (!units && !measured)
        return sg_origin_of(accepted->of_model ? &file->model_env : &file->env, unit);
    count_units(units ? units + 1 : sg_table_string(&file->table, measured->message), unit,
                &origin);
    return origin;
}

double sg_spread_of_mean(const struct sg_spread *spread)
{
    const size_t units = spread->origin.units, replicates = units > 1 ? units : spread->origin.runs;
    return isfinite(spread->sd) ? spread->sd / sqrt((double)replicates) : 0.0;
}

/* The spread between GPUs, pooled from the row's own spread and its class's, weighted by degrees of
 * freedom. A NaN spread has no weight. */
static double moderated(const struct sg_spread *spread, double *df)
{
    const bool has_class = spread->of_class > 0.0;
    const double own_df = isfinite(spread->sd) ? (double)spread->origin.units - 1.0 : 0.0,
                 class_df = has_class ? SG_CLASS_DF : 0.0;
    const double own = own_df > 0.0 ? own_df * spread->sd * spread->sd : 0.0;
    const double class_ = has_class ? class_df * spread->of_class * spread->of_class : 0.0;
    *df = own_df + class_df;
    return *df > 0.0 ? sqrt((own + class_) / *df) : NAN;
}

static void add_units(struct sg_errors *errors, const struct sg_spread *spread)
{
    static const char source[] = "the spread between GPUs of this model: numbers of one GPU are "
                                 "finer (accept --unit)";
    const double units = (double)spread->origin.units;
    const double usual = spread->paired ? SG_UNIT_RATIO_USUAL : SG_UNIT_TIME_USUAL;
    double df;
    const double between = moderated(spread, &df);
    const bool known = isfinite(spread->sd) && spread->origin.units >= SG_UNITS_ENOUGH;
    const double sd = known ? between : fmax(usual, between); /* fmax ignores a NaN */
    sg_errors_add(errors, source, sd * sqrt(1.0 + 1.0 / units), known ? df : INFINITY);
}

static void add_runs(struct sg_errors *errors, const struct sg_spread *spread)
{
    const double runs = (double)spread->origin.runs;
    const double usual = spread->paired ? SG_DAY_RATIO_USUAL : SG_DAY_TIME_USUAL;
    const bool many = isfinite(spread->sd) && spread->origin.runs >= SG_REPLICATES_ENOUGH;
    const bool known = many || spread->sd > usual; /* false for NaN */
    sg_errors_add(errors, "the spread between runs",
                  (known ? spread->sd : usual) * sqrt(1.0 + 1.0 / runs),
                  known && runs > 1.0 ? runs - 1.0 : INFINITY);
}

void sg_errors_add_spread(struct sg_errors *errors, const struct sg_spread *spread)
{
    static const char elsewhere[] =
        "the spread between GPUs of this model: accept on this one, or from several";
    if (spread->origin.units > 1) {
        add_units(errors, spread);
        return;
    }
    add_runs(errors, spread);
    if (!spread->origin.has_unit)
        sg_errors_add(errors, elsewhere,
                      (spread->paired ? SG_UNIT_RATIO_USUAL : SG_UNIT_TIME_USUAL) * sqrt(2.0),
                      INFINITY);
}

double sg_allowance_of(const struct sg_accepted *accepted, double processes,
                       const struct sg_spread *spread, struct sg_bounds_by_df *bounds)
{
    const double n = processes > 0 ? processes : 1.0, night = n / (double)spread->origin.runs;
    const double sd = isfinite(accepted->sd_process) ? accepted->sd_process : 0.0;
    struct sg_errors errors = {0};
    if (spread->paired)
        sg_errors_add(&errors, "the processes of this nightly run", sd / sqrt(night), night - 1.0);
    sg_errors_add(&errors, "processes",
                  spread->paired ? sd / sqrt(n) : sd * sqrt(1.0 / night + 1.0 / n), n - 1.0);
    sg_errors_add_spread(&errors, spread);
    if (!spread->paired)
        sg_errors_add(&errors, "the clock",
                      (isfinite(accepted->beta) ? SG_BETA_KNOWN_SD : SG_BETA_UNKNOWN_SD) *
                          SG_CLOCK_USUAL,
                      INFINITY);
    const struct sg_tolerance_need need = {
        .tolerance = accepted->tolerance,
        .se = sg_errors_se(&errors),
        .within = sg_bounds_at_df(bounds, sg_errors_df(&errors)).within,
    };
    return sg_resolvable_tolerance(&need);
}
