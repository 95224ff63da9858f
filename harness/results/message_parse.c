#include <jansson.h>
#include <math.h>
#include <string.h>

#include "results/message_internal.h"
#include "util/csv_fields.h"

static enum sg_code find_kind(const char *word, struct sg_message *message, struct sg_err *err)
{
    for (int kind = 0; kind < SG_MESSAGE_COUNT; kind++) {
        if (strcmp(word, sg_message_kinds[kind].word) == 0) {
            message->kind = (enum sg_message_kind)kind;
            return SG_SUCCESS;
        }
    }
    return sg_field_fail("is", "a kind of message", word, err);
}

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return true;
    return false;
}

static enum sg_code take_number(struct sg_message *message, size_t i, const char *name,
                                const json_t *value, struct sg_err *err)
{
    if (!json_is_number(value) && !json_is_null(value))
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number or null", name);
    sg_message_set(message, i, json_is_null(value) ? NAN : json_number_value(value));
    return SG_SUCCESS;
}

static enum sg_code take_text(struct sg_message *message, size_t i, const char *name,
                              const json_t *value, struct sg_err *err)
{
    message->field[i] = json_string_value(value);
    if (!message->field[i] || has_control(message->field[i]))
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a text without control characters",
                       name);
    return SG_SUCCESS;
}

static enum sg_code take_fields(struct sg_message *message, const json_t *json, struct sg_err *err)
{
    const char *const *field = sg_message_kinds[message->kind].field;
    size_t found = 1; /* counts the field `is` */
    for (size_t i = 0; i < SG_MESSAGE_FIELDS_MAX && field[i] && err->code == SG_SUCCESS; i++) {
        const char *name = field[i] + sg_message_is_number(field[i]);
        const json_t *value = json_object_get(json, name);
        message->field[i] = "";
        found += value != NULL;
        if (value && sg_message_is_number(field[i]))
            take_number(message, i, name, value, err);
        else if (value)
            take_text(message, i, name, value, err);
    }
    if (err->code == SG_SUCCESS && found != json_object_size(json))
        sg_fail(err, SG_BAD_INPUT, NULL, "a field that %s does not have",
                sg_message_kinds[message->kind].word);
    return err->code;
}

enum sg_code sg_message_parse(const char *line, size_t length, struct sg_message *message,
                              struct sg_err *err)
{
    *message = (struct sg_message){.json = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL)};
    const char *word = json_string_value(json_object_get(message->json, "is"));
    if (!word)
        sg_fail(err, SG_BAD_INPUT, NULL, "expected a message, found '%s'",
                sg_show(line, length).text);
    else if (find_kind(word, message, err) == SG_SUCCESS)
        take_fields(message, message->json, err);
    if (err->code != SG_SUCCESS)
        sg_message_release(message);
    return err->code;
}

void sg_message_release(struct sg_message *message)
{
    json_decref(message->json);
    *message = (struct sg_message){0};
}
