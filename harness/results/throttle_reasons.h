/*
 * results/throttle_reasons.h - why a GPU does not run at the clock it could: NVML's clocks event
 * reasons, their words, and which of them spoil a time.
 *
 * Pure. Words are joined by '+' wherever they are written: "sw_power_cap+hw_slowdown"; "none";
 * bits without a word in hexadecimal.
 */
#pragma once

#include "util/text.h"

/* constant, bit (nvmlClocksEventReason*), word, does a process
 * that saw it go (docs/guards.md)? */
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
/* False for what sg_throttle_reasons_words does not write; then *events is not touched. */
bool sg_throttle_reasons_parse(const char *words, uint64_t *events);
/* How long the clock was held down since the machine started, as the last look that could read
 * it found it; all zero: none could. */
struct sg_held_time {
    uint64_t ns;
    bool known;
};
/* Was it held down between the last such look and this one? Not known at the first:
 * then no. Keeps what this one read. */
bool sg_held_since(struct sg_held_time *last, uint64_t now_ns);
/* Those of them that spoil what was timed. */
uint64_t sg_throttle_reasons_that_spoil(uint64_t events);
