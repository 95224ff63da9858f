#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/gemm_work.h"
#include "plan/module_list.h"
#include "reports/report.h"
#include "results/env.h"
#include "results/message.h"
#include "util/dtype_names.h"

/* The request: a product, flop and bytes, or the cases of modules. */
struct asked {
    struct sg_names words;   /* "gemm" and its sizes; empty: flop and bytes, or modules */
    struct sg_names modules; /* modules with the cases */
    struct sg_names cases;   /* patterns of case names; empty: all */
    double flop, bytes;      /* NaN: not given */
    struct sg_dtype_name in, out;
    double time_ns; /* NaN: not given */
    const char *spec;
    const struct sg_format *format;
};

static enum sg_code read_time(void *place, const char *word, struct sg_err *err)
{
    double *time_ns = place;
    if (sg_parse_duration(word, time_ns, err) != SG_SUCCESS)
        return err->code;
    *time_ns *= 1e9;
    if (*time_ns > 0 && isfinite(*time_ns))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL,
                   "expected a time, finite and over 0, such as 127us, found '%s'",
                   sg_show_string(word).text);
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
    return sg_fail(err, SG_BAD_USAGE, NULL,
                   "expected a number, 0 or more, such as 1.5e9, found '%s'",
                   sg_show_string(word).text);
}

/* Describes the request like a measured run: a family, its case, and one variant. */
struct described {
    const char *family;
    struct sg_text shape;
    struct sg_work work;
};

static enum sg_code describe_gemm(const struct asked *asked, struct described *described,
                                  struct sg_err *err)
{
    const char *name = asked->words.items[0];
    if (strcmp(name, "gemm") != 0)
        return sg_fail(
            err, SG_BAD_USAGE, "sol",
            "expected gemm, found '%s': for other work give --flop and --bytes, or a --module",
            sg_show_string(name).text);
    described->family = "gemm";
    return sg_gemm_work((const char *const *)asked->words.items + 1, asked->words.count - 1,
                        &asked->in, asked->out.dtype, &described->work, &described->shape, err);
}

/* Read and written bytes cost the same. */
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

struct module_rows {
    const struct asked *asked;
    struct sg_table *run;
};

static enum sg_code take_case(void *context, const struct sg_message *message, struct sg_err *err)
{
    const struct module_rows *rows = context;
    if (message->kind == SG_MESSAGE_VALUE && sg_names_match(&rows->asked->cases, message->name[1]))
        sg_table_add(rows->run, &message->value);
    return err->code;
}

/* Adds each case of the modules, with the work that their families declare. */
static enum sg_code add_modules(const struct asked *asked, struct sg_table *run, struct sg_err *err)
{
    struct module_rows rows = {asked, run};
    if (asked->words.count > 0 || !isnan(asked->flop) || !isnan(asked->bytes) ||
        !isnan(asked->time_ns))
        return sg_fail(
            err, SG_BAD_USAGE, "sol",
            "--module has cases with their work: it cannot be combined with gemm, --flop, "
            "--bytes or --time");
    for (size_t i = 0; i < asked->modules.count && err->code == SG_SUCCESS; i++)
        sg_module_describe(asked->modules.items[i], take_case, &rows, err);
    if (err->code == SG_SUCCESS && run->count == 0)
        sg_fail(err, SG_BAD_USAGE, "sol",
                "no case of the modules has such a name; `solgate list cases --module=FILE` lists "
                "them");
    return err->code == SG_SUCCESS ? sg_table_sort(run, err) : err->code;
}

static enum sg_code describe(const struct asked *asked, struct described *described,
                             struct sg_err *err)
{
    const bool has_gemm = asked->words.count > 0,
               has_amounts = !isnan(asked->flop) || !isnan(asked->bytes);
    if (has_gemm == has_amounts)
        return sg_fail(err, SG_BAD_USAGE, "sol",
                       "expected gemm and its sizes (m=, n=, k=), or --flop and --bytes, or "
                       "--module=FILE, found %s",
                       has_gemm ? "both" : "none of them");
    return has_gemm ? describe_gemm(asked, described, err) : describe_amounts(asked, described);
}

static enum sg_code make_run(const struct asked *asked, struct sg_table *run, struct sg_err *err)
{
    struct described described = {.family = NULL};
    if (asked->modules.count > 0)
        return add_modules(asked, run, err);
    if (describe(asked, &described, err) == SG_SUCCESS) {
        const struct sg_value item = {
            .family = described.family, .case_ = "asked", .variant = "time"};
        sg_table_add_words(run, item, "shape", SG_OK, described.shape.data);
        sg_table_add_words(run, item, "status", isnan(asked->time_ns) ? SG_SKIPPED : SG_OK, "");
        for (enum sg_dtype d = 0; d < SG_DTYPE_COUNT; d++) {
            SG_FORMATTED(flop, "work_flop_%s", sg_dtype_word(d));
            if (described.work.flop[d] > 0)
                sg_table_add_number(run, item, flop.data, "flop", described.work.flop[d]);
        }
        sg_table_add_number(run, item, "work_read_bytes", "B", described.work.read_bytes);
        sg_table_add_number(run, item, "work_write_bytes", "B", described.work.write_bytes);
        if (!isnan(asked->time_ns))
            sg_table_add_number(run, item, "time", "ns", asked->time_ns);
        sg_table_sort(run, err);
    }
    return err->code;
}

