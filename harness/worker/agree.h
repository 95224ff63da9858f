/*
 * worker/agree.h - may two outputs of one launch's inputs both be right? Each is within the
 * family's tolerance of the reference if it is right, so both are within twice that of each other;
 * a little more, because neither is the reference by which it is measured.
 */
#ifndef SG_WORKER_AGREE_H
#define SG_WORKER_AGREE_H

#include "device/launch_check.h"

/* Do only equal values agree? */
bool sg_agree_is_exact(const struct sg_tolerance *tolerance);
/* Sets what a comparison allows. */
void sg_agree_allow(const struct sg_tolerance *tolerance, struct sg_match *match);
bool sg_agree(const struct sg_tolerance *tolerance, const struct sg_mismatch *mismatch);

#endif
