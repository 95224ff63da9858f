#include "device/launch_activity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel_name.h"

/* The end of a kernel and the start of the next one on its stream are read at two places of the
 * device. So they may overlap by a tick or two. The tolerance gives no advantage, because only
 * overlap on that stream is allowed. */
#define OVERLAP_NS 1000u

#define LAUNCHED_BYTES_MAX 16384 /* later kernels of a launch are left out */

/* Kernels of the harness that may run between launches, besides copies and memory sets. */
static const struct {
    const char *name;
    bool begins; /* also names with this prefix */
} own_kernels[] = {
    {SG_READER_KERNEL, false},
    {SG_DEMOTER_KERNEL, false},
    {SG_CHECK_KERNELS, true},
};

/* State of a judgement. Stamps in order: the opening one, a start and an end for each launch,
 * the closing one. */
struct judging {
    const struct sg_seen_batch *seen;
    struct sg_judged_batch *judged;
    const struct sg_activity *stamps[2 * (SG_LAUNCHES_MAX + 1) + 2];
    struct sg_kernel_names *kernels;       /* owned; for each launch */
    unsigned harness[SG_ACTIVITY_KINDS];   /* harness calls seen between the launches */
    uint32_t last_call[SG_ACTIVITY_KINDS]; /* correlation id of the last such call */
    unsigned findings;
};

bool sg_activity_is_stamp(const struct sg_activity *activity)
{
    return activity->kind == SG_ACTIVITY_KERNEL && activity->name &&
           strcmp(activity->name, SG_STAMP_KERNEL) == 0;
}

/* ---- words ---- */

struct words {
    char text[128];
};

static struct words name_of(const struct sg_activity *activity)
{
    struct words words;
    if (activity->kind == SG_ACTIVITY_KERNEL)
        snprintf(words.text, sizeof(words.text), "kernel %s", sg_kernel_name(activity->name).text);
    else
        snprintf(words.text, sizeof(words.text),
                 activity->kind == SG_ACTIVITY_COPY ? "a copy" : "a memory set");
    return words;
}

static struct words launch_name(const struct judging *j, size_t launch)
{
    struct words words;
    if (launch == 0)
        snprintf(words.text, sizeof(words.text), "the warm-up launch");
    else
        snprintf(words.text, sizeof(words.text), "launch %zu of %u", launch, j->seen->launches - 1);
    return words;
}

/* Where the activity ran, if that is a finding: " on stream 17, not the launch's (13)". */
static struct words aside(const struct judging *j, const struct sg_activity *activity)
{
    const struct sg_activity *stamp = j->stamps[0];
    struct words words = {""};
    if (activity->context != stamp->context)
        snprintf(words.text, sizeof(words.text), " in context %u, not the launch's (%u)",
                 activity->context, stamp->context);
    else if (activity->stream != stamp->stream && activity->graph == 0)
        snprintf(words.text, sizeof(words.text), " on stream %u, not the launch's (%u)",
                 activity->stream, stamp->stream);
    return words;
}

static double us_between(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) * 1e-3 : 0;
}

/* Reports the first finding, and counts the others. */
static void __attribute__((format(printf, 3, 4)))
add_finding(struct judging *j, enum sg_misplacement finding, const char *format, ...)
{
    va_list arguments;
    if (j->findings++ > 0)
        return;
    j->judged->finding = finding;
    va_start(arguments, format);
    vsnprintf(j->judged->why.text, sizeof(j->judged->why.text), format, arguments);
    va_end(arguments);
}

/* ---- stamps ---- */

static bool take_stamps(struct judging *j)
{
    const struct sg_seen_batch *seen = j->seen;
    static const struct sg_activity missing = {.start_ns = 0};
    const size_t wanted = 2 * (size_t)seen->launches + 2;
    size_t count = 0;
    for (size_t i = 0; i < sizeof(j->stamps) / sizeof(j->stamps[0]); i++)
        j->stamps[i] = &missing;
    for (size_t i = 0; i < seen->count; i++) {
        if (!sg_activity_is_stamp(&seen->records[i]))
            continue;
        if (count < wanted)
            j->stamps[count] = &seen->records[i];
        count++;
    }
    if (count != wanted) {
        add_finding(j, SG_STAMPS_FORGED,
                    "%zu kernels called " SG_STAMP_KERNEL " ran; the harness launched %zu", count,
                    wanted);
        return false;
    }
    for (size_t i = 1; i < wanted; i++) {
        const struct words where = aside(j, j->stamps[i]);
        if (*where.text) {
            add_finding(j, SG_STAMPS_FORGED, "a kernel called " SG_STAMP_KERNEL " ran%s",
                        where.text);
            return false;
        }
    }
    return true;
}

