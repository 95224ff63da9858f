#!/bin/sh
# Not under sanitizers: libsolgate_gate.so is loaded by Python, which is not sanitized.
# ab --exec --resume of Python gates: killed at 20 moments, the gates end as without a kill. A slow
# import and a slow first call pass the deadline of an item.
set -eu
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SOLGATE_HOME PYTHONPATH
export SOLGATE_GATE_SIMULATED=1 PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3 none; do
  ! $python -c 'import numpy' 2>/dev/null || break
done
[ "$python" != none ] || {
  echo "no Python here has numpy: scripts/setup installs it"
  exit 1
}
cd "$work"

cat >gate.py <<'PY'
import os, time
import numpy as np, solgate
time.sleep(float(os.environ.get("SLOW", 0)))
calls = []
def inputs(seed, n):
    return (np.random.default_rng(seed).standard_normal(n).astype("float32"),)
def double(x):
    if not calls:
        time.sleep(float(os.environ.get("SLOW", 0)))
    calls.append(1)
    return x * 2
def slower(x):
    return double(x)
slower.simulated_ns = 10300
for candidate in double, slower, lambda x: x * 3:
    name = candidate.__name__.strip("<>")
    solgate.pair(lambda x: double(x), candidate, inputs, name=name, cases=[dict(n=10)], tolerance="1%")
PY

# gate DIR OPTION...: in a subshell, which becomes solgate
gate() { exec "$bin/solgate" ab --exec --out="$@" -- $python gate.py >"$work/log" 2>&1 </dev/null; }
# items DIR: what was measured and found
items() {
  for name in double slower lambda; do
    cut -d , -f 1-4,10 "$1/$name/run.csv" && cut -d , -f 1-3,14 "$1/$name/verdict.csv"
  done | sort
}

start=$(date +%s%N) code=0
(gate whole) || code=$?
step=$((($(date +%s%N) - start) / 24000000)) # ms
[ "$code" = 5 ] || {
  echo "FAILED: a wrong, a slower and an equal function: exit $code, not 5" && cat log
  exit 1
}
items whole >expected
moment=1
while [ "$moment" -le 20 ]; do
  rm -rf again
  gate again &
  sleep "$(printf '%d.%03d' $((moment * step / 1000)) $((moment * step % 1000)))"
  kill -9 $! 2>/dev/null || true
  wait $! || true
  code=0
  (gate again --resume) || code=$?
  items again >found
  [ "$code" = 5 ] && cmp -s expected found || {
    echo "FAILED: killed after $((moment * step)) ms and resumed: exit $code, not 5" && cat log
    diff expected found | head -n 5
    exit 1
  }
  moment=$((moment + 1))
done

printf '[suite]\ntitle = t\nprocesses = 5\nblocks = 4\ndeadline = 2s\n[double]\n' >s.suite
SLOW=2.2 "$bin/solgate" run ./s.suite --module=whole/gates/double --out=slow >log 2>&1 </dev/null || {
  echo "FAILED: a slow import and a slow first call are killed" && cat log
  exit 1
}
