#include "results/message.h"

#include <stdio.h>
#include <string.h>

#include "stats/abba.h"
#include "stats/run_limits.h"
#include "util/csv_reader.h"
#include "util/escape.h"

/* ---- the fields of each kind ---- */

static bool is_given(const char *text)
{
    return *text != '\0';
}

#define FIELD(type, title, member, ...) \
    SG_FIELD(type, title, struct sg_message, member, __VA_ARGS__)
#define TEXT(title, member)  FIELD(TEXT, title, member)
#define COUNT(title, member) FIELD(COUNT, title, member)
#define NAME(title, member)  FIELD(TEXT, title, member, .is = sg_is_name, .expected = SG_NAME)
#define NUMBER(member)       FIELD(REAL, #member, member)
#define STATUS(title)                                    \
    FIELD(WORD, title, status, .words = sg_status_words, \
          .expected = "a status word (ok, wrong, crash, ...)")
#define FAMILY          NAME("family", name[0])
#define ITEM            FAMILY, NAME("case", name[1]), NAME("variant", name[2])
#define PROCESS(member) FIELD(COUNT, "process", member, .most = SG_PROCESSES_MAX - 1)

#define KIND(title, ...)                                                                       \
    {                                                                                          \
        .word = (title),                                                                       \
        .record = &(const struct sg_record)SG_RECORD(((const struct sg_field[]){__VA_ARGS__})) \
    }
#define EMPTY(title)                          \
    {                                         \
        .word = (title), .record = &no_fields \
    }

static const struct sg_record no_fields = {.count = 0};

static const struct kind {
    const char *word;
    const struct sg_record *record;
    size_t offset; /* of the record in the message */
} kinds[SG_MESSAGE_COUNT] = {
    [SG_MESSAGE_HELLO] = KIND("hello", COUNT("version", version), TEXT("pass", pass)),
    [SG_MESSAGE_SETUP] = KIND("setup", FIELD(REAL, "seconds", seconds, .required = true)),
    [SG_MESSAGE_ENV] = KIND("env", TEXT("key", key), TEXT("value", text)),
    [SG_MESSAGE_FAMILY] = KIND("family", FAMILY, TEXT("device", device), TEXT("dims", dims),
                               TEXT("summary", summary), TEXT("commit", commit)),
    [SG_MESSAGE_CASE] = KIND("case", FAMILY, NAME("case", name[1]), TEXT("dtype", dtype),
                             TEXT("shape", shape), TEXT("summary", summary)),
    [SG_MESSAGE_VARIANT] = KIND("variant", FAMILY, NAME("variant", name[2]),
                                FIELD(WORD, "role", role, .words = sg_role_words), STATUS("expect"),
                                TEXT("summary", summary), COUNT("deadline_ms", deadline_ms)),
    [SG_MESSAGE_KNOB] = KIND("knob", FAMILY, NAME("variant", name[2]), NAME("knob", knob),
                             TEXT("values", values), TEXT("summary", summary)),
    [SG_MESSAGE_KERNEL] =
        KIND("kernel", FAMILY, TEXT("kernel", kernel), TEXT("mangled", mangled),
             TEXT("images", images), TEXT("notes", notes), NUMBER(spill_store_bytes),
             NUMBER(spill_load_bytes), NUMBER(instructions)),
    [SG_MESSAGE_BEGIN] = KIND("begin", ITEM),
    [SG_MESSAGE_AT] = KIND("at", ITEM),
    [SG_MESSAGE_SIDE] = KIND("side", TEXT("side", side)),
    [SG_MESSAGE_STATUS] = KIND("status", ITEM, STATUS("status"), TEXT("message", text)),
    [SG_MESSAGE_BASELINE] = KIND("baseline", ITEM, STATUS("status"), TEXT("message", text)),
    [SG_MESSAGE_VALUE] = {"value", &sg_value_record, offsetof(struct sg_message, value)},
    [SG_MESSAGE_SAMPLE] = KIND(
        "sample", FAMILY, NAME("case", name[1]), NAME("pair", name[2]), PROCESS(sample.process),
        FIELD(COUNT, "block", sample.block, .most = SG_BLOCKS_MAX - 1),
        FIELD(COUNT, "position", sample.position, .most = SG_BLOCK_BATCHES - 1),
        NAME("variant", ran),
        FIELD(REAL, "ns", sample.ns, .least = SG_NS_MIN, .most = SG_NS_MAX, .required = true,
              .expected = "a time above 0 and below eleven days"),
        FIELD(REAL, "sm_clock", sample.sm_clock, .most = SG_HZ_MAX, .required = true,
              .expected = "a clock below 1 THz, or 0 if it is not known"),
        COUNT("spikes", sample.spikes),
        FIELD(REAL, "energy", sample.energy, .most = SG_JOULES_MAX, .required = true,
              .expected = "an energy below 1 GJ, or 0 if it was not measured")),
    [SG_MESSAGE_PC] =
        KIND("pc", ITEM,
             FIELD(TEXT, "kernel", kernel, .is = is_given, .expected = "the name of a kernel"),
             TEXT("code", code), COUNT("pc", pc), TEXT("instruction", instruction),
             TEXT("charged_to", charged_to), TEXT("reason", reason), COUNT("samples", pc_samples)),
    [SG_MESSAGE_EVENTS] = KIND("events", FIELD(WORD, "moment", moment, .words = sg_moment_words),
                               TEXT("events", events)),
    [SG_MESSAGE_FIGURE] = KIND("figure", FIELD(WORD, "moment", moment, .words = sg_moment_words),
                               FIELD(WORD, "figure", figure, .words = sg_figure_words),
                               FIELD(REAL, "value", figure_value, .required = true)),
    [SG_MESSAGE_NOTE] = KIND("note", TEXT("text", text)),
    [SG_MESSAGE_FAIL] =
        KIND("fail", FIELD(COUNT, "code", failure, .least = 1, .most = SG_CODE_COUNT - 1),
             TEXT("message", text)),
    [SG_MESSAGE_BYE] = EMPTY("bye"),
    [SG_MESSAGE_PROCESS] = {"process", &sg_process_record, offsetof(struct sg_message, row)},
    [SG_MESSAGE_DROP] = KIND("drop", PROCESS(process), TEXT("why", text)),
    [SG_MESSAGE_WHOLE] = EMPTY("whole"),
};