static const struct sg_activity *end_stamp(const struct judging *j, size_t launch)
{
    return j->stamps[2 * launch + 2];
}

/* Where an activity began: before all launches, between the stamps of a launch, or after a
 * launch. */
struct position {
    enum { BEFORE, WITHIN, BEHIND } where;
    size_t launch;
};

static struct position position_of(const struct judging *j, const struct sg_activity *activity)
{
    const size_t stamps = 2 * (size_t)j->seen->launches + 2;
    size_t passed = 0;
    while (passed < stamps && j->stamps[passed]->start_ns <= activity->start_ns)
        passed++;
    if (passed < 2)
        return (struct position){BEFORE, 0};
    /* A place after the closing stamp counts as after the last launch. */
    if (passed == stamps)
        passed--;
    return (struct position){passed % 2 == 0 ? WITHIN : BEHIND, passed / 2 - 1};
}

/* ---- work ---- */

static bool is_own(const struct judging *j, const struct sg_activity *activity)
{
    if (activity->graph != 0 || activity->stream != j->stamps[0]->stream ||
        activity->context != j->stamps[0]->context)
        return false;
    if (activity->kind != SG_ACTIVITY_KERNEL)
        return true;
    for (size_t i = 0; activity->name && i < sizeof(own_kernels) / sizeof(own_kernels[0]); i++) {
        const char *name = own_kernels[i].name;
        if (own_kernels[i].begins ? strncmp(activity->name, name, strlen(name)) == 0
                                  : strcmp(activity->name, name) == 0)
            return true;
    }
    return false;
}

/* Returns true if more copies, for example, ran between the launches than the harness enqueued.
 * A large copy may have several records. */
static bool is_too_much(struct judging *j, const struct sg_activity *activity)
{
    uint32_t *last_call = &j->last_call[activity->kind];
    if (activity->kind == SG_ACTIVITY_KERNEL || activity->correlation == 0 ||
        activity->correlation != *last_call)
        j->harness[activity->kind]++;
    *last_call = activity->correlation;
    return j->harness[activity->kind] > j->seen->harness[activity->kind];
}

static void judge_between(struct judging *j, const struct sg_activity *activity,
                          const struct position *position)
{
    if (is_own(j, activity) && !is_too_much(j, activity))
        return;
    if (position->where == BEFORE)
        add_finding(j, SG_WORK_BEFORE,
                    "%s began %.1f us before the first stamp%s: work of this variant or of an "
                    "earlier one",
                    name_of(activity).text, us_between(activity->start_ns, j->stamps[1]->start_ns),
                    aside(j, activity).text);
    else
        add_finding(j, SG_WORK_BEHIND, "%s began %.1f us after the end stamp of %s%s",
                    name_of(activity).text,
                    us_between(end_stamp(j, position->launch)->start_ns, activity->start_ns),
                    launch_name(j, position->launch).text, aside(j, activity).text);
}

/* End of an activity. CUPTI reports a wrong end, up to 1.4 ms late, for the last copy before the
 * first launch of a graph (H200, driver 580.159.04, CUDA 13.0, 2026-11-28). A copy ends before the
 * next activity on its stream begins, because only kernels can overlap on a stream. */
static uint64_t end_of(const struct sg_seen_batch *seen, const struct sg_activity *activity)
{
    if (activity->kind == SG_ACTIVITY_KERNEL || activity->graph != 0)
        return activity->end_ns;
    for (const struct sg_activity *next = activity + 1; next < seen->records + seen->count; next++)
        if (next->stream == activity->stream && next->context == activity->context)
            return next->start_ns < activity->end_ns ? next->start_ns : activity->end_ns;
    return activity->end_ns;
}

static void attribute(struct judging *j, const struct sg_activity *activity, uint64_t end_ns,
                      size_t launch)
{
    struct sg_judged_batch *judged = j->judged;
    if (judged->end_ns[launch] == 0)
        judged->start_ns[launch] = activity->start_ns;
    if (end_ns > judged->end_ns[launch])
        judged->end_ns[launch] = end_ns;
    if (activity->kind != SG_ACTIVITY_KERNEL)
        return;
    sg_kernel_names_add(&j->kernels[launch], activity->name);
    struct sg_text *launched = launch + 1 == j->seen->launches ? j->seen->launched : NULL;
    if (launched && activity->launched && launched->length < LAUNCHED_BYTES_MAX &&
        !strstr(sg_text_string(launched), activity->launched))
        sg_text_add(launched, activity->launched);
}