/* Both are said at once: what is missing of the work, and the GPU. */
static void add_no_spec(struct sg_err *err)
{
    static const char missing[] = "--gpu-spec=KEY is missing: a key of `solgate list gpus`, or a "
                                  "FILE.gpu";
    const size_t length = strlen(err->message);
    if (err->code != SG_SUCCESS)
        snprintf(err->message + length, sizeof(err->message) - length, "; and %s", missing);
    sg_fail(err, SG_BAD_USAGE, "sol", "%s", missing);
}

static enum sg_code print_limit(const struct asked *asked, struct sg_err *err)
{
    const struct sg_env nothing = {.count = 0};
    SG_SCOPED(sg_table) run = {0};
    struct sg_sol_table gaps = {0};
    struct sg_document document = {.name = "sol"};
    if (make_run(asked, &run, err) != SG_BAD_INPUT && !asked->spec)
        add_no_spec(err);
    if (err->code == SG_SUCCESS &&
        sg_sol_table_make(&run, &nothing, asked->spec, false, &gaps, err) == SG_SUCCESS) {
        sg_document_of_gaps(&document, &gaps, 1, false);
        sg_print_document(&document, asked->format, err);
    }
    return err->code;
}

static void add_notes(struct sg_text *out)
{
    sg_text_add(out, "OP is gemm, and its sizes are " SG_GEMM_SIZES
                     ", as NAME=N, or NAME=N,N,... with one number for each product of a group. "
                     "Sizes in brackets are optional: elements along k that share a scale, bytes "
                     "of a scale, rows of B that share a scale.\n\nNumber formats: ");
    sg_dtype_names_add(out);
    sg_text_add(out, ". nvfp4, mxfp4 and mxfp8 have a one-byte scale for each block along k.\n\n"
                     "Example: solgate sol gemm m=192,320 n=3072 k=4096 --dtype=nvfp4 "
                     "--gpu-spec=b200 --time=127us\n"
                     "         solgate sol --flop=2e12 --bytes=3e9 --dtype=fp8 --gpu-spec=h200\n"
                     "         solgate sol --module=build/libsg_saxpy.so --gpu-spec=h100");
}

static const struct sg_option options[] = {
    SG_VALUE("module", "FILE", struct asked, modules,
             .help = "the cases of a kernel module, by the work that its family declares",
             .repeats = true),
    SG_VALUE("case", "PATTERN", struct asked, cases, .help = "only cases that match",
             .repeats = true, .needs = "module"),
    SG_VALUE("flop", "N", struct asked, flop, .help = "arithmetic", .read = read_amount,
             .standard = ""),
    SG_VALUE("bytes", "N", struct asked, bytes,
             .help = "compulsory bytes, read and written together", .read = read_amount,
             .standard = ""),
    SG_VALUE("dtype", "DTYPE", struct asked, in,
             .help = "number format of the inputs and of the arithmetic", .read = read_dtype,
             .standard = "bf16"),
    SG_VALUE("out-dtype", "DTYPE", struct asked, out, .help = "number format of the output",
             .read = read_dtype, .standard = "f16"),
    SG_VALUE("time", "TIME", struct asked, time_ns,
             .help = "a measured time, with its unit, to compare with the limit", .read = read_time,
             .standard = ""),
    SG_VALUE("gpu-spec", "KEY", struct asked, spec, .help = SG_SPEC_HELP,
             .standard = "none: needed"),
    SG_FORMAT_OPTION(struct asked),
};

int sg_cmd_sol(int argc, char **argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) notes = {0};
    add_notes(&notes);
    const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("OP", struct asked, words, .optional = true, .repeats = true)},
        .usage = "OP NAME=N...\n--flop=N --bytes=N\n--module=FILE",
        .summary = "The speed of light of a matrix product D[m][n] = A[m][k] B[n][k]^T or a group "
                   "of them, of flop and bytes, or of the "
                   "cases of a "
                   "kernel module, on any GPU of metrics/gpus. No run or GPU is needed.",
        .notes = notes.data,
        .exits = {{SG_EXIT_DONE, "done"},
                  {SG_EXIT_USAGE, "command line, sizes, or no peak for the number format"}},
    };
    struct asked asked = {.in = {.dtype = SG_BF16},
                          .out = {.dtype = SG_F16},
                          .flop = NAN,
                          .bytes = NAN,
                          .time_ns = NAN,
                          .format = sg_format_find("text")};
    if (sg_options_parse(&table, &asked, argc, argv, err))
        print_limit(&asked, err);
    return 0;
}