const struct sg_record *sg_message_record(enum sg_message_kind kind)
{
    return kinds[kind].record;
}

/* ---- lines ---- */

struct sg_record sg_sample_record(bool has_energy)
{
    struct sg_record record = *kinds[SG_MESSAGE_SAMPLE].record;
    record.count -= !has_energy;
    return record;
}

void sg_message_add(struct sg_text *out, const struct sg_message *message)
{
    const struct kind *kind = &kinds[message->kind];
    const struct sg_record record = message->kind == SG_MESSAGE_SAMPLE
                                        ? sg_sample_record(message->sample.energy > 0)
                                        : *kind->record;
    sg_text_add(out, kind->word);
    sg_text_add_bytes(out, ",", record.count > 0);
    sg_record_add(out, &record, (const char *)message + kind->offset, NULL);
    sg_text_add_bytes(out, "\n", 1);
}

static enum sg_code find_kind(const char *word, struct sg_message *message, struct sg_err *err)
{
    for (int kind = 0; kind < SG_MESSAGE_COUNT; kind++) {
        if (strcmp(word, kinds[kind].word) == 0) {
            message->kind = (enum sg_message_kind)kind;
            return SG_SUCCESS;
        }
    }
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected a message, found '%s'",
                   sg_show_string(word).text);
}

static enum sg_code take_fields(const struct sg_csv_fields *fields, struct sg_message *message,
                                struct sg_err *err)
{
    const struct kind *kind = &kinds[message->kind];
    struct sg_record record = sg_sample_record(false);
    if (message->kind != SG_MESSAGE_SAMPLE || fields->count - 1 != record.count)
        record = *kind->record;
    if (fields->count - 1 != record.count)
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected %zu fields, found %zu", kind->word,
                       record.count, fields->count - 1);
    if (sg_record_read(&record, fields->items + 1, (char *)message + kind->offset, NULL, err) !=
            SG_SUCCESS ||
        message->kind != SG_MESSAGE_VALUE)
        return err->code;
    message->name[0] = message->value.family;
    message->name[1] = message->value.case_;
    message->name[2] = message->value.variant;
    return sg_value_check_relations(&message->value, err);
}

enum sg_code sg_message_parse(const char *line, size_t length, struct sg_text *room,
                              struct sg_message *message, struct sg_err *err)
{
    SG_SCOPED(sg_csv_fields) fields = {.count = 0};
    *message = (struct sg_message){.line = line, .length = length};
    room->length = 0;
    sg_text_add_bytes(room, line, length);
    if (strlen(room->data) < length || !sg_is_printable(room->data) ||
        !sg_csv_split(room->data, &fields))
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected a message, found '%s'",
                       sg_show(line, length).text);
    return find_kind(fields.items[0], message, err) == SG_SUCCESS
               ? take_fields(&fields, message, err)
               : err->code;
}

bool sg_message_is_progress(enum sg_message_kind kind)
{
    switch (kind) {
    case SG_MESSAGE_NOTE:
    case SG_MESSAGE_SIDE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
    case SG_MESSAGE_PC:
    case SG_MESSAGE_CASE:
    case SG_MESSAGE_VARIANT:
    case SG_MESSAGE_KNOB:
    case SG_MESSAGE_KERNEL:
        return false;
    default:
        return true;
    }
}

void sg_take_failure(const struct sg_message *message, struct sg_failure *failure)
{
    failure->code = message->failure;
    snprintf(failure->why, sizeof(failure->why), "%s", message->text);
}
