#!/bin/sh
# What an item of a run costs solgate itself: a run of many small cases of two variants each,
# whose own work takes next to nothing.
#
#     scripts/bench/items.sh [BIN] [CASES]        BIN: folder of solgate (default
#                                                 build-release/bin); CASES: default 2000
#
# Counted is the processor time, user and system, of solgate and of every worker that it started,
# from reading the suite to the finished folder, over the items (case x variant): one process an
# item to verify it, its share of the processes that time all items (blocks of four batches, with
# one launch a batch), and of each its journal. It holds the start of the processes, loading the
# module, the checks of its names, the arguments, the journals and the tables at the end. The
# launches and the reference of 64 numbers that the module itself computes are in it too; they are a
# microsecond or so each, and what they are is measured by nothing but this sentence. Not counted is
# the time that the machine waits for the disk: see the column s, which is the wall.
#
# The target is 3 ms an item, and that it does not grow with the number of cases: a
# tenth as many may not be cheaper by more than half. Prints a table, exits 1 if one
# is missed; not part of the tests.
set -eu

bin=$(cd "${1:-build-release/bin}" && pwd)
cases=${2:-2000}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-cc} -std=c17 -O2 -D_DEFAULT_SOURCE -o "$work/bench" "$here/tables.c"

# make_module CASES
make_module() {
  awk -v cases="$1" 'BEGIN {
    for (i = 0; i < cases; i++)
      printf "    {.name = \"c%05d\", .dim = {%d}, .dtype = SG_F32, .summary = \"made up\"},\n", i, 64 + i
  }' >"$work/cases.h"
  # shellcheck disable=SC2086 # words
  ${CC:-cc} -std=c17 -O2 -fPIC -shared -I"$here/../../kernels" -I"$here/../lib" -I"$work" -o "$work/module.so" "$work/module.c"
}

cat >"$work/module.c" <<'C'
#include "doubling.h"

static const struct sg_case cases[] = {
#include "cases.h"
};

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)variant;
    (void)knob;
    return (struct sg_simulation){.time_ns = 10000 + (double)c->dim[0], .noise = 0.001};
}

static const struct sg_family family = {
    .summary = "many small cases",
    .device = SG_HOST,
    .dims = "n",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = doubling_layout,
    .work = doubling_work,
    .tolerance = doubling_tolerance,
    .reference = doubling_reference,
    .simulate = simulate,
};
static const struct sg_variant first = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant second = {.summary = "the same again", .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"first", &first}, {"second", &second}};
static const struct sg_module module = {SG_ABI_VERSION, "many", "", &family, variants, 2, NULL};

const struct sg_module *solgate_module(void)
{
    return &module;
}
C
cat >"$work/many.suite" <<'INI'
[suite]
title     = Many small cases
tolerance = 0.5%
processes = 5
blocks    = 4
launches  = 1
metrics   = registers
[many]
INI

missed=0
# per_item CASES; sets ms: processor time an item
per_item() {
  make_module "$1"
  rm -rf "$work/run"
  "$work/bench" measure "$bin/solgate" run "$work/many.suite" --module="$work/module.so" --out="$work/run" >"$work/figures" 2>"$work/err"
  figures=$(tail -n 1 "$work/figures")
  # shellcheck disable=SC2086 # four words
  set -- "$1" $figures
  [ "$5" = 0 ] || { echo "$1 cases: exit $5: $(tail -n 3 "$work/err")" >&2; missed=1; }
  ms=$(awk -v s="$3" -v n="$1" 'BEGIN { printf "%.2f", 1000 * s / (2 * n) }')
  printf '| %8s | %6s | %6s | %6s | %10s |\n' "$1" "$2" "$3" "$4" "$ms"
}

echo "verify and time passes of CASES x 2 variants, five processes of four blocks"
echo
printf '| %8s | %6s | %6s | %6s | %10s |\n' "cases" "s" "cpu s" "MB" "ms an item"
printf '|%s|%s|%s|%s|%s|\n' "---------:" "-------:" "-------:" "-------:" "-----------:"
per_item $((cases / 10))
few=$ms
per_item "$cases"
awk -v few="$few" -v many="$ms" 'BEGIN { exit !(many <= 3 && many <= 2 * few) }' || missed=1
exit $missed
