#include "compare/findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "util/digest.h"

#define BLOCK_BYTES (256u << 10)
#define RECENT      1024 /* a power of two: reasons, and pairs of metric and unit, that are looked for before they are kept again */

struct block {
    struct block *next;
    char bytes[];
};

struct place {
    const char *family, *case_, *variant;
};

struct measure {
    const char *metric, *unit;
};

/* Each number that a finding may have; bit i of a record's mask: it is there. */
static const size_t numbers[] = {
    offsetof(struct sg_finding, was),          offsetof(struct sg_finding, is),
    offsetof(struct sg_finding, change),       offsetof(struct sg_finding, low),
    offsetof(struct sg_finding, high),         offsetof(struct sg_finding, se),
    offsetof(struct sg_finding, df),           offsetof(struct sg_finding, tolerance),
    offsetof(struct sg_finding, resolution),   offsetof(struct sg_finding, baseline_change),
    offsetof(struct sg_finding, baseline_low), offsetof(struct sg_finding, baseline_high),
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

enum { INFORMS = 1u << 13, GATES = 1u << 14, WHY_ELSEWHERE = 1u << 15 };
_Static_assert(NUMBERS <= 13, "a bit of the mask for each number");

/* A finding as it is kept: then come the numbers of its mask, then its reason, or where that is. */
struct record {
    uint32_t place, measure, processes;
    uint16_t mask;
    uint8_t accepted, baseline;
};
_Static_assert(SG_VERDICT_COUNT < 256, "a verdict is kept in a byte");

struct sg_findings {
    struct block *blocks; /* records lie in them one behind the other and never move */
    char *free_bytes;
    size_t free_count;
    const char **at; /* each finding's record */
    size_t capacity;
    struct place *places;
    size_t place_count, place_capacity;
    struct measure *measures;
    size_t measure_count, measure_capacity;
    uint32_t recent_measure[RECENT];
    const char *recent_why[RECENT];
};

static size_t slot_of(const void *bytes, size_t count)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, bytes, count);
    return (size_t)(digest.state ^ digest.state >> 32) % RECENT;
}

/* Findings of one variant stand together. */
static uint32_t keep_place(struct sg_findings *all, const struct sg_finding *finding)
{
    const struct place *last = all->place_count > 0 ? &all->places[all->place_count - 1] : NULL;
    if (last && last->family == finding->family && last->case_ == finding->case_ && last->variant == finding->variant)
        return (uint32_t)(all->place_count - 1);
    all->places = sg_grow(all->places, &all->place_capacity, all->place_count + 1, sizeof(*all->places));
    all->places[all->place_count] = (struct place){finding->family, finding->case_, finding->variant};
    return (uint32_t)all->place_count++;
}

static uint32_t keep_measure(struct sg_findings *all, const struct sg_finding *finding)
{
    const struct measure wanted = {finding->metric, finding->unit};
    uint32_t *recent = &all->recent_measure[slot_of(&wanted, sizeof(wanted))];
    const struct measure *found = *recent < all->measure_count ? &all->measures[*recent] : NULL;
    if (found && found->metric == wanted.metric && found->unit == wanted.unit)
        return *recent;
    all->measures = sg_grow(all->measures, &all->measure_capacity, all->measure_count + 1, sizeof(*all->measures));
    all->measures[all->measure_count] = wanted;
    *recent = (uint32_t)all->measure_count++;
    return *recent;
}

static char *room_for(struct sg_findings *all, size_t bytes)
{
    if (bytes > all->free_count) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct block *block = malloc(sizeof(*block) + room);
        if (!block)
            block = sg_alloc(1, sizeof(*block) + room); /* which ends the process, as it does everywhere */
        block->next = all->blocks;
        all->blocks = block;
        all->free_bytes = block->bytes;
        all->free_count = room;
    }
    char *taken = all->free_bytes;
    all->free_bytes += bytes;
    all->free_count -= bytes;
    return taken;
}

