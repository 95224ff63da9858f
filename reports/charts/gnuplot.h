/*
 * reports/charts/gnuplot.h - runs one script with arguments, in a folder, and hands back what
 * gnuplot had to say if it failed.
 *
 * Started with posix_spawn and an argument vector, from an absolute folder of PATH; no shell, no
 * initialisation file of the user, nothing on its standard input.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

#define SG_GNUPLOT_ARGUMENTS 9 /* gnuplot hands no more to a script */

struct sg_gnuplot {
    const char *script; /* absolute path */
    const char *folder; /* where it runs, and writes */
    const char *argument[SG_GNUPLOT_ARGUMENTS];
    size_t count;
};

/* SG_SYSTEM: gnuplot is not there, or did not end with 0: with the end of its stderr. */
enum sg_code sg_gnuplot_run(const struct sg_gnuplot *run, struct sg_err *err);

/* The real path of reports/plots/SCRIPT: gnuplot runs in another folder than we do. */
enum sg_code sg_plot_script(const char *script, struct sg_text *path, struct sg_err *err);

/* SG_SYSTEM: gnuplot is not there, or finds no font, so that charts would have
 * no letters; with what to install. */
enum sg_code sg_gnuplot_check_letters(struct sg_err *err);
