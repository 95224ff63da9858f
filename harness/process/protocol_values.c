#include "process/protocol_values.h"

#include <stdio.h>
#include <string.h>

#include "results/samples.h"

#define FIGURE_MAX 1e100

_Static_assert(SG_RUN_FIELDS <= SG_MESSAGE_FIELDS_MAX && SG_SAMPLES_FIELDS <= SG_MESSAGE_FIELDS_MAX, "a row fits a message");

enum sg_code sg_take_failure(const struct sg_message *message, struct sg_failure *failure, struct sg_err *err)
{
    uint64_t code;
    if (!sg_parse_u64(message->field[0], &code) || code == SG_SUCCESS || code >= SG_CODE_COUNT)
        return sg_fail(err, SG_INVALID, NULL, "fail: expected the number of an error, found \"%s\"",
                       sg_show(message->field[0], strlen(message->field[0])).text);
    failure->code = (enum sg_code)code;
    snprintf(failure->why, sizeof(failure->why), "%s", message->field[1]);
    return SG_SUCCESS;
}

enum sg_code sg_take_value(const struct sg_message *message, struct sg_value *value, struct sg_err *err)
{
    struct sg_err wrong = {0};
    if (sg_value_parse(message->field, value, &wrong) != SG_SUCCESS)
        return sg_fail(err, SG_INVALID, NULL, "value: %s", wrong.message);
    /* Rates and gaps of these are numbers, too. */
    const double all[] = {value->value, value->low, value->high};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i] > FIGURE_MAX || (all[i] > 0 && all[i] < 1 / FIGURE_MAX))
            return sg_fail(err, SG_INVALID, NULL, "value: %s: expected 0 or a number from %g to %g, found %g", value->metric,
                           1 / FIGURE_MAX, FIGURE_MAX, all[i]);
    const bool is_below = (value->has & SG_HAS_LOW) && value->value < value->low;
    const bool is_above = (value->has & SG_HAS_HIGH) && value->value > value->high;
    if ((value->has & SG_HAS_VALUE) && (is_below || is_above))
        return sg_fail(err, SG_INVALID, NULL, "value: expected one from %.9g to %.9g, found %.9g", value->low, value->high, value->value);
    return SG_SUCCESS;
}

enum sg_code sg_value_check_unit(const struct sg_catalogue *catalogue, const struct sg_value *value, struct sg_err *err)
{
    const struct sg_metric *metric = sg_catalogue_find(catalogue, value->metric);
    if (!metric || strcmp(metric->unit, value->unit) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "value: %s: expected the unit %s, found '%s'", value->metric, metric->unit, value->unit);
}

enum sg_code sg_take_sample(const struct sg_message *message, struct sg_samples *samples, struct sg_err *err)
{
    struct sg_err wrong = {0};
    if (sg_samples_add_fields(samples, message->field, &wrong) == SG_SUCCESS)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "sample: %s", wrong.message);
}
