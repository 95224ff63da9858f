/*
 * results/throttle_reasons.h - why a GPU runs below its possible clock: NVML's clocks event
 * reasons, their words, and which of them invalidate a time.
 *
 * Pure. Words are joined by '+' in all files and messages: "sw_power_cap+hw_slowdown"; "none" for
 * no bit; bits without a word in hexadecimal.
 */
#pragma once

#include "util/record.h"

/* constant, bit (nvmlClocksEventReason*), word, is a process that saw it dropped
 * (docs/guards.md)? */
#define SG_EVENT_TABLE(X)                                    \
    X(SG_EVENT_IDLE, 0x1, "idle", false)                     \
    X(SG_EVENT_APP_CLOCKS, 0x2, "app_clocks", false)         \
    X(SG_EVENT_SW_POWER_CAP, 0x4, "sw_power_cap", false)     \
    X(SG_EVENT_HW_SLOWDOWN, 0x8, "hw_slowdown", true)        \
    X(SG_EVENT_SYNC_BOOST, 0x10, "sync_boost", false)        \
    X(SG_EVENT_SW_THERMAL, 0x20, "sw_thermal", true)         \
    X(SG_EVENT_HW_THERMAL, 0x40, "hw_thermal", true)         \
    X(SG_EVENT_HW_POWER_BRAKE, 0x80, "hw_power_brake", true) \
    X(SG_EVENT_DISPLAY, 0x100, "display", false)

enum sg_event {
#define X(constant, bit, word, spoils) constant = bit,
    SG_EVENT_TABLE(X)
#undef X
};

void sg_throttle_reasons_words(uint64_t events, struct sg_text *out);
/* Events of a process or a GPU, a field of records: words joined by +, none, or "": not known. */
struct sg_events {
    uint64_t seen;
    bool known;
};
sg_field_fn sg_events_take; /* adds to those that were seen */
void sg_events_add(struct sg_text *out, const void *events);
/* False for a text that sg_throttle_reasons_words does not write; then *events is unchanged. */
bool sg_throttle_reasons_parse(const char *words, uint64_t *events);
/* Total time since boot that the clock was held down, from the last successful reading; all zero:
 * no reading succeeded. */
struct sg_held_time {
    uint64_t ns;
    bool known;
};
/* True if the clock was held down between the previous reading and this one; false for the first
 * reading. Stores this reading. */
bool sg_held_since(struct sg_held_time *last, uint64_t now_ns);
/* The subset of the events that invalidates a time. */
uint64_t sg_throttle_reasons_that_spoil(uint64_t events);
