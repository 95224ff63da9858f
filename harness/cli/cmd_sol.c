#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gemm_work.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/options.h"

enum {
    KEY_M = 256,
    KEY_N,
    KEY_K,
    KEY_DTYPE,
    KEY_OUT,
    KEY_SCALES,
    KEY_SCALE_BYTES,
    KEY_SCALE_ROWS,
    KEY_TIME,
    KEY_SPEC,
    KEY_FORMAT
}; /* above every character */

enum { M, N, K, SIDES };
static const char *const side_option[SIDES] = {"--m", "--n", "--k"};

/* What was asked for; the lists are owned. */
struct product {
    const char *list[SIDES]; /* as given; NULL: not given */
    uint64_t *side[SIDES];
    size_t count[SIDES];
    enum sg_dtype in, out;
    uint64_t scale_block, scale_bytes, scale_rows; /* 0: not given */
    double time_ns;                                /* NaN: not given */
    const char *spec, *format;
    struct sg_err *err;
};

static error_t read_list(struct product *product, const struct argp_state *state, size_t side, const char *list)
{
    size_t capacity = 0;
    if (sg_option_text(product->err, state, side_option[side], list, &product->list[side]) != 0)
        return EINVAL;
    char *copy = sg_copy_string(list), *rest = copy;
    error_t failed = 0;
    for (const char *word; !failed && (word = strsep(&rest, ",")) != NULL;) {
        product->side[side] = sg_grow(product->side[side], &capacity, product->count[side] + 1, sizeof(*product->side[side]));
        if (!sg_parse_u64(word, &product->side[side][product->count[side]++]))
            failed = sg_option_fail(product->err, state, "%s: expected whole numbers with commas between, found '%s'", side_option[side],
                                    sg_show(word, strlen(word)).text);
    }
    free(copy);
    return failed;
}

static error_t read_dtype(const struct product *product, const struct argp_state *state, const char *option, const char *word,
                          enum sg_dtype *out)
{
    struct sg_text known = {0};
    error_t failed = 0;
    *out = sg_dtype_from_word(word);
    if (*out == SG_DTYPE_COUNT) {
        for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++)
            sg_text_addf(&known, " %s", sg_dtype_word(d));
        failed = sg_option_fail(product->err, state, "%s: expected a number format, one of%s; found '%s'", option, known.data,
                                sg_show(word, strlen(word)).text);
    }
    sg_text_release(&known);
    return failed;
}

static error_t read_time(struct product *product, const struct argp_state *state, const char *word)
{
    struct sg_err why = {0};
    double seconds = 0;
    if (sg_parse_duration(word, &seconds, &why) != SG_SUCCESS)
        return sg_option_fail(product->err, state, "--time: %s", why.message);
    product->time_ns = seconds * 1e9;
    if (!(product->time_ns > 0) || isinf(product->time_ns))
        return sg_option_fail(product->err, state, "--time: expected nanoseconds, finite and over 0, found '%s'",
                              sg_show(word, strlen(word)).text);
    return 0;
}

