/*
 * results/message_internal.h - shared by the writing and the reading of messages. Reading needs a
 * JSON library that only solgate links; writing needs none, so a worker can be a library itself.
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
