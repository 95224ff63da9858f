#!/bin/sh
# solgate init: the project that it makes builds, runs, is gated and has a night, by the commands of
# its README and by the scripts of its jobs; a file that is there is never replaced.
# Not under sanitizers: modules are not sanitized, and other tests run all the rest.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
for program in git cmake cc; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME SOLGATE_BASELINES SOLGATE_HISTORY CUDACXX
export CMAKE_BUILD_TYPE=Release SOLGATE_BUILDS="$work/store" GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# As where there is no CUDA compiler, which takes longer: folders of the PATH without nvcc.
path=$bin
for folder in $(printf '%s' "$PATH" | tr ':' ' '); do
  [ -x "$folder/nvcc" ] || path=$path:$folder
done
PATH=$path
# shellcheck source=tests/cli/no_charts.sh
. "$tree/tests/cli/no_charts.sh"
PATH=$bin:$PATH

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
# expect CODE WORDS COMMAND...
expect() {
  wanted=$1 words=$2 code=0
  shift 2
  "$@" >"$work/out" 2>&1 </dev/null || code=$?
  [ "$code" = "$wanted" ] && grep -qF -e "$words" "$work/out" && return
  fail "$*: exit $code instead of $wanted, with '$words'"
  sed 's/^/    /' "$work/out"
}

expect 0 'files. Next' solgate init "$work/my kernels"
cd "$work/my kernels"
git init -q -b main
git add -A
git commit -q -m 'Begin'
[ -z "$(git status --porcelain)" ] || fail "the project is not what git keeps"

# Nothing is replaced, and nothing is added beside what is there.
mkdir "$work/taken"
echo mine >"$work/taken/family.c"
expect 4 'family.c: is there already; nothing was written' solgate init "$work/taken"
[ "$(find "$work/taken" | wc -l)$(cat "$work/taken/family.c")" = 2mine ] || fail "a folder with a file of that name was changed"

(cd "$work" && expect 0 'slurm/night.sh out/night 16 -- SUITE' solgate init --slurm)
[ "$(find "$work/slurm" -perm -u+x -name '*.sh' | wc -l)" = 3 ] || fail "init --slurm writes no three scripts"
[ -z "$(awk 'FNR >= 60 { print FILENAME } /sacct|libslurm|flock/ { print }' "$work"/slurm/*.sh)" ] || fail "scripts for Slurm are 60 lines long, or need more than Slurm's commands"

# Built, run and accepted.
expect 0 '-- family axpy: ' cmake -S . -B build
expect 0 '' cmake --build build
expect 0 '4 items of suite axpy' solgate run ./axpy.suite --module=build/libsg_axpy.so --out=out/R
expect 0 'baselines/axpy.csv: ' solgate accept out/R --module=build/libsg_axpy.so
expect 0 'PASS (exit 0): ' solgate compare out/R
git add -A
git commit -q -m 'Accept the first numbers'
[ -z "$(git status --porcelain)" ] || fail "results are not ignored: $(git status --porcelain)"

# A change is gated against main (docs/ci.md has the red one), and found by the night. What is
# accepted with a reason is green.
expect 0 'PASS (exit 0): nothing of axpy differs' ci/gate.sh
[ -z "$(git status --porcelain)" ] || fail "the gate leaves files: $(git status --porcelain)"
sed -i 's/1\.05/1.08/' family.c
git commit -q -a -m 'Slow down'
expect 1 'FAIL (exit 1): axpy/' ci/night.sh
expect 0 '' solgate run ./axpy.suite --module=build/libsg_axpy.so --out=out/S
expect 4 '2 worse; nothing written' solgate accept out/S --module=build/libsg_axpy.so
expect 0 '' solgate accept out/S --module=build/libsg_axpy.so --reason='simpler code'
sleep 1 # nights are told apart by the second
mv "$SOLGATE_BUILDS" "$work/lost"
SOLGATE_HISTORY=$work/history expect 0 'nightly: 1 suite' ci/night.sh --allow-no-gpu --seed=2
[ -e "$work/history/null/axpy" ] || fail "SOLGATE_HISTORY is not used: $(find "$work/history")"
rebuild=$(sed -n 's/^An accepted build is missing: //p' "$work/out")
expect 0 'built again, the same bytes' sh -c "$rebuild"

