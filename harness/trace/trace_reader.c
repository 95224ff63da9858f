#include "trace/trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

#define ERRORS_MOST 255 /* largest errno: the length of a shorter file is an errno */

void sg_trace_release(struct sg_trace *trace)
{
    free(trace->bytes);
    free(trace->names);
    free(trace->series);
    free(trace->counts);
    *trace = (struct sg_trace){.bytes = NULL};
}

size_t sg_trace_samples(const struct sg_trace_series *series)
{
    return series->count < SG_TRACE_SAMPLES ? (size_t)series->count : SG_TRACE_SAMPLES;
}

size_t sg_trace_latencies(const struct sg_trace_series *series)
{
    return series->idle < SG_TRACE_LATENCIES ? (size_t)series->idle : SG_TRACE_LATENCIES;
}

double sg_trace_steady_ns(const struct sg_trace_series *series)
{
    const double count = (double)series->count;
    return series->count > 1 ? (double)(series->total_ns - series->first_ns) * count / (count - 1)
                             : (double)series->total_ns;
}

size_t sg_trace_values(const struct sg_trace_counts *counts)
{
    return (counts->block.bytes - sizeof(*counts)) / sizeof(counts->value[0]);
}

static enum sg_code take_counts(struct sg_trace *trace, const struct sg_trace_counts *counts,
                                struct sg_err *err)
{
    if (counts->block.bytes < sizeof(*counts) || counts->key.range >= trace->name_count ||
        counts->key.symbol >= trace->name_count)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected counts with names below %zu, found %u bytes, names %u and %u",
                       trace->name_count, counts->block.bytes, counts->key.range,
                       counts->key.symbol);
    *SG_APPEND(trace->counts, trace->counts_count, trace->counts_capacity) = counts;
    return SG_SUCCESS;
}

static enum sg_code take_series(struct sg_trace *trace, const struct sg_trace_series *series,
                                struct sg_err *err)
{
    if (series->block.bytes != sizeof(*series) || series->key.range >= trace->name_count ||
        series->key.symbol >= trace->name_count)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected a series of %zu bytes with names below %zu, found %u bytes, "
                       "names %u and %u",
                       sizeof(*series), trace->name_count, series->block.bytes, series->key.range,
                       series->key.symbol);
    *SG_APPEND(trace->series, trace->series_count, trace->series_capacity) = series;
    return SG_SUCCESS;
}

static enum sg_code take_name(struct sg_trace *trace, const struct sg_trace_name *name,
                              struct sg_err *err)
{
    if (name->block.bytes <= sizeof(*name) ||
        !memchr(name->text, '\0', name->block.bytes - sizeof(*name)))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected a name that ends with a NUL byte, found %u bytes without one",
                       name->block.bytes);
    *SG_APPEND(trace->names, trace->name_count, trace->name_capacity) = name;
    return SG_SUCCESS;
}

static enum sg_code take_block(struct sg_trace *trace, const struct sg_trace_block *block,
                               struct sg_err *err)
{
    if (block->kind == SG_TRACE_NAME)
        return take_name(trace, (const struct sg_trace_name *)block, err);
    if (block->kind == SG_TRACE_SERIES)
        return take_series(trace, (const struct sg_trace_series *)block, err);
    if (block->kind == SG_TRACE_COUNTS)
        return take_counts(trace, (const struct sg_trace_counts *)block, err);
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected a block of kind 1, 2 or 3, found %u",
                   block->kind);
}

static enum sg_code take_blocks(struct sg_trace *trace, size_t length, struct sg_err *err)
{
    if (length >= sizeof(trace->head))
        memcpy(&trace->head, trace->bytes, sizeof(trace->head));
    const uint64_t used = trace->head.used;
    if (length >= sizeof(trace->head) && trace->head.magic == 0)
        return SG_SUCCESS; /* the process was killed before its first launch */
    if (trace->head.magic != SG_TRACE_MAGIC || used > length || used % 8 != 0 ||
        used < sizeof(trace->head))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected a trace of this version, found one written by another version of "
                       "solgate, or cut off: start the gate again in another folder");
    for (uint64_t at = sizeof(trace->head); at < used && err->code == SG_SUCCESS;) {
        const struct sg_trace_block *block = (const struct sg_trace_block *)(trace->bytes + at);
        if (used - at < sizeof(*block) || block->bytes < sizeof(*block) || block->bytes % 8 != 0 ||
            block->bytes > used - at)
            return sg_fail(err, SG_BAD_INPUT, NULL,
                           "expected a block at byte %llu, found one of %u bytes",
                           (unsigned long long)at, used - at < sizeof(*block) ? 0 : block->bytes);
        take_block(trace, block, err);
        at += block->bytes;
    }
    return err->code;
}

