/* trace/trace_reader.h: files of the injected library, whole or damaged; what is missing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "trace/trace_reader.h"
#include "util/file.h"

/* A trace with two names and one series of three launches. */
struct file {
    struct sg_trace_head head;
    struct { /* as struct sg_trace_name */
        struct sg_trace_block block;
        uint64_t code, codes, begun, turns;
        char text[16];
    } names[2];
    struct sg_trace_series series;
};

static struct file whole_file(void)
{
    struct file file = {.head = {.magic = SG_TRACE_MAGIC,
                                 .used = sizeof(file),
                                 .pid = 7,
                                 .launches = 3,
                                 .records = 3,
                                 .flags = SG_TRACE_CLOSED},
                        .series = {.block = {SG_TRACE_SERIES, sizeof(file.series)},
                                   .key = {.range = 0, .symbol = 1},
                                   .count = 3,
                                   .sample_ns = {10, 20, 30},
                                   .idle = 2,
                                   .latency_ns = {4, 5}}};
    for (size_t i = 0; i < 2; i++)
        file.names[i].block = (struct sg_trace_block){SG_TRACE_NAME, sizeof(file.names[i])};
    strcpy(file.names[1].text, "kernel");
    return file;
}

static enum sg_code read_bytes(const void *bytes, size_t count, struct sg_trace *trace,
                               struct sg_err *err)
{
    char path[] = "/tmp/test_trace_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(sg_write_file(path, bytes, count, err), SG_SUCCESS);
    const enum sg_code code = sg_trace_read(path, trace, err);
    unlink(path);
    return code;
}

TEST(a_whole_file)
{
    const struct file file = whole_file();
    struct sg_err err = {0};
    SG_SCOPED(sg_trace) trace;
    SG_SCOPED(sg_text) complaint = {0};
    assert_int_equal(read_bytes(&file, sizeof(file), &trace, &err), SG_SUCCESS);
    assert_int_equal(trace.name_count, 2);
    assert_int_equal(trace.series_count, 1);
    assert_string_equal(trace.names[trace.series[0]->key.symbol]->text, "kernel");
    assert_int_equal(sg_trace_samples(trace.series[0]), 3);
    assert_int_equal(sg_trace_latencies(trace.series[0]), 2);
    sg_trace_complaint(&trace, &complaint);
    assert_int_equal(complaint.length, 0);
}