# In a folder of a repository, too.
git init -q -b main "$work/host"
cd "$work/host"
expect 0 'git add . :/.github ' solgate init 'our kernels'
git add -A
git commit -q -m 'Begin'
cd 'our kernels'
sed -i 's/1\.05/1.08/' family.c
expect 1 'FAIL (exit 1): axpy/' ci/gate.sh HEAD
sed -n '/<details>/q;p' "$work/out" | grep -c '^\*\*' >"$work/verdicts"
[ "$(cat "$work/verdicts")" = 1 ] || fail "the rows are not folded below one verdict: $(cat "$work/out")"

# The last line is of all families, and says what the exit code says. Stand-ins: a cmake that adds
# the families of a file, and a solgate that ends as a file says.
mkdir "$work/tools" "$work/fold"
cat >"$work/tools/cmake" <<'EOS'
[ "$1" = -S ] || exit 0
[ ! -e "$2/broken" ] || exit 1
mkdir -p "$4"
sed 's/.*/-- family &: there/' "$2/families"
EOS
cat >"$work/tools/solgate" <<'EOS'
for word in "$@"; do case $word in *libsg_*) family=${word##*libsg_} ;; --budget*) echo "${family%.so} $word" >>budgets ;; esac; done
echo "**PASS (exit 0): ${family%.so}**"
exit "$(sed -n "s/^${family%.so}=//p" ends)"
EOS
chmod +x "$work"/tools/*
cp -R ci "$work/fold"
cd "$work/fold"
git init -q -b main
# fold SCRIPT BASE MINE ENDS LAST: the families of main and those here, how each ends, the last line
fold() {
  printf '%s\n' $2 >families
  touch a.suite b.suite
  git add -A
  git commit -q --allow-empty -m base
  printf '%s\n' $3 >families
  printf '%s\n' $4 >ends
  code=0
  # shellcheck disable=SC2086 # a script with its option
  PATH=$work/tools:$PATH ci/$1 >"$work/out" 2>&1 || code=$?
  last=$(tail -n 1 "$work/out" | tr -d '*')
  [ "$last" = "$5" ] || fail "$*: the last line is '$last'"
  case $last in *" (exit $code): "*) ;; *) fail "$*: exit $code" ;; esac
}
fold gate.sh 'a b' 'a b' 'a=0 b=0' 'PASS (exit 0): gate against main: a passed, b passed'
[ "$(grep -c '^<details><summary>PASS (exit 0): [ab]</summary>$' "$work/out")" = 2 ] || fail "several families are not folded below their verdicts: $(cat "$work/out")"
fold gate.sh 'a b' 'a b' 'a=1 b=0' 'FAIL (exit 1): gate against main: a regressed, b passed'
fold gate.sh 'a b' 'a b' 'a=0 b=5' 'FAIL (exit 5): gate against main: a passed, b wrong'
fold gate.sh 'a b' 'a b' 'a=1 b=77' 'FAIL (exit 1): gate against main: a regressed, b without a GPU'
fold gate.sh 'a b' 'a b' 'a=77 b=4' 'OPEN (exit 77): gate against main: a without a GPU, b stopped with exit 4'
fold gate.sh 'a b' 'a b' 'a=2 b=3' 'OPEN (exit 3): gate against main: a inconclusive, b not measured'
fold gate.sh 'a b' 'a' 'a=0' 'OPEN (exit 3): gate against main: a passed, b is no longer added'
fold gate.sh 'a b' 'a c' 'a=1' 'FAIL (exit 1): gate against main: a regressed, c is new, b is no longer added'
fold gate.sh '' '' '' 'OPEN (exit 3): gate against main: no family can be built here'
fold night.sh 'a b' 'a b' 'a=0 b=0' 'PASS (exit 0): night: a passed, b passed'
fold night.sh 'a b' 'a b' 'a=0 b=77' 'OPEN (exit 77): night: a passed, b without a GPU'
fold 'night.sh --allow-no-gpu' 'a b' 'a b' 'a=0 b=77' 'PASS (exit 0): night: a passed, b left out without a GPU'
fold 'night.sh --allow-no-gpu' 'a b' 'a b' 'a=77 b=77' 'OPEN (exit 77): night: a left out without a GPU, b left out without a GPU, nothing was measured'
fold 'night.sh --budget=1.5h' 'a b' 'a b' 'a=0 b=0' 'PASS (exit 0): night: a passed, b passed'
grep -q '^a --budget=2[67]..s$' budgets && grep -q '^b --budget=5[34]..s$' budgets || fail "two families do not share a budget: $(cat budgets)"
fold night.sh 'a b' 'b' 'b=0' 'OPEN (exit 3): night: b passed, a is not built here'
fold 'night.sh --allow-no-gpu' 'a b' 'b' 'b=0' 'PASS (exit 0): night: b passed, a is not built here'
touch broken
fold night.sh 'a' 'a' 'a=0' 'OPEN (exit 3): night: it did not get to its end'
fold gate.sh 'a' 'a' 'a=0' 'OPEN (exit 3): gate against main: it did not get to its end'
cd "$work/my kernels"

# The gate of Python is an ordinary test where no GPU is: right, and then wrong.
for python in python3 /usr/bin/python3; do
  ! "$python" -c 'import numpy' 2>/dev/null || break
done
expect 0 'my gate: 4 files. Next:' solgate init --python "$work/my gate"
grep -qF "    export PYTHONPATH=$tree/python\${PYTHONPATH:+:\$PYTHONPATH}" "$work/out" || fail "nothing says where the module is: $(cat "$work/out")"
grep -qF "    cd '$work/my gate'" "$work/out" || fail "a blank is not quoted: $(cat "$work/out")"
export PYTHONDONTWRITEBYTECODE=1
(
  cd "$work/my gate"
  eval "$(sed -n 's/^ *\(export PYTHONPATH\)/\1/p' "$work/out")"
  expect 0 'solgate: scaled: 2 cases right' "$python" gate.py
  sed -i 's/return 2\.5/return 2.25/' gate.py
  expect 1 'elements differ' "$python" gate.py
  mkdir bare && echo 'raise ImportError' >bare/numpy.py
  PYTHONPATH=bare:$PYTHONPATH expect 77 'skipped: solgate compares by numpy' "$python" gate.py
  exit $failures
) || failures=$((failures + 1))

# The jobs are valid, where there is what reads them.
if python3 -c 'import yaml' 2>/dev/null; then
  for job in .github/workflows/solgate.yml "$work/host/.github/workflows/solgate-our kernels.yml" "$work/host/our kernels/.gitlab-ci.yml" "$work/my gate/.github/workflows/solgate.yml" .gitlab-ci.yml; do
    python3 -c 'import sys, yaml; assert "solgate-ci " in str(yaml.safe_load(open(sys.argv[1])))' "$job" || fail "$job is no YAML, or posts no comment"
    ! grep -q 'allow-no-gpu\|^concurrency: ' "$job" || fail "$job is green without a GPU, or a pull request can cancel its night"
  done
fi
if command -v systemd-analyze >/dev/null; then
  systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' ci/solgate-night.timer)" >/dev/null || fail "the timer has no time"
fi
for script in ci/*.sh; do
  [ -x "$script" ] || fail "$script cannot be started"
done
[ "$failures" = 0 ]
