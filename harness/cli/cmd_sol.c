#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gemm_work.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/options.h"

enum { M, N, K, SIDES };

/* Sizes of the groups along one side. */
struct side {
    const char *list; /* as given */
    uint64_t *sizes;  /* owned */
    size_t count;
};

/* What was asked for. */
struct product {
    struct side side[SIDES];
    enum sg_dtype in, out;
    uint64_t scale_block, scale_bytes, scale_rows; /* scale_block 0: there are no scales */
    double time_ns;                                /* NaN: not given */
    const char *spec;
    const struct sg_format *format;
};

static enum sg_code read_sizes(void *place, const char *list, struct sg_err *err)
{
    struct side *side = place;
    size_t capacity = 0;
    char *copy = sg_copy_string(list), *rest = copy;
    side->list = list;
    for (const char *word; err->code == SG_SUCCESS && (word = strsep(&rest, ",")) != NULL;) {
        if (!sg_parse_u64(word, SG_APPEND(side->sizes, side->count, capacity)))
            sg_fail(err, SG_BAD_USAGE, NULL, "expected whole numbers with commas between, found '%s'", sg_show(word, strlen(word)).text);
    }
    free(copy);
    return err->code;
}

static enum sg_code read_time(void *place, const char *word, struct sg_err *err)
{
    double *time_ns = place;
    if (sg_parse_duration(word, time_ns, err) != SG_SUCCESS)
        return err->code;
    *time_ns *= 1e9;
    if (*time_ns > 0 && isfinite(*time_ns))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected nanoseconds, finite and over 0, found '%s'", sg_show(word, strlen(word)).text);
}

static void add(struct sg_table *table, const char *metric, const char *unit, double value)
{
    const struct sg_value row = {.family = "gemm",
                                 .case_ = "asked",
                                 .variant = "time",
                                 .metric = metric,
                                 .unit = unit,
                                 .value = value,
                                 .has = SG_HAS_VALUE,
                                 .status = SG_OK};
    sg_table_add(table, &row);
}

static void add_words(struct sg_table *table, const char *metric, enum sg_status status, const char *message)
{
    const struct sg_value row = {
        .family = "gemm", .case_ = "asked", .variant = "time", .metric = metric, .status = status, .message = message};
    sg_table_add(table, &row);
}

/* As a run would have it that had measured this product. */
static enum sg_code make_run(const struct product *product, struct sg_table *run, struct sg_err *err)
{
    const struct sg_gemm gemm = {
        .m = {product->side[M].sizes, product->side[M].count},
        .n = {product->side[N].sizes, product->side[N].count},
        .k = {product->side[K].sizes, product->side[K].count},
        .in = product->in,
        .out = product->out,
        .scale_block = product->scale_block,
        .scale_bytes = product->scale_bytes,
        .scale_rows = product->scale_rows,
    };
    struct sg_work work;
    struct sg_text shape = {0}, flop = {0};
    if (sg_gemm_work(&gemm, &work, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&shape, "m=%s n=%s k=%s", product->side[M].list, product->side[N].list, product->side[K].list);
    sg_text_addf(&flop, "work_flop_%s", sg_dtype_word(product->in));
    add_words(run, "shape", SG_OK, shape.data);
    add_words(run, "status", isnan(product->time_ns) ? SG_SKIPPED : SG_OK, "");
    add(run, flop.data, "flop", work.flop[product->in]);
    add(run, "work_read_bytes", "B", work.read_bytes);
    add(run, "work_write_bytes", "B", work.write_bytes);
    if (!isnan(product->time_ns))
        add(run, "time", "ns", product->time_ns);
    sg_text_release(&shape);
    sg_text_release(&flop);
    return sg_table_sort(run, err);
}

static enum sg_code print_limit(const struct product *product, struct sg_err *err)
{
    const struct sg_env nothing = {.count = 0};
    struct sg_table run;
    struct sg_sol_table gaps = {0};
    struct sg_text text = {0};
    sg_table_init(&run);
    if (make_run(product, &run, err) != SG_SUCCESS || sg_sol_table_make(&run, &nothing, product->spec, &gaps, err) != SG_SUCCESS)
        goto out;
    product->format->gap(&gaps, 1, &text);
    sg_print(&text, err);
out:
    sg_text_release(&text);
    sg_sol_table_release(&gaps);
    sg_table_release(&run);
    return err->code;
}

#define X(constant, word, bits) "|" word
#define DTYPES                  (&("" SG_DTYPE_TABLE(X))[1])

int sg_cmd_sol(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        {.name = "m",
         .arg = "N,...",
         SG_INTO(struct product, side[M]),
         .read = read_sizes,
         .required = true,
         .help = "rows of A and D: of each group, or one for all"},
        {.name = "n",
         .arg = "N,...",
         SG_INTO(struct product, side[N]),
         .read = read_sizes,
         .required = true,
         .help = "rows of B, columns of D"},
        {.name = "k", .arg = "N,...", SG_INTO(struct product, side[K]), .read = read_sizes, .required = true, .help = "columns of A and B"},
        {.name = "dtype", .arg = DTYPES, SG_INTO(struct product, in), .help = "number format of A and B"},
        {.name = "out-dtype", .arg = DTYPES, SG_INTO(struct product, out), .help = "number format of D"},
        {.name = "scale-block",
         .arg = "N",
         SG_INTO(struct product, scale_block),
         .least = 1,
         .most = SG_GEMM_SIDE_MAX,
         .help = "elements along k that share a scale",
         .standard = "there are no scales"},
        {.name = "scale-bytes",
         .arg = "N",
         SG_INTO(struct product, scale_bytes),
         .least = 1,
         .most = 16,
         .needs = "scale-block",
         .help = "bytes of one scale"},
        {.name = "scale-rows",
         .arg = "N",
         SG_INTO(struct product, scale_rows),
         .least = 1,
         .most = SG_GEMM_SIDE_MAX,
         .needs = "scale-block",
         .help = "rows of B that share a scale; of A each has its own"},
        {.name = "time",
         .arg = "TIME",
         SG_INTO(struct product, time_ns),
         .read = read_time,
         .help = "a measured time, with its unit, to hold against the limit",
         .standard = ""},
        {.name = "gpu-spec", .arg = "KEY", SG_INTO(struct product, spec), .required = true, .help = "peaks of metrics/gpus/KEY.gpu"},
        {.name = "format",
         .arg = "text|csv|markdown",
         SG_INTO(struct product, format),
         .read = sg_format_of_gap,
         .help = "how the table is written",
         .standard = "text"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .summary = "The speed of light of a product D[m][n] = A[m][k] B[n][k]^T, or of a group of them, from its shapes alone: on any GPU "
                   "of metrics/gpus, in any number format it has a peak for. No kernel, run or GPU is needed.",
        .notes = "Example: solgate sol --m=192,320 --n=3072 --k=4096 --dtype=e2m1 --scale-block=16 --gpu-spec=b200 --time=127us",
        .exits = {{SG_EXIT_DONE, "done"}, {SG_EXIT_USAGE, "command line, shapes, or no peak for the number format"}},
    };
    struct product product = {
        .in = SG_BF16, .out = SG_F16, .scale_bytes = 1, .scale_rows = 1, .time_ns = NAN, .format = sg_format_find("text")};
    if (sg_options_parse(&table, &product, argc, argv, err))
        print_limit(&product, err);
    for (size_t i = 0; i < SIDES; i++)
        free(product.side[i].sizes);
    return 0;
}
