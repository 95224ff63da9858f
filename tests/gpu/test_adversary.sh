#!/bin/sh
# Kernels that compute dishonestly, on a real GPU: each is refused or gains nothing, and honest
# kernels beside them pass. On the small case, where tricks pay most; studies/adversary.py
# without --case does both.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

code=0
python3 "$(dirname "$0")/../../studies/adversary.py" --bin="$bin" --out="$work/adversary" --case=small >"$work/table" 2>&1 || code=$?
cat "$work/table"
[ "$code" != 77 ] || exit 77
[ "$code" = 0 ] || fail "adversary.py: exit $code"
for variant in baseline honest_simt honest_two_kernels honest_graph honest_condition honest_memset; do
  grep -q "^| $variant | .* | honest |$" "$work/table" || fail "$variant is not taken for what it is"
done
# A fault or a hang of another variant costs them nothing: each has a time over all processes.
for variant in baseline honest_simt honest_two_kernels honest_graph honest_condition honest_memset; do
  grep -q "^adversary,small,$variant,time,ns,[0-9.]*,[0-9.]*,[0-9.]*,5,ok," "$work/adversary/run/run.csv" || fail "$variant has no time over 5 processes"
done
[ "$failures" = 0 ]