static double number_of(const struct sg_finding *finding, size_t number)
{
    double value = 0.0;
    memcpy(&value, (const char *)finding + numbers[number], sizeof(value));
    return value;
}

static const char *keep(struct sg_findings *all, const struct sg_finding *finding)
{
    struct record record = {
        .place = keep_place(all, finding),
        .measure = keep_measure(all, finding),
        .processes = finding->processes,
        .mask = (finding->gates ? GATES : 0) | (finding->informs ? INFORMS : 0),
        .accepted = (uint8_t)finding->accepted,
        .baseline = (uint8_t)finding->baseline,
    };
    char bytes[sizeof(record) + NUMBERS * sizeof(double) + sizeof(char *)];
    size_t length = sizeof(record);
    for (size_t i = 0; i < NUMBERS; i++) {
        const double value = number_of(finding, i);
        if (isnan(value))
            continue;
        record.mask |= (uint16_t)(1u << i);
        memcpy(bytes + length, &value, sizeof(value));
        length += sizeof(value);
    }
    const char *why = finding->why ? finding->why : "";
    const size_t why_bytes = strlen(why) + 1;
    const char **recent = &all->recent_why[slot_of(why, why_bytes)];
    if (why_bytes > sizeof(*recent) && *recent && strcmp(*recent, why) == 0) {
        record.mask |= WHY_ELSEWHERE;
        memcpy(bytes + length, recent, sizeof(*recent));
        length += sizeof(*recent);
    }
    memcpy(bytes, &record, sizeof(record));
    char *kept = room_for(all, length + (record.mask & WHY_ELSEWHERE ? 0 : why_bytes));
    memcpy(kept, bytes, length);
    if (!(record.mask & WHY_ELSEWHERE))
        *recent = memcpy(kept + length, why, why_bytes);
    return kept;
}

void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding)
{
    if (!comparison->findings)
        comparison->findings = sg_alloc(1, sizeof(*comparison->findings));
    struct sg_findings *all = comparison->findings;
    all->at = sg_grow(all->at, &all->capacity, comparison->count + 1, sizeof(*all->at));
    all->at[comparison->count++] = keep(all, finding);
}

void sg_finding_put(struct sg_comparison *comparison, size_t index, const struct sg_finding *finding)
{
    comparison->findings->at[index] = keep(comparison->findings, finding);
}

struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index)
{
    const struct sg_findings *all = comparison->findings;
    const char *next = all->at[index];
    struct record record;
    memcpy(&record, next, sizeof(record));
    next += sizeof(record);
    const struct place *place = &all->places[record.place];
    const struct measure *measure = &all->measures[record.measure];
    struct sg_finding finding = {
        .family = place->family,
        .case_ = place->case_,
        .variant = place->variant,
        .metric = measure->metric,
        .unit = measure->unit,
        .accepted = (enum sg_verdict)record.accepted,
        .baseline = (enum sg_verdict)record.baseline,
        .processes = record.processes,
        .gates = (record.mask & GATES) != 0,
        .informs = (record.mask & INFORMS) != 0,
    };
    for (size_t i = 0; i < NUMBERS; i++) {
        double value = NAN;
        if (record.mask & 1u << i) {
            memcpy(&value, next, sizeof(value));
            next += sizeof(value);
        }
        memcpy((char *)&finding + numbers[i], &value, sizeof(value));
    }
    finding.why = next;
    if (record.mask & WHY_ELSEWHERE)
        memcpy(&finding.why, next, sizeof(finding.why));
    return finding;
}

void sg_finding_why(struct sg_finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(finding->room->text, sizeof(finding->room->text), format, args);
    va_end(args);
    finding->why = finding->room->text;
}

void sg_findings_free(struct sg_findings *findings)
{
    if (!findings)
        return;
    while (findings->blocks) {
        struct block *next = findings->blocks->next;
        free(findings->blocks);
        findings->blocks = next;
    }
    free(findings->at);
    free(findings->places);
    free(findings->measures);
    free(findings);
}
