/*
 * results/message_internal.h - what writing and reading of messages share. Reading needs a library
 * that solgate alone is linked with; writing needs none, so that the worker can be one itself.
 */
#pragma once

#include "results/message.h"

struct sg_message_kind_facts {
    const char *word;
    const char *field[SG_MESSAGE_FIELDS_MAX];
};
extern const struct sg_message_kind_facts sg_message_kinds[SG_MESSAGE_COUNT];

static inline bool sg_message_is_number(const char *field)
{
    return field[0] == '#';
}
