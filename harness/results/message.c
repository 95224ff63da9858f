#include "results/message_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/csv_fields.h"
#include "util/csv_reader.h"
#include "util/escape.h"

#define DIGITS 9 /* significant digits of a number */

const struct sg_message_kind_facts sg_message_kinds[SG_MESSAGE_COUNT] = {
#define X(constant, word, ...) [constant] = {word, {__VA_ARGS__}},
    SG_MESSAGE_TABLE(X)
#undef X
};

void sg_message_set(struct sg_message *message, size_t field, double number)
{
    message->number[field] = number;
    message->has |= 1u << field;
}

double sg_message_number(const struct sg_message *message, size_t field)
{
    return message->has >> field & 1 ? message->number[field] : NAN;
}

enum sg_code sg_message_fail(const struct sg_message *message, size_t field, const char *expected,
                             struct sg_err *err)
{
    const char *name = sg_message_kinds[message->kind].field[field];
    char number[32] = "";
    if (!sg_message_is_number(name))
        return sg_field_fail(name, expected, message->field[field], err);
    if (message->has >> field & 1)
        snprintf(number, sizeof(number), "%.12g", message->number[field]);
    return sg_field_fail(name + 1, expected, number, err);
}

enum sg_code sg_message_check_name(const struct sg_message *message, size_t field,
                                   struct sg_err *err)
{
    return sg_field_name(sg_message_kinds[message->kind].field[field], message->field[field], err);
}

enum sg_code sg_message_count(const struct sg_message *message, size_t field, uint64_t max,
                              uint64_t *count, struct sg_err *err)
{
    const double found = sg_message_number(message, field);
    char expected[64];
    if (found >= 0 && found <= (double)max && floor(found) == found) {
        *count = (uint64_t)found;
        return SG_SUCCESS;
    }
    snprintf(expected, sizeof(expected), "a whole number up to %" PRIu64, max);
    return sg_message_fail(message, field, expected, err);
}

/* ---- writing ---- */

/* Only two characters of printable UTF-8 need an escape; sg_make_printable never lengthens a
 * text. */
static void add_string(struct sg_text *out, const char *text)
{
    const size_t begin = out->length;
    for (size_t plain; *text; text += plain) {
        plain = strcspn(text, "\"\\");
        if (plain == 0) {
            sg_text_add_bytes(out, "\\", 1);
            plain = 1;
        }
        sg_text_add_bytes(out, text, plain);
    }
    if (out->length > begin)
        sg_make_printable(out->data + begin);
}

static void add_key(struct sg_text *out, const char *name)
{
    sg_text_add_bytes(out, ",\"", 2);
    sg_text_add(out, name);
    sg_text_add_bytes(out, "\":", 2);
}

static void add_field(struct sg_text *out, const struct sg_message *message, size_t i)
{
    const char *name = sg_message_kinds[message->kind].field[i];
    if (!sg_message_is_number(name) && message->field[i] && message->field[i][0]) {
        add_key(out, name);
        sg_text_add_bytes(out, "\"", 1);
        add_string(out, message->field[i]);
        sg_text_add_bytes(out, "\"", 1);
    } else if (sg_message_is_number(name) && message->has >> i & 1) {
        add_key(out, name + 1);
        if (isfinite(message->number[i]))
            sg_text_add_number(out, message->number[i], DIGITS);
        else
            sg_text_add(out, "null");
    }
}

void sg_message_add(struct sg_text *out, const struct sg_message *message)
{
    sg_text_addf(out, "{\"is\":\"%s\"", sg_message_kinds[message->kind].word);
    for (size_t i = 0; i < SG_MESSAGE_FIELDS_MAX && sg_message_kinds[message->kind].field[i]; i++)
        add_field(out, message, i);
    sg_text_add(out, "}\n");
}

/* ---- rows of CSV ---- */

enum sg_code sg_message_of_fields(enum sg_message_kind kind, const char *const *field,
                                  struct sg_message *message, struct sg_err *err)
{
    const char *const *name = sg_message_kinds[kind].field;
    *message = (struct sg_message){.kind = kind};
    for (size_t i = 0; i < SG_MESSAGE_FIELDS_MAX && name[i]; i++) {
        double number = 0;
        message->field[i] = field[i];
        if (!sg_message_is_number(name[i]) || !*field[i])
            continue;
        if (!sg_parse_double(field[i], true, &number))
            return sg_field_fail(name[i] + 1, "a number", field[i], err);
        sg_message_set(message, i, number);
    }
    return SG_SUCCESS;
}

void sg_message_add_fields(struct sg_text *out, const struct sg_message *message, size_t from,
                           size_t to)
{
    const char *const *name = sg_message_kinds[message->kind].field;
    for (size_t i = from; i < to; i++) {
        if (i > from)
            sg_text_add(out, ",");
        /* Readers reject an infinity (a division by zero, or an overflow), so it is written as
         * NaN. */
        if (sg_message_is_number(name[i]) && message->has >> i & 1)
            sg_text_add_number(out, isinf(message->number[i]) ? NAN : message->number[i], DIGITS);
        else if (!sg_message_is_number(name[i]) && message->field[i])
            sg_csv_add_field(out, message->field[i]);
    }
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

enum sg_code sg_take_failure(const struct sg_message *message, struct sg_failure *failure,
                             struct sg_err *err)
{
    uint64_t code = 0;
    if (sg_message_count(message, 0, SG_CODE_COUNT - 1, &code, err) != SG_SUCCESS)
        return err->code;
    if (code == SG_SUCCESS)
        return sg_message_fail(message, 0, "the number of an error", err);
    failure->code = (enum sg_code)code;
    snprintf(failure->why, sizeof(failure->why), "%s", message->field[1]);
    return SG_SUCCESS;
}
