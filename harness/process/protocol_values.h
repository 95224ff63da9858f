/*
 * process/protocol_values.h - the fields of a worker's messages as values, checked.
 *
 * Invariant: SG_INVALID from here means that the message makes no sense, which breaks the protocol
 * (process/pool.h); nothing of it is kept.
 */
#ifndef SG_PROCESS_PROTOCOL_VALUES_H
#define SG_PROCESS_PROTOCOL_VALUES_H

#include "catalogue/catalogue.h"
#include "process/protocol.h"
#include "results/samples.h"
#include "results/table.h"

/* What `fail` said; all zero: it was not said. */
struct sg_failure {
    enum sg_code code;
    char why[768];
};

enum sg_code sg_take_failure(const struct sg_message *message, struct sg_failure *failure, struct sg_err *err);
/* The strings of *value stay in the message. */
enum sg_code sg_take_value(const struct sg_message *message, struct sg_value *value, struct sg_err *err);
/* A metric of metrics.ini has the unit that it has there. SG_INVALID. */
enum sg_code sg_value_check_unit(const struct sg_catalogue *catalogue, const struct sg_value *value, struct sg_err *err);
enum sg_code sg_take_sample(const struct sg_message *message, struct sg_samples *samples, struct sg_err *err);

#endif
