#include "worker/error_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/dtype.h"
#include "util/text.h"
#include "worker/error_place.h"

/* An element and what it should be. */
struct named_element {
    uint64_t index;
    const char *got; /* in words; NULL: its number */
    double number, want;
};

/* Texts are as long as they may be: what does not fit is cut, which a name of
 * 63 bytes and its place never is. */
static void fill(char *to, size_t room, struct sg_text *text)
{
    snprintf(to, room, "%s", sg_text_string(text));
    sg_text_release(text);
}

static void set_where(const struct sg_buffer *buffer, const unsigned char *bits, const struct sg_names *wrong,
                      struct sg_error_report *report)
{
    const struct sg_error_map map = {
        .rows = buffer->row ? buffer->count / buffer->row : 1, .columns = buffer->row ? buffer->row : buffer->count, .bits = bits};
    struct sg_error_place place;
    struct sg_text text = {0};
    sg_error_place_find(&map, &place);
    sg_text_addf(&text, "%s: ", buffer->name);
    sg_error_place_add(&text, &map, &place);
    for (size_t i = 0; wrong && i < wrong->count; i++)
        if (strcmp(wrong->items[i], buffer->name) != 0)
            sg_text_addf(&text, ", also in %s", wrong->items[i]);
    report->firm = place.firm;
    report->line.elements = place.elements;
    report->line.count = buffer->count;
    fill(report->line.where, sizeof(report->line.where), &text);
}

static void set_element(const struct sg_buffer *buffer, const struct named_element *element, const char *inputs,
                        struct sg_error_signature *line)
{
    struct sg_text text = {0};
    sg_element_name(buffer, element->index, &text);
    snprintf(line->at, sizeof(line->at), "%s", text.data + strlen(buffer->name));
    sg_text_release(&text);
    if (element->got)
        sg_text_add(&text, element->got);
    else
        sg_text_add_number(&text, element->number, 9);
    fill(line->got, sizeof(line->got), &text);
    sg_text_add_number(&text, element->want, 9);
    fill(line->want, sizeof(line->want), &text);
    snprintf(line->inputs, sizeof(line->inputs), "%s", inputs);
    line->hold = SG_HOLD_UNKNOWN;
}

static unsigned char *no_bits(const struct sg_buffer *buffer)
{
    return sg_alloc(buffer->count / 8 + 1, 1);
}

void sg_error_report_check(const struct sg_check *check, const struct sg_output_difference *d, enum sg_status status,
                           const struct sg_names *wrong, struct sg_error_report *report)
{
    const uint64_t at = status == SG_UNWRITTEN ? d->first_unwritten : status == SG_NAN ? d->first_nan : d->worst;
    const struct named_element element = {.index = at,
                                          .got = status == SG_UNWRITTEN ? SG_NEVER_WRITTEN : NULL,
                                          .number = sg_dtype_get(check->buffer->dtype, check->got, at),
                                          .want = sg_check_wanted(check, at)};
    unsigned char *bits = no_bits(check->buffer);
    sg_check_mark(check, d, status, bits);
    set_where(check->buffer, bits, wrong, report);
    set_element(check->buffer, &element, check->inputs, &report->line);
    free(bits);
}

void sg_error_report_repeat(const struct sg_buffer *buffer, const void *first, const void *got, const char *inputs,
                            struct sg_error_report *report)
{
    uint64_t at = buffer->count;
    unsigned char *bits = no_bits(buffer);
    for (uint64_t k = 0; k < buffer->count; k++) {
        if (sg_dtype_load(buffer->dtype, got, k) == sg_dtype_load(buffer->dtype, first, k))
            continue;
        bits[k / 8] |= (unsigned char)(1u << k % 8);
        at = at < buffer->count ? at : k;
    }
    if (at < buffer->count) {
        const struct named_element element = {
            .index = at, .number = sg_dtype_get(buffer->dtype, got, at), .want = sg_dtype_get(buffer->dtype, first, at)};
        set_where(buffer, bits, NULL, report);
        set_element(buffer, &element, inputs, &report->line);
    }
    free(bits);
}

bool sg_error_report_agrees(const struct sg_error_report *a, const struct sg_error_report *b)
{
    return a->firm && b->firm && strcmp(a->line.where, b->line.where) == 0;
}
