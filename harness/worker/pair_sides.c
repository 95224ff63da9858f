/*
 * What the two sides of a pair must have in common: the layout of their buffers, and the kernels
 * that a baseline launches alone and paired with a candidate.
 */
#include "worker/session.h"

#include <string.h>

#include "device/gate_host.h"
#include "stats/abba.h"

bool sg_is_aa_pair(const struct sg_target *target)
{
    return strcmp(target->name, target->baseline_name) == 0;
}

static bool same_buffer(const struct sg_buffer *a, const struct sg_buffer *b)
{
    return a->dtype == b->dtype && a->count == b->count && a->use == b->use && a->fill == b->fill &&
           a->scale == b->scale;
}

bool sg_check_layout(const struct sg_target *target, struct sg_outcome *outcome)
{
    struct sg_buffer mine[SG_MAX_BUFFERS], theirs[SG_MAX_BUFFERS];
    if (target->module == target->against)
        return true;
    const struct sg_family *home = target->home->family;
    const struct sg_module *other =
        target->home == target->module ? target->against : target->module;
    const struct sg_case *c = sg_module_case(other, target->c->name);
    const size_t count = home->layout(target->c, mine);
    bool same = c && other->family->device == home->device &&
                other->family->layout(c, theirs) == count && count <= SG_MAX_BUFFERS;
    for (size_t i = 0; i < count && same; i++)
        same = same_buffer(&mine[i], &theirs[i]);
    if (!same)
        sg_outcome_set(outcome, SG_UNSUPPORTED,
                       "case %s has different buffers in the two modules, so the variants are "
                       "not comparable",
                       target->c->name);
    return same;
}

bool sg_loads_candidate_first(const struct sg_pass *pass)
{
    const uint64_t orders = sg_gate_host ? SG_ORDERS_OF_PROGRAM : SG_ORDERS_IN_TURN;
    return (orders >> pass->order->process % SG_PROCESSES_MAX & 1) != 0;
}

/* kernel_names is empty until they are known. */
static struct sg_alone *alone_of(struct sg_pass *pass, const struct sg_target *target)
{
    for (size_t i = 0; i < pass->alone_count; i++)
        if (pass->alone[i].c == target->c && pass->alone[i].baseline == target->baseline)
            return &pass->alone[i];
    struct sg_alone *new = SG_APPEND(pass->alone, pass->alone_count, pass->alone_capacity);
    *new = (struct sg_alone){.c = target->c, .baseline = target->baseline};
    return new;
}

void sg_compare_with_alone(struct sg_pass *pass, const struct sg_target *target,
                           const struct sg_batch *batch, struct sg_outcome *outcome)
{
    struct sg_alone *alone = alone_of(pass, target);
    if (sg_is_aa_pair(target))
        memcpy(alone->kernel_names, batch->kernel_names, sizeof(alone->kernel_names));
    else if (alone->kernel_names[0] && strcmp(alone->kernel_names, batch->kernel_names) != 0)
        sg_outcome_set(outcome, SG_MISPLACED,
                       "the baseline launches other kernels when paired (%.100s) than alone "
                       "(%.100s)",
                       batch->kernel_names, alone->kernel_names);
}
