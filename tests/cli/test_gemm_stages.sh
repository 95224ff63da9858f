#!/bin/sh
# The tables of docs/gemm_stages.md are what gemm_plan.h computes today.
# Not under sanitizers: it runs no program of this tree that was built here.
set -eu
command -v "${CC:-cc}" >/dev/null || {
  echo "skipped: no C compiler"
  exit 77
}
sh "$(dirname "$0")/../../scripts/gemm_stages.sh" --check
