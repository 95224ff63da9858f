#include "process/protocol.h"

#include <assert.h>
#include <string.h>

#include "util/escape.h"

struct kind_facts {
    const char *word;
    size_t fields;
};

static const struct kind_facts kinds[] = {
#define X(constant, word, fields, meaning) [constant] = {word, fields},
    SG_MESSAGE_TABLE(X)
#undef X
};

/* The letter that stands behind a backslash for a byte, both ways. */
static const char plain[] = "\t\n\r\\";
static const char letter[] = "tnr\\";

static bool unescape(char *field)
{
    char *to = field;
    for (const char *from = field; *from; from++) {
        if (*from == '\\') {
            const char *found = from[1] ? strchr(letter, from[1]) : NULL;
            if (!found)
                return false;
            *to++ = plain[found - letter];
            from++;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return true;
}

static enum sg_code find_kind(const char *word, struct sg_message *message, struct sg_err *err)
{
    for (int kind = 0; kind < SG_MESSAGE_COUNT; kind++) {
        if (strcmp(word, kinds[kind].word) == 0) {
            message->kind = (enum sg_message_kind)kind;
            return SG_SUCCESS;
        }
    }
    return sg_fail(err, SG_INVALID, "worker", "expected a message, found '%s'", sg_show(word, strlen(word)).text);
}

enum sg_code sg_message_parse(char *line, struct sg_message *message, struct sg_err *err)
{
    *message = (struct sg_message){0};
    char *tab = strchr(line, '\t');
    if (tab)
        *tab = '\0';
    if (find_kind(line, message, err) != SG_SUCCESS)
        return err->code;
    const struct kind_facts *facts = &kinds[message->kind];
    while (tab) {
        char *field = tab + 1;
        tab = strchr(field, '\t');
        if (tab)
            *tab = '\0';
        if (!unescape(field))
            return sg_fail(err, SG_INVALID, "worker", "%s: expected \\t, \\n, \\r or \\\\ after a backslash, found '%s'", facts->word,
                           sg_show(field, strlen(field)).text);
        sg_make_printable(field);
        if (message->count < SG_MESSAGE_FIELDS_MAX)
            message->field[message->count] = field;
        message->count++;
    }
    if (message->count != facts->fields)
        return sg_fail(err, SG_INVALID, "worker", "%s: expected %zu fields, found %zu", facts->word, facts->fields, message->count);
    return SG_SUCCESS;
}

bool sg_message_is_progress(enum sg_message_kind kind)
{
    switch (kind) {
    case SG_MESSAGE_NOTE:
    case SG_MESSAGE_SIDE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
    case SG_MESSAGE_CASE:
    case SG_MESSAGE_VARIANT:
    case SG_MESSAGE_KNOB:
        return false;
    default:
        return true;
    }
}

void sg_message_format(struct sg_text *out, enum sg_message_kind kind, const char *const *fields, size_t count)
{
    assert(count == kinds[kind].fields);
    sg_text_add(out, kinds[kind].word);
    for (size_t i = 0; i < count; i++) {
        sg_text_add(out, "\t");
        for (const char *rest = fields[i]; *rest;) {
            size_t clean = strcspn(rest, plain);
            sg_text_add_bytes(out, rest, clean);
            rest += clean;
            if (*rest) {
                char escape[] = {'\\', letter[strchr(plain, *rest) - plain]};
                sg_text_add_bytes(out, escape, sizeof(escape));
                rest++;
            }
        }
    }
    sg_text_add(out, "\n");
}
