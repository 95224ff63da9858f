#include "results/throttle_reasons.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NONE "none"

static const struct {
    uint64_t bit;
    const char *word;
    bool spoils;
} table[] = {
#define X(constant, bit, word, spoils) {bit, word, spoils},
    SG_EVENT_TABLE(X)
#undef X
};
#define COUNT (sizeof(table) / sizeof(table[0]))

void sg_throttle_reasons_words(uint64_t events, struct sg_text *out)
{
    const size_t before = out->length;
    for (size_t i = 0; i < COUNT; i++) {
        if (events & table[i].bit)
            sg_text_addf(out, "%s%s", out->length > before ? "+" : "", table[i].word);
        events &= ~table[i].bit;
    }
    if (events)
        sg_text_addf(out, "%s0x%" PRIx64, out->length > before ? "+" : "", events);
    if (out->length == before)
        sg_text_add(out, NONE);
}

static bool parse_word(const char *word, size_t length, uint64_t *bits)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strlen(table[i].word) == length && strncmp(table[i].word, word, length) == 0) {
            *bits = table[i].bit;
            return true;
        }
    }
    if (length < 3 || length > 18 || strncmp(word, "0x", 2) != 0 ||
        strspn(word + 2, "0123456789abcdef") != length - 2)
        return false;
    *bits = strtoull(word, NULL, 16);
    return true;
}

bool sg_throttle_reasons_parse(const char *words, uint64_t *events)
{
    uint64_t all = 0, one = 0;
    for (const char *word = words; strcmp(words, NONE) != 0; word++) {
        const size_t length = strcspn(word, "+");
        if (!parse_word(word, length, &one))
            return false;
        all |= one;
        word += length;
        if (!*word)
            break;
    }
    *events = all;
    return true;
}

bool sg_held_since(struct sg_held_time *last, uint64_t now_ns)
{
    const bool held = last->known && now_ns > last->ns;
    *last = (struct sg_held_time){.ns = now_ns, .known = true};
    return held;
}

uint64_t sg_throttle_reasons_that_spoil(uint64_t events)
{
    uint64_t spoiling = 0;
    for (size_t i = 0; i < COUNT; i++)
        spoiling |= table[i].spoils ? table[i].bit : 0;
    return events & spoiling;
}

enum sg_code sg_events_take(const struct sg_field *field, void *place,
                            const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_events *events = place;
    uint64_t seen = 0;
    (void)field;
    if (!*entry->value)
        return SG_SUCCESS;
    if (!sg_throttle_reasons_parse(entry->value, &seen))
        return sg_refuse_value(entry, "events joined by +, or the word none", err);
    events->seen |= seen;
    events->known = true;
    return SG_SUCCESS;
}

void sg_events_add(struct sg_text *out, const void *events)
{
    if (((const struct sg_events *)events)->known)
        sg_throttle_reasons_words(((const struct sg_events *)events)->seen, out);
}
