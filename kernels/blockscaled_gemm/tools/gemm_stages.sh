#!/bin/sh
# Keeps kernels/blockscaled_gemm/stages.md current: its tables are what
# kernels/blockscaled_gemm/gemm_plan.h computes.
#
#     gemm_stages.sh            writes the tables anew, below the line that says where they come
#                               from
#     gemm_stages.sh --check    exit 1 with the difference if they are not current
set -eu

tree=$(cd "$(dirname "$0")/../../.." && pwd)
page=$tree/kernels/blockscaled_gemm/stages.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

${CC:-cc} -std=c17 -I"$tree/kernels" -o "$work/tables" "$tree/kernels/blockscaled_gemm/tools/gemm_stages.c"
sed '/^<!-- stages -->$/q' "$page" >"$work/page"
"$work/tables" >>"$work/page"
if cmp -s "$work/page" "$page"; then
  exit 0
elif [ "${1:-}" = --check ]; then
  echo "kernels/blockscaled_gemm/stages.md is not current; kernels/blockscaled_gemm/tools/gemm_stages.sh makes it so:"
  diff "$page" "$work/page"
  exit 1
fi
cp "$work/page" "$page"
