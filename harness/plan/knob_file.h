/*
 * plan/knob_file.h - a text file that sets knobs, case by case (docs/formats.md): what `solgate run
 * --sweep` writes and --config=FILE takes.
 *
 *     [group_gemm/persistent]             FAMILY/VARIANT
 *     large = tile_n=128 stages=5         a case, and its knobs (`solgate list knobs`): whole
 *                                         numbers, 0 is the variant's default
 *
 * What is not named is the variant's default. Strict, like every text file here
 * (util/ini_reader.h). Invariant: what was read is well-formed; whether there is a family, a case
 * or a knob of these names is checked where the modules are known (run/knob_binding.c).
 */
#ifndef SG_PLAN_KNOB_FILE_H
#define SG_PLAN_KNOB_FILE_H

#include "plan/knobs.h"

/* Adds its settings, each called by its variant's name. SG_BAD_INPUT with file and line. */
enum sg_code sg_knob_file_read(const char *path, struct sg_settings *settings, struct sg_err *err);

#endif