static void take_unwritten(struct sg_trace *trace, const char *path, size_t error)
{
    const char *slash = strrchr(path, '/');
    trace->head.pid = strtoull(slash ? slash + 1 : path, NULL, 10);
    trace->head.flags = error > 0 ? SG_TRACE_FULL : 0;
    snprintf(trace->head.why, sizeof(trace->head.why), "%s", strerror((int)error));
}

enum sg_code sg_trace_read(const char *path, struct sg_trace *trace, struct sg_err *err)
{
    struct sg_text text = {0};
    *trace = (struct sg_trace){.bytes = NULL};
    if (sg_read_file(path, &text, err) != SG_SUCCESS)
        return err->code;
    trace->bytes = text.data; /* allocated by malloc, so the blocks are aligned */
    if (text.length <= ERRORS_MOST)
        take_unwritten(trace, path, text.length);
    else
        take_blocks(trace, text.length, err);
    sg_fail_here(err, path, 1);
    return err->code;
}

bool sg_trace_read_head(const char *path, struct sg_trace_head *head)
{
    FILE *file = fopen(path, "rb");
    const bool is_read = file && fread(head, sizeof(*head), 1, file) == 1;
    if (file)
        fclose(file);
    return is_read && head->magic == SG_TRACE_MAGIC;
}

/* ---- missing records ---- */

static void add_missing(const struct sg_trace_head *head, struct sg_text *out)
{
    sg_text_addf(out, "%llu of %llu launches have no record: ",
                 (unsigned long long)(head->launches - head->records),
                 (unsigned long long)head->launches);
    if (head->dropped > 0)
        sg_text_addf(out, "CUPTI dropped %llu", (unsigned long long)head->dropped);
    else if (!(head->flags & SG_TRACE_CLOSED))
        sg_text_add(out, "the process ended by _exit or a signal before CUPTI delivered them");
    else if (strchr(head->copies, ','))
        sg_text_addf(out, "it loaded more than one CUPTI library (%.*s)", (int)sizeof(head->copies),
                     head->copies);
    else
        sg_text_add(out, "the kernels still ran at its end, or another CUPTI client took the "
                         "records, such as torch.profiler, Proton or cupti-python");
}

void sg_trace_flags(const struct sg_trace *trace, struct sg_text *out)
{
    static const char *const words[] = {
#define X(constant, text) [constant##_BIT] = text,
        SG_TRACE_FLAG_TABLE(X)
#undef X
    };
    const struct sg_trace_head *head = &trace->head;
    const size_t before = out->length;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (head->flags & (UINT64_C(1) << i))
            sg_text_addf(out, "%s%s%s%.*s", out->length > before ? "; " : "", words[i],
                         *head->why ? ": " : "", (int)strnlen(head->why, sizeof(head->why)),
                         head->why);
}

void sg_trace_complaint(const struct sg_trace *trace, struct sg_text *out)
{
    const struct sg_trace_head *head = &trace->head;
    const size_t before = out->length;
    sg_trace_flags(trace, out);
    if (out->length > before)
        return;
    if (head->records < head->launches)
        add_missing(head, out);
    else if (head->dropped > 0)
        sg_text_addf(out, "CUPTI dropped %llu records", (unsigned long long)head->dropped);
    else if (head->records > head->launches)
        sg_text_addf(out, "%llu kernels ran, but only %llu launches were seen",
                     (unsigned long long)head->records, (unsigned long long)head->launches);
    else if (head->timeless > 0)
        sg_text_addf(out, "%llu records have no times", (unsigned long long)head->timeless);
    else if (head->early > 0)
        sg_text_addf(out, "%llu kernels started before they were launched, according to records",
                     (unsigned long long)head->early);
}
