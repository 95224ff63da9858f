#!/bin/sh
# A project in a git repository of its own: runs, nights and the store name its commits and not
# solgate's, a step of 2 % is found at its commit, and rebuild builds it.
# Not under sanitizers: modules are not sanitized, and other tests run all the rest.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
for program in git cmake cc; do
  command -v $program >/dev/null || {
    echo "skipped: $program is not installed"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME SOLGATE_BASELINES SOLGATE_HISTORY
export SOLGATE_BUILDS="$work/store" GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
solgate=$bin/solgate
fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
# expect SENTENCE CODE WORDS COMMAND...
expect() {
  sentence=$1 wanted=$2 words=$3 code=0
  shift 3
  "$@" >"$work/out" 2>&1 </dev/null || code=$?
  [ "$code" = "$wanted" ] && tr -s ' \n' '  ' <"$work/out" | grep -qF -e "$words" && return
  fail "$sentence: exit $code instead of $wanted, with '$words'"
  sed 's/^/    /' "$work/out"
}

# The example as a project: its candidate takes 1.05 times as long as its baseline.
mkdir "$work/project"
cd "$work/project"
cp "$tree/examples/project/"*.[ch] .
printf 'cmake_minimum_required(VERSION 3.25)\nproject(own LANGUAGES C)\nfind_package(solgate REQUIRED)\nsolgate_add_family(axpy)\n' >CMakeLists.txt
printf 'b/\nR*\nnights/\n' >.gitignore
build="cmake -S . -B b -Dsolgate_DIR='$bin/..' && cmake --build b"
module=b/libsg_axpy.so
# built COMMIT: the module names it
built() {
  expect "it builds" 0 "" cmake --build b
  "$bin/solgate-worker" --pass=list --module=$module 3>"$work/said" 2>/dev/null || fail "the module is not listed"
  named=$(sed -n 's/^family,.*,\([^,]*\)$/\1/p' "$work/said")
  [ "$named" = "$1" ] || fail "the module names '$named' instead of '$1'"
}
# committed MESSAGE: all there is; `commit` is its hash
committed() {
  git add -A
  git commit -q --allow-empty -m "$1"
  commit=$(git rev-parse --short=12 HEAD)
}

expect "it is configured" 0 "" cmake -S . -B b -Dsolgate_DIR="$bin/.."

# Where the worker knows no GPU, the build is refused before the first line, and no family.
if "$bin/solgate-worker" --pass=doctor 3>&1 | grep -q 'built without'; then
  sed -i.old /SG_HOST/d family.c
  expect "a family for GPUs is built" 0 "" cmake --build b
  expect "it is refused" 77 "solgate: this solgate was built without the CUDA toolkit" "$solgate" run --module=$module --out=R0
  head -1 "$work/out" | grep -q '^solgate: this solgate' && [ ! -e R0 ] || fail "it began: $(cat "$work/out")"
  cat family.c.old >family.c && rm family.c.old # newer than what was built
fi

# Asked in each build: before git, in it, with changes, changed back, changed elsewhere.
built ''
git init -q -b main
built ''
committed first
built "$commit"
cp $module "$work/before" && built "$commit"
cmp -s $module "$work/before" || fail "a build with nothing to do makes another module"
echo '/* a word */' >>forwards.c && built "$commit-dirty"
expect "a run of a dirty tree" 0 "" "$solgate" run --module=$module --case=n1021 --out=dirty
git checkout -q forwards.c && built "$commit"
mkdir common && touch common/tile.h && git add common && built "$commit-dirty"
git rm -qf common/tile.h && touch notes.txt && built "$commit"
rm notes.txt
good=$commit

# Without a suite: called by its families, so that two projects share no file. Accepted here and
# not where solgate is, which prints all that the command needs.
expect "a run without a suite" 0 "accept R --module=$module then" "$solgate" run --module=$module --case=n1021 --out=R
grep -q "^commit.axpy,$good\$" R/env.csv || fail "the run has $(grep '^commit' R/env.csv)"
identities() { grep ',identity,' "$1/run.csv"; }
[ "$(identities dirty)" = "$(identities R)" ] || fail "a comment that is not committed is other code: $(identities dirty) $(identities R)"
grep -q '^suite,modules_axpy$' R/env.csv || fail "the run is called $(grep '^suite' R/env.csv)"
expect "what is to be accepted" 3 "accept R --module=$module --builds=$SOLGATE_BUILDS\`" "$solgate" compare R
mkdir "R/a copy" && cp $module "R/a copy"
expect "of two modules, one where a shell needs quotes" 0 "2 items of suite modules_axpy_null" "$solgate" run \
  --module="R/a copy/libsg_axpy.so" --module="$bin/libsg_null.so" --case=n1021 --case=tiny --variant=forwards --variant=ok --out=R2
expect "a part is accepted" 0 "rows new" "$solgate" accept R2 --case=tiny --out=R2/part.csv
expect "the rest is reported" 0 "index.html" "$solgate" report R2 --baseline=R2/part.csv --tables-only --out=R2/report
grep -qF "accept R2 --out=R2/part.csv --module='R/a copy/libsg_axpy.so' --module=" R2/report/report.md ||
  fail "the report prints $(grep 'accept' R2/report/report.md)"
expect "accepted here" 0 "baselines/modules_axpy.csv: " "$solgate" accept R --module=$module
[ -f baselines/modules_axpy.csv ] || fail "nothing stands in ./baselines"
digest=$(sed -n 's/^code.axpy,//p' R/env.csv)
grep -q "^commit,$good\$" "$work/store/$digest/build.csv" || fail "the store names another commit"

# Nights: five of the first commit, four behind the step, which is the third of five.
printf '[suite]\ntitle = nights\nmetrics = quick\nblocks = 4\n\n[axpy]\ncase = n1021\n' >own.suite
expect "a run of a suite" 0 "" "$solgate" run own.suite --module=$module --out=R1
expect "is accepted" 0 "baselines/own.csv: " "$solgate" accept R1 --module=$module
night() {
  expect "a night" 0 "" "$solgate" run own.suite --module=$module --out="nights/$1" --seed="$1"
  expect "is added" 0 "added, 2 items" "$solgate" history add "nights/$1" --history=nights/history
}
for seed in 1 2 3 4 5; do night $seed; done
committed second
sed -i 's/1\.05/1.071/' family.c && committed third
committed fourth
committed fifth
bad=$commit
built "$bad"
sleep 1 # nights are told apart by the second
for seed in 6 7 8; do night $seed; done
PATH=/nowhere "$solgate" nightly own.suite --module=$module --out=nights --history=nights/history --seed=9 >"$work/out" 2>&1 || true
grep -q '^FAIL (exit 1): ' "$work/out" || fail "a night by nightly: $(tail -n 1 "$work/out")"
expect "the step" 2 "commits $good..$bad" "$solgate" history check --history=nights/history
grep -q "^Next: solgate ab --commits=$good..$bad axpy --variant=backwards --out=AB --repo=DIR" "$work/out" || fail "the command that decides: $(cat "$work/out")"

# Built again: the same bytes, or nothing.
again() {
  sentence=$1 wanted=$2 words=$3
  shift 3
  expect "$sentence" "$wanted" "$words" "$solgate" builds rebuild null/modules_axpy "$@"
}
rm -rf "$work/store"
again "not as solgate builds" 3 "has no kernels/axpy; --build=COMMAND --module=FILE" --repo=.
cp $module "$work/other.so"
again "what is not that code" 3 "found other bytes" --repo=. --module="$work/other.so" --build=:
again "as it was built" 0 "$digest of axpy at $good: built again, the same bytes" --repo=. --module=$module --build="$build"
[ "$failures" = 0 ]
