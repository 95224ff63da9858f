/*
 * reports/charts/gnuplot.h - runs a gnuplot script with arguments in a folder, and returns
 * gnuplot's error text if it fails.
 *
 * gnuplot is started with posix_spawn and an argument vector, from an absolute folder of PATH: no
 * shell, no user initialisation file, no standard input.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

#define SG_GNUPLOT_ARGUMENTS 9 /* gnuplot passes no more arguments to a script */

struct sg_gnuplot {
    const char *script; /* absolute path */
    const char *folder; /* working folder, and folder of the output */
    const char *argument[SG_GNUPLOT_ARGUMENTS];
    size_t count;
};

/* SG_SYSTEM: gnuplot is missing, or exited with an error; has the end of its stderr. */
enum sg_code sg_gnuplot_run(const struct sg_gnuplot *run, struct sg_err *err);

/* The real path of reports/plots/SCRIPT, because gnuplot runs in another folder. */
enum sg_code sg_plot_script(const char *script, struct sg_text *path, struct sg_err *err);

/* SG_SYSTEM with what to install: gnuplot is missing, or finds no font, so that charts would
 * have no text. */
enum sg_code sg_gnuplot_check_letters(struct sg_err *err);