/* True if the launch may load code on first use or set up a library. No reported time has these. */
static bool may_set_up(const struct judging *j, size_t launch)
{
    return j->seen->first && launch == 0;
}

static void judge_within(struct judging *j, const struct sg_activity *activity, size_t launch)
{
    const struct sg_activity *end = end_stamp(j, launch);
    const uint64_t end_ns = end_of(j->seen, activity);
    const struct words where = aside(j, activity);
    if (activity->may_launch)
        add_finding(j, SG_WORK_OF_DEVICE,
                    "%s can launch work from the device in %s, and no time includes that work",
                    name_of(activity).text, launch_name(j, launch).text);
    else if (*where.text && !may_set_up(j, launch))
        add_finding(j, SG_WORK_ASIDE, "%s%s, in %s", name_of(activity).text, where.text,
                    launch_name(j, launch).text);
    else if (end_ns > end->start_ns + OVERLAP_NS)
        add_finding(j, SG_WORK_BEHIND, "%s ended %.1f us after the end stamp of %s",
                    name_of(activity).text, us_between(end->start_ns, end_ns),
                    launch_name(j, launch).text);
    attribute(j, activity, end_ns, launch);
}

static void judge_work(struct judging *j)
{
    for (size_t i = 0; i < j->seen->count; i++) {
        const struct sg_activity *activity = &j->seen->records[i];
        /* An activity that ended before the opening stamp belongs to no launch of the batch. */
        if (sg_activity_is_stamp(activity) || end_of(j->seen, activity) <= j->stamps[0]->start_ns)
            continue;
        const struct position position = position_of(j, activity);
        if (position.where == WITHIN)
            judge_within(j, activity, position.launch);
        else
            judge_between(j, activity, &position);
    }
}

/* ---- comparison of launches ---- */

/* The first kernel of one list with another number of runs in the other list; NULL: none. */
static const char *uneven(const struct sg_kernel_names *list, const struct sg_kernel_names *other)
{
    for (size_t i = 0; i < list->count; i++)
        if (sg_kernel_names_times(other, list->item[i].mangled) != list->item[i].times)
            return list->item[i].mangled;
    return NULL;
}

/* Compares all launches with the last. */
static void judge_evenness(struct judging *j)
{
    const size_t last = j->seen->launches - 1;
    const struct sg_kernel_names *usual = &j->kernels[last];
    for (size_t i = may_set_up(j, 0) ? 1 : 0; i < last; i++) {
        const struct sg_kernel_names *one = &j->kernels[i];
        const char *name = uneven(one, usual);
        if (!name)
            name = uneven(usual, one);
        if (name)
            add_finding(j, SG_WORK_UNEVEN, "kernel %s: x%u in %s, x%u in %s",
                        sg_kernel_name(name).text, sg_kernel_names_times(one, name),
                        launch_name(j, i).text, sg_kernel_names_times(usual, name),
                        launch_name(j, last).text);
        else if (one->others != usual->others)
            add_finding(j, SG_WORK_UNEVEN,
                        "kernels other than the first %d names: x%u in %s, "
                        "x%u in %s",
                        SG_KERNEL_NAMES_MAX, one->others, launch_name(j, i).text, usual->others,
                        launch_name(j, last).text);
    }
    for (size_t i = 0; i < usual->count; i++)
        j->judged->kernels += usual->item[i].times;
    j->judged->kernels += usual->others;
    sg_kernel_names_format(usual, j->judged->kernel_names, sizeof(j->judged->kernel_names));
}

void sg_judge_batch(const struct sg_seen_batch *seen, struct sg_judged_batch *judged)
{
    struct judging j = {.seen = seen, .judged = judged};
    *judged = (struct sg_judged_batch){.finding = SG_IN_PLACE};
    if (!take_stamps(&j))
        return;
    j.kernels = sg_alloc(SG_LAUNCHES_MAX + 1, sizeof(*j.kernels));
    /* Report this first, because a host call may explain the other findings. */
    if (seen->host_call)
        add_finding(&j, SG_WORK_ON_HOST,
                    "called %s: no time includes work of the host after a launch", seen->host_call);
    judge_work(&j);
    judge_evenness(&j);
    const size_t length = strlen(judged->why.text);
    if (j.findings > 1)
        snprintf(judged->why.text + length, sizeof(judged->why.text) - length,
                 "; and %u more such findings", j.findings - 1);
    free(j.kernels);
}