TEST(damage)
{
    static const struct {
        const char *sentence;
        size_t offset;
        uint32_t value;
        size_t length;
    } rows[] = {
        {"a short file", 0, 0, 256},
        {"a cut one", 0, 0, sizeof(struct file) - 8},
        {"another magic", offsetof(struct file, head.magic), 1, 0},
        {"more in use than there is", offsetof(struct file, head.used), sizeof(struct file) + 8, 0},
        {"less in use than the head", offsetof(struct file, head.used), 8, 0},
        {"a use of part of a word", offsetof(struct file, head.used), sizeof(struct file) - 1, 0},
        {"an unknown block", offsetof(struct file, series.block.kind), 9, 0},
        {"a block of no bytes", offsetof(struct file, series.block.bytes), 0, 0},
        {"one of too many", offsetof(struct file, series.block.bytes), 1u << 30, 0},
        {"a series that is too short", offsetof(struct file, series.block.bytes), 64, 0},
        {"a range that is not there", offsetof(struct file, series.key.range), 2, 0},
        {"a kernel that is not there", offsetof(struct file, series.key.symbol), 2, 0},
        {"a name without an end", offsetof(struct file, names[0].block.bytes),
         sizeof(struct sg_trace_name), 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct file file = whole_file();
        struct sg_err err = {0};
        SG_SCOPED(sg_trace) trace;
        if (rows[i].length == 0)
            memcpy((char *)&file + rows[i].offset, &rows[i].value, sizeof(rows[i].value));
        const enum sg_code code =
            read_bytes(&file, rows[i].length ? rows[i].length : sizeof(file), &trace, &err);
        if (code != SG_BAD_INPUT || !strstr(err.message, "expected") || !err.where[0])
            fail_msg("%s: %d, %s: %s", rows[i].sentence, code, err.where, err.message);
    }
}

TEST(not_begun)
{
    struct file file = {.head = {.magic = 0}};
    struct sg_err err = {0};
    struct sg_trace trace;
    SG_SCOPED(sg_text) complaint = {0};
    const size_t bytes[] = {0, sizeof(file), ENOSPC};
    for (size_t i = 0; i < COUNT(bytes); i++) {
        assert_int_equal(read_bytes(&file, bytes[i], &trace, &err), SG_SUCCESS);
        sg_trace_complaint(&trace, &complaint);
        assert_string_equal(
            sg_text_string(&complaint),
            bytes[i] == ENOSPC ? "the trace could not be written: No space left on device" : "");
        sg_trace_release(&trace);
    }
}

TEST(counts)
{
    struct file file = whole_file();
    struct sg_err err = {0};
    struct sg_trace trace;
    const size_t values = (sizeof(file.series) - sizeof(struct sg_trace_counts)) / sizeof(double);
    file.series.block.kind = SG_TRACE_COUNTS; /* the same key, and values where the samples were */
    assert_int_equal(read_bytes(&file, sizeof(file), &trace, &err), SG_SUCCESS);
    assert_int_equal(trace.counts_count, 1);
    assert_int_equal(sg_trace_values(trace.counts[0]), values);
    sg_trace_release(&trace);
    file.series.key.symbol = 2;
    assert_int_equal(read_bytes(&file, sizeof(file), &trace, &err), SG_BAD_INPUT);
    sg_trace_release(&trace);
}

TEST(what_is_missing)
{
    static const struct {
        const char *sentence, *words;
        struct sg_trace_head head;
    } rows[] = {
        ROW("all are there", "", LIST(.launches = 5, .records = 5, .flags = SG_TRACE_CLOSED)),
        ROW("an end without its handlers is none", "", LIST(.launches = 5, .records = 5)),
        ROW("records did not come", "1 of 5 launches have no record: the kernels still ran",
            LIST(.launches = 5, .records = 4, .flags = SG_TRACE_CLOSED)),
        ROW("it was killed", "_exit or a signal", LIST(.launches = 5, .records = 4)),
        ROW("records were dropped", "CUPTI dropped 1",
            LIST(.launches = 5, .records = 4, .dropped = 1, .flags = SG_TRACE_CLOSED)),
        ROW("and others came", "CUPTI dropped 1", LIST(.launches = 5, .records = 5, .dropped = 1)),
        ROW("CUPTI is there twice", "more than one CUPTI library (a, b)",
            LIST(.launches = 1, .flags = SG_TRACE_CLOSED, .copies = "a, b")),
        ROW("kernels that nobody launched", "6 kernels ran, but only 5",
            LIST(.launches = 5, .records = 6)),
        ROW("without times", "2 records have no times",
            LIST(.launches = 5, .records = 5, .timeless = 2)),
        ROW("before their launch", "3 kernels started before",
            LIST(.launches = 5, .records = 5, .early = 3)),
        ROW("no CUPTI", "CUPTI could not be used: not found",
            LIST(.flags = SG_TRACE_NO_CUPTI, .why = "not found")),
        ROW("switched off", "cuptiFinalize",
            LIST(.launches = 5, .records = 5, .flags = SG_TRACE_SWITCHED_OFF | SG_TRACE_CLOSED)),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_trace trace = {.head = rows[i].head};
        SG_SCOPED(sg_text) complaint = {0};
        sg_trace_complaint(&trace, &complaint);
        if ((*rows[i].words == '\0') != (complaint.length == 0) ||
            !strstr(sg_text_string(&complaint), rows[i].words))
            fail_msg("%s: %s", rows[i].sentence, sg_text_string(&complaint));
    }
}
