#!/bin/sh
# The tables of kernels/blockscaled_gemm/stages.md are what gemm_plan.h computes today.
# Not under sanitizers: it runs no program of this tree that was built here.
set -eu
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler" && exit 77; }
sh "$(dirname "$0")/../../kernels/blockscaled_gemm/tools/gemm_stages.sh" --check
