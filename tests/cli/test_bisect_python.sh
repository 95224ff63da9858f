#!/bin/sh
# Not under sanitizers: libsolgate_gate.so is loaded by Python, which is not sanitized.
# solgate bisect of functions: in a Python repository of 32 commits, each planted fault is found at
# its commit, by simulated times, and a commit that cannot be imported is skipped.
set -eu
bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 SOLGATE_GATE_SIMULATED=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
for python in python3 /usr/bin/python3 none; do
  ! $python -c 'import numpy' 2>"$work/err" || break
done
command -v git >"$work/git" || python=none
[ "$python" != none ] || { echo "skipped: no git, or no Python with numpy: scripts/setup installs both" && exit 77; }

fail() { echo "FAILED: $*: $(cat "$work/out" "$work/err")" && failures=$((failures + 1)); }

# source_of COMMIT: 19 and 31 on cannot be imported, 21 on are 3 % slower, 27 and 28 are wrong, 30
# raises
source_of() {
  ns=10000 end='' factor=2.5
  [ "$1" -lt 21 ] || ns=10300
  case $1 in 19 | 31 | 32) end=')' ;; 27 | 28) factor=2.25 ;; 30) factor=None ;; esac
  echo "def scaled(x, y):  # $1
    return $factor * x + y
scaled.simulated_ns = $ns
$end"
}
for i in $(seq 32); do
  printf 'commit refs/heads/main\ncommitter t <t@example.org> %s +0000\ndata <<.\nc%s\n.\nM 100644 inline kernels.py\ndata <<.\n' "$i" "$i"
  source_of "$i"
  printf '.\nreset refs/tags/v%s\nfrom refs/heads/main\n' "$i"
done >"$work/commits"
git init --quiet --initial-branch=main "$work/repository"
cd "$work/repository"
git fast-import --quiet <"$work/commits"
git reset --quiet --hard v20
cat >gate.py <<'PY'  # not in git; its tolerance is not that of the search
import numpy as np
import solgate
from kernels import scaled

def inputs(seed, n):
    generator = np.random.default_rng(seed)
    return generator.standard_normal(n), generator.standard_normal(n)

solgate.pair(lambda x, y: x, scaled, inputs, cases=[dict(n=1000)], check=lambda x, y: 2.5 * x + y, tolerance="5%")
PY

# search WORDS GOOD BAD: the commit found
search() {
  code=0
  timeout 300 "$bin/solgate" bisect "$2" "$3" --out="$work/$2" -- $python gate.py >"$work/out" 2>"$work/err" </dev/null || code=$?
  [ "$code" = 0 ] && tr -s ' \n' ' ' <"$work/out" | grep -qF -e "$1" || fail "bisect $2 $3: exit code $code, expected '$1'"
}
search 'c21 is the first bad one: slower against' v1 v26
grep -q 'c20: slower by 2.99 % \[2.9[0-9]*, 3.[0-9]*\], scaled/n1000/candidate' "$work/out" || fail "no interval"
grep -q '^bisect: [0-9a-f]* c19: does not build' "$work/err" || fail "c19 is not skipped"
search 'c27 is the first bad one: wrong against' v22 v28
search 'c30 is the first bad one: wrong against' v29 v30
search 'c31 is the first bad one: does not build against' v23 v32
sed 's/scaled, inputs/np.add, inputs/' gate.py >installed.py
code=0
"$bin/solgate" bisect v1 v2 --out="$work/installed" -- $python installed.py >"$work/out" 2>"$work/err" </dev/null || code=$?
rm installed.py
[ "$code" = 3 ] && grep -q 'candidate is not in the git repository' "$work/err" || fail "exit code $code for a function of another package"
[ "$(git status --porcelain=v2)" = '? gate.py' ] && [ -z "$(git for-each-ref refs/bisect)" ] || fail "the repository is changed"
[ "$failures" = 0 ]
