#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gemm_work.h"
#include "model/op_work.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/dtype_names.h"
#include "util/options.h"

enum { M, N, K, SIDES };

/* Sizes of the groups along one side. */
struct side {
    const char *list; /* as given */
    uint64_t *sizes;  /* owned */
    size_t count;
};

/* What was asked for: a product of matrices, another operator, or flop and bytes. */
struct asked {
    struct sg_names words; /* the operator and its sizes; none: a product, or flop and bytes */
    struct side side[SIDES];
    double flop, bytes;                            /* NaN: not given */
    struct sg_dtype_name in, out;                  /* of `out` the name NULL: as it is usual */
    uint64_t scale_block, scale_bytes, scale_rows; /* scale_block 0: that of `in` */
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
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected a time, finite and over 0, as 127us, found '%s'", sg_show(word, strlen(word)).text);
}

static enum sg_code read_dtype(void *place, const char *word, struct sg_err *err)
{
    return sg_dtype_name_parse(word, place, err);
}

static enum sg_code read_amount(void *place, const char *word, struct sg_err *err)
{
    double *amount = place;
    if (sg_parse_double(word, false, amount) && *amount >= 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected a number, 0 or more, as 1.5e9, found '%s'", sg_show(word, strlen(word)).text);
}

/* What a run would have that had measured this: a family, its case, and one variant. */
struct described {
    const char *family;
    struct sg_text shape;
    struct sg_work work;
};

static void add(struct sg_table *table, const char *family, const char *metric, const char *unit, double value)
{
    const struct sg_value row = {.family = family,
                                 .case_ = "asked",
                                 .variant = "time",
                                 .metric = metric,
                                 .unit = unit,
                                 .value = value,
                                 .has = SG_HAS_VALUE,
                                 .status = SG_OK};
    sg_table_add(table, &row);
}

static void add_words(struct sg_table *table, const char *family, const char *metric, enum sg_status status, const char *message)
{
    const struct sg_value row = {
        .family = family, .case_ = "asked", .variant = "time", .metric = metric, .status = status, .message = message};
    sg_table_add(table, &row);
}

static enum sg_code describe_product(const struct asked *asked, struct described *described, struct sg_err *err)
{
    static const char *const missing[SIDES] = {"--m=N,... is missing: rows of A and D", "--n=N,... is missing: rows of B, columns of D",
                                               "--k=N,... is missing: columns of A and B"};
    const struct side *side = asked->side;
    const struct sg_gemm gemm = {
        .m = {side[M].sizes, side[M].count},
        .n = {side[N].sizes, side[N].count},
        .k = {side[K].sizes, side[K].count},
        .in = asked->in.dtype,
        .out = asked->out.name ? asked->out.dtype : SG_F16,
        .scale_block = asked->scale_block > 0 ? asked->scale_block : asked->in.block,
        .scale_bytes = asked->scale_bytes,
        .scale_rows = asked->scale_rows,
    };
    for (size_t i = 0; i < SIDES; i++)
        if (!side[i].list)
            return sg_fail(err, SG_BAD_USAGE, "sol", "%s", missing[i]);
    described->family = "gemm";
    sg_text_addf(&described->shape, "m=%s n=%s k=%s", side[M].list, side[N].list, side[K].list);
    return sg_gemm_work(&gemm, &described->work, err);
}

static enum sg_code describe_op(const struct asked *asked, struct described *described, struct sg_err *err)
{
    const char *name = asked->words.items[0];
    const struct sg_op *op = sg_op_find(name);
    size_t count = 0;
    const struct sg_op *ops = sg_ops(&count);
    if (!op) {
        struct sg_text known = {0};
        for (size_t i = 0; i < count; i++)
            sg_text_addf(&known, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", ops[i].name);
        sg_fail(err, SG_BAD_USAGE, "sol", "expected %s, found '%s'", known.data, sg_show(name, strlen(name)).text);
        sg_text_release(&known);
        return err->code;
    }
    described->family = op->name;
    return sg_op_work(op, (const char *const *)asked->words.items + 1, asked->words.count - 1, asked->in.dtype,
                      asked->out.name ? asked->out.dtype : asked->in.dtype, &described->work, &described->shape, err);
}

/* Bytes are not told apart: they cost the same both ways. */
static enum sg_code describe_amounts(const struct asked *asked, struct described *described)
{
    described->family = "work";
    if (!isnan(asked->flop))
        described->work.flop[asked->in.dtype] = asked->flop;
    if (!isnan(asked->bytes))
        described->work.read_bytes = asked->bytes;
    sg_text_add(&described->shape, "");
    return SG_SUCCESS;
}

static enum sg_code describe(const struct asked *asked, struct described *described, struct sg_err *err)
{
    const bool has_op = asked->words.count > 0, has_amounts = !isnan(asked->flop) || !isnan(asked->bytes);
    const bool has_sides = asked->side[M].list || asked->side[N].list || asked->side[K].list;
    if (has_op + has_amounts + has_sides > 1)
        return sg_fail(err, SG_BAD_USAGE, "sol", "expected --m, --n and --k, or an operator and its sizes, or --flop and --bytes, found %s",
                       has_op && has_sides ? "the first and the second"
                       : has_op            ? "the last two"
                                           : "the first and the last");
    if (has_op)
        return describe_op(asked, described, err);
    return has_amounts ? describe_amounts(asked, described) : describe_product(asked, described, err);
}

static enum sg_code make_run(const struct asked *asked, struct sg_table *run, struct sg_err *err)
{
    struct described described = {.family = NULL};
    if (describe(asked, &described, err) == SG_SUCCESS) {
        const char *family = described.family;
        add_words(run, family, "shape", SG_OK, described.shape.data);
        add_words(run, family, "status", isnan(asked->time_ns) ? SG_SKIPPED : SG_OK, "");
        for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++) {
            struct sg_text flop = {0};
            sg_text_addf(&flop, "work_flop_%s", sg_dtype_word(d));
            if (described.work.flop[d] > 0)
                add(run, family, flop.data, "flop", described.work.flop[d]);
            sg_text_release(&flop);
        }
        add(run, family, "work_read_bytes", "B", described.work.read_bytes);
        add(run, family, "work_write_bytes", "B", described.work.write_bytes);
        if (!isnan(asked->time_ns))
            add(run, family, "time", "ns", asked->time_ns);
        sg_table_sort(run, err);
    }
    sg_text_release(&described.shape);
    return err->code;
}

static enum sg_code print_limit(const struct asked *asked, struct sg_err *err)
{
    const struct sg_env nothing = {.count = 0};
    struct sg_table run;
    struct sg_sol_table gaps = {0};
    struct sg_document document = {.name = "sol"};
    sg_table_init(&run);
    if (make_run(asked, &run, err) == SG_SUCCESS && sg_sol_table_make(&run, &nothing, asked->spec, &gaps, err) == SG_SUCCESS) {
        sg_document_of_gaps(&document, &gaps, 1);
        sg_print_document(&document, asked->format, err);
    }
    sg_document_release(&document);
    sg_sol_table_release(&gaps);
    sg_table_release(&run);
    return err->code;
}

/* "attention batch heads q [kv] d [kv_heads] [causal]: softmax(Q K^T) V of each batch and head" */
static void add_notes(struct sg_text *out)
{
    size_t count = 0;
    const struct sg_op *ops = sg_ops(&count);
    sg_text_add(out, "Without OP: the product. OP and its sizes, as NAME=N; those in brackets may be left out:\n");
    for (size_t i = 0; i < count; i++) {
        sg_text_addf(out, "  %s", ops[i].name);
        for (const struct sg_op_size *size = ops[i].size; size->name; size++)
            sg_text_addf(out, size->optional ? " [%s]" : " %s", size->name);
        sg_text_addf(out, ": %s\n", ops[i].what);
    }
    sg_text_add(out, "\nNumber formats: ");
    sg_dtype_names_add(out);
    sg_text_add(out, ". nvfp4, mxfp4 and mxfp8 have a scale of a byte for each block along k.\n\n"
                     "Example: solgate sol --m=192,320 --n=3072 --k=4096 --dtype=nvfp4 --gpu-spec=b200 --time=127us\n"
                     "         solgate sol attention batch=4 heads=32 q=4096 d=128 causal=1 --dtype=bf16 --gpu-spec=h200\n"
                     "         solgate sol --flop=2e12 --bytes=3e9 --dtype=fp8 --gpu-spec=h200");
}

static const struct sg_option options[] = {
    {.name = "m",
     .arg = "N,...",
     SG_INTO(struct asked, side[M]),
     .read = read_sizes,
     .help = "rows of A and D: of each group, or one for all"},
    {.name = "n", .arg = "N,...", SG_INTO(struct asked, side[N]), .read = read_sizes, .help = "rows of B, columns of D"},
    {.name = "k", .arg = "N,...", SG_INTO(struct asked, side[K]), .read = read_sizes, .help = "columns of A and B"},
    {.name = "flop",
     .arg = "N",
     SG_INTO(struct asked, flop),
     .read = read_amount,
     .help = "arithmetic, of no operator that is known here",
     .standard = ""},
    {.name = "bytes",
     .arg = "N",
     SG_INTO(struct asked, bytes),
     .read = read_amount,
     .help = "compulsory bytes, both ways together",
     .standard = ""},
    {.name = "dtype",
     .arg = "DTYPE",
     SG_INTO(struct asked, in),
     .read = read_dtype,
     .help = "number format of the inputs and of the arithmetic",
     .standard = "bf16"},
    {.name = "out-dtype",
     .arg = "DTYPE",
     SG_INTO(struct asked, out),
     .read = read_dtype,
     .help = "number format of the output",
     .standard = "f16 of a product, else that of the inputs"},
    {.name = "scale-block",
     .arg = "N",
     SG_INTO(struct asked, scale_block),
     .least = 1,
     .most = SG_GEMM_SIDE_MAX,
     .help = "elements along k that share a scale",
     .standard = "as --dtype has it"},
    {.name = "scale-bytes",
     .arg = "N",
     SG_INTO(struct asked, scale_bytes),
     .least = 1,
     .most = 16,
     .needs = "scale-block",
     .help = "bytes of one scale"},
    {.name = "scale-rows",
     .arg = "N",
     SG_INTO(struct asked, scale_rows),
     .least = 1,
     .most = SG_GEMM_SIDE_MAX,
     .needs = "scale-block",
     .help = "rows of B that share a scale; of A each has its own"},
    {.name = "time",
     .arg = "TIME",
     SG_INTO(struct asked, time_ns),
     .read = read_time,
     .help = "a measured time, with its unit, to hold against the limit",
     .standard = ""},
    {.name = "gpu-spec", .arg = "KEY", SG_INTO(struct asked, spec), .required = true, .help = "peaks of metrics/gpus/KEY.gpu"},
    SG_FORMAT_OPTION(struct asked),
    {0},
};
static const struct sg_option arguments[] = {{.name = "OP", SG_INTO(struct asked, words), .optional = true, .repeats = true}, {0}};

int sg_cmd_sol(int argc, char **argv, struct sg_err *err)
{
    struct sg_text notes = {0};
    add_notes(&notes);
    const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .usage = "[OP NAME=N...]",
        .summary =
            "The speed of light of an operator from its sizes alone: of a product D[m][n] = A[m][k] B[n][k]^T or a group of them, of "
            "attention, normalisation, copy, convolution and sparse products, or of flop and bytes; on any GPU of metrics/gpus, in "
            "any number format it has a peak for. No kernel, run or GPU is needed.",
        .notes = notes.data,
        .exits = {{SG_EXIT_DONE, "done"}, {SG_EXIT_USAGE, "command line, sizes, or no peak for the number format"}},
    };
    struct asked asked = {.in = {.dtype = SG_BF16},
                          .flop = NAN,
                          .bytes = NAN,
                          .scale_bytes = 1,
                          .scale_rows = 1,
                          .time_ns = NAN,
                          .format = sg_format_find("text")};
    if (sg_options_parse(&table, &asked, argc, argv, err))
        print_limit(&asked, err);
    for (size_t i = 0; i < SIDES; i++)
        free(asked.side[i].sizes);
    sg_names_release(&asked.words);
    sg_text_release(&notes);
    return 0;
}