/* What is missing, and what says nothing without another option; then what was not given is what it is by default. */
static error_t complete(struct product *product, const struct argp_state *state)
{
    for (size_t i = 0; i < SIDES; i++)
        if (!product->list[i])
            return sg_option_fail(product->err, state, "%s is missing: its size for each group, or one for all", side_option[i]);
    if (!product->spec)
        return sg_option_fail(product->err, state, "--gpu-spec=KEY is missing: the peaks of metrics/gpus/KEY.gpu");
    if (product->scale_bytes > 0 && product->scale_block == 0)
        return sg_option_fail(product->err, state, "--scale-bytes without --scale-block: how many elements of k share a scale?");
    if (product->scale_rows > 0 && product->scale_block == 0)
        return sg_option_fail(product->err, state, "--scale-rows without --scale-block: how many elements of k share a scale?");
    product->scale_bytes = product->scale_bytes > 0 ? product->scale_bytes : 1;
    product->scale_rows = product->scale_rows > 0 ? product->scale_rows : 1;
    product->format = product->format ? product->format : "text";
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct product *product = state->input;
    switch (key) {
    case KEY_M:
    case KEY_N:
    case KEY_K:
        return read_list(product, state, (size_t)(key - KEY_M), arg);
    case KEY_DTYPE:
        return read_dtype(product, state, "--dtype", arg, &product->in);
    case KEY_OUT:
        return read_dtype(product, state, "--out-dtype", arg, &product->out);
    case KEY_SCALES:
        return sg_option_number(product->err, state, &(struct sg_option_range){"--scale-block", 1, SG_GEMM_SIDE_MAX}, arg,
                                &product->scale_block);
    case KEY_SCALE_BYTES:
        return sg_option_number(product->err, state, &(struct sg_option_range){"--scale-bytes", 1, 16}, arg, &product->scale_bytes);
    case KEY_SCALE_ROWS:
        return sg_option_number(product->err, state, &(struct sg_option_range){"--scale-rows", 1, SG_GEMM_SIDE_MAX}, arg,
                                &product->scale_rows);
    case KEY_TIME:
        return read_time(product, state, arg);
    case KEY_SPEC:
        return sg_option_text(product->err, state, "--gpu-spec=KEY", arg, &product->spec);
    case KEY_FORMAT:
        return sg_option_text(product->err, state, "--format", arg, &product->format);
    case ARGP_KEY_ARG:
        return sg_option_fail(product->err, state, "expected options only, found '%s'", arg);
    case ARGP_KEY_SUCCESS:
        return complete(product, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A row of the one variant of the one case that was asked for. */
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
        .m = {product->side[M], product->count[M]},
        .n = {product->side[N], product->count[N]},
        .k = {product->side[K], product->count[K]},
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
    sg_text_addf(&shape, "m=%s n=%s k=%s", product->list[M], product->list[N], product->list[K]);
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
    const struct sg_format *format = sg_format_of_gap(product->format, err);
    const struct sg_env nothing = {.count = 0};
    struct sg_table run;
    struct sg_sol_table gaps = {0};
    struct sg_text text = {0};
    sg_table_init(&run);
    if (!format)
        goto out;
    if (make_run(product, &run, err) != SG_SUCCESS || sg_sol_table_make(&run, &nothing, product->spec, &gaps, err) != SG_SUCCESS)
        goto out;
    format->gap(&gaps, &text);
    sg_print(&text, err);
out:
    sg_text_release(&text);
    sg_sol_table_release(&gaps);
    sg_table_release(&run);
    return err->code;
}

int sg_cmd_sol(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "m", .key = KEY_M, .arg = "N,...", .doc = "rows of A and D: of each group, or one for all"},
        {.name = "n", .key = KEY_N, .arg = "N,...", .doc = "rows of B, columns of D"},
        {.name = "k", .key = KEY_K, .arg = "N,...", .doc = "columns of A and B"},
        {.name = "dtype", .key = KEY_DTYPE, .arg = "FORMAT", .doc = "number format of A and B (default: bf16)"},
        {.name = "out-dtype", .key = KEY_OUT, .arg = "FORMAT", .doc = "number format of D (default: f16)"},
        {.name = "scale-block", .key = KEY_SCALES, .arg = "N", .doc = "elements along k that share a scale (default: there are no scales)"},
        {.name = "scale-bytes", .key = KEY_SCALE_BYTES, .arg = "N", .doc = "bytes of one scale, with --scale-block (default: 1)"},
        {.name = "scale-rows",
         .key = KEY_SCALE_ROWS,
         .arg = "N",
         .doc = "rows of B that share a scale, with --scale-block (default: 1; of A each has its own)"},
        {.name = "time", .key = KEY_TIME, .arg = "TIME", .doc = "a measured time, with its unit, to hold against the limit"},
        {.name = "gpu-spec", .key = KEY_SPEC, .arg = "KEY", .doc = "peaks of metrics/gpus/KEY.gpu"},
        {.name = "format", .key = KEY_FORMAT, .arg = "FORMAT", .doc = "text (default), csv or markdown"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "The speed of light of a product D[m][n] = A[m][k] B[n][k]^T, or of a group of them, from its shapes alone: on any GPU of "
               "metrics/gpus, in any number format it has a peak for. No kernel, run or GPU is needed.\v"
               "Example: solgate sol --m=192,320 --n=3072 --k=4096 --dtype=e2m1 --scale-block=16 --gpu-spec=b200 --time=127us\n\n"
               "Exit codes: 0 done; 4 command line, shapes, or no peak for the number format.",
    };
    struct product product = {.in = SG_BF16, .out = SG_F16, .time_ns = NAN, .err = err};
    bool helped = false;
    if (sg_options_parse(&(struct sg_options){&argp, &product}, argc, argv, &helped, err) == SG_SUCCESS && !helped)
        print_limit(&product, err);
    for (size_t i = 0; i < SIDES; i++)
        free(product.side[i]);
    return 0;
}
