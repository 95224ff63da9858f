#!/bin/sh
# builds rebuild: the recorded commit is built in a clone of its own and takes the
# place of what the store has lost; a commit that is not there, changed sources and a
# family from elsewhere are refused.
# Not under sanitizers: it builds a tree anew.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
export SOLGATE_BUILDS="$scratch/store" SOLGATE_BASELINES="$scratch/baselines"
for program in git cmake ninja; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed" && exit 77; }
done

# expect SENTENCE CODE WORDS ARGUMENTS...: of solgate builds
expect() {
  sentence=$1 wanted=$2 words=$3 code=0
  shift 3
  "$bin/solgate" builds "$@" >out 2>err || code=$?
  if [ "$code" != "$wanted" ] || ! cat out err | tr -s ' \n' '  ' | grep -qF -e "$words"; then
    echo "FAILED: $sentence: exit $code instead of $wanted, with '$words'"
    sed 's/^/    /' out err
    failures=$((failures + 1))
  fi
}

# A repository of this tree as it is, but for what the build of one family does not read, with one
# commit.
mkdir repository
(cd "$tree" && tar -cf - --exclude='./build*' --exclude=./.git --exclude=./tests --exclude=./out --exclude=./baselines --exclude=./docs --exclude=./studies \
  --exclude='./kernels/*_gemm' --exclude=./kernels/adversary .) | tar -xf - -C repository
git -C repository init -q
git -C repository add -A
git -C repository -c user.name=n -c user.email=e commit -qm all
commit=$(git -C repository rev-parse --short=12 HEAD)

printf '[suite]\ntitle = a row\nmetrics = quick\nprocesses = 5\nblocks = 12\n\n[null]\ncase = tiny\nvariant = ok\n' >null.suite
# measured COMMIT [MODULE]: accepted numbers of the null family, of a build of that commit
measured() {
  rm -rf R store baselines
  module=${2:-$bin/libsg_null.so}
  "$bin/solgate" run ./null.suite --module="$module" --out=R >out 2>err
  sed -i "s/^commit\(\.null\)*,.*/commit\1,$1/" R/env.csv
  "$bin/solgate" accepted seal R --reason="of a commit of this test" >out 2>err
  "$bin/solgate" accept R --module="$module" >out 2>err
  digest=$(sed -n 's/^code.null,//p' R/env.csv)
}

measured "$commit"
expect "what is there" 0 "in the store and whole" rebuild null/null --repo=repository
rm -rf "store/$digest"
# Even a torn work tree of the repository is none of its business, and its hooks are not run.
mkdir -p repository/.git/worktrees/torn
printf '#!/bin/sh\nexit 1\n' >repository/.git/hooks/post-checkout
chmod +x repository/.git/hooks/post-checkout
(cd repository/.git && find . | sort) >before
expect "dry" 0 "would be built again at $commit" rebuild null/null --repo=repository --dry-run
[ ! -d "store/$digest" ] || { echo "FAILED: --dry-run builds" && failures=$((failures + 1)); }
expect "other bytes" 3 "found other bytes" rebuild "$digest" --repo=repository
expect "are not kept" 0 "0 whole, 0 damaged, 1 missing" list
# A nightly run makes it again, and is paired with it.
code=0
SOLGATE_HOME=$scratch/repository "$bin/solgate" nightly ./null.suite --out=N >out 2>err || code=$?
[ $code = 0 ] && grep -q "^$digest of null at $commit: built again, other bytes .*, in [0-9]* s$" out && grep -q '^1 of 1 rows paired' out ||
  { echo "FAILED: a nightly run is not paired with a build made again: exit $code" && cat out err && failures=$((failures + 1)); }
expect "and whole" 0 "1 whole, 0 damaged, 0 missing" list
expect "is shown in its place" 0 "libsg_null.so" show null/null
cp store/*/libsg_null.so again.so
measured "$commit" "$scratch/again.so"
rm -rf "store/$digest"
expect "in any folder" 0 "$digest of null at $commit: built again, the same bytes" rebuild "$digest" --repo=repository
(cd repository/.git && find . | sort) | cmp -s before - || { echo "FAILED: the repository is written to" && failures=$((failures + 1)); }
rm -r repository/.git/worktrees repository/.git/hooks/post-checkout

for row in "${commit}-dirty|its sources were changed" "|expected the commit" "0123456789ab|is not in"; do
  measured "${row%%|*}"
  rm -rf store
  expect "commit '${row%%|*}'" 3 "${row#*|}" rebuild null/null --repo=repository
done

# A build that fails: its own errors, and not those of what comes
# behind it; nothing is left in $TMPDIR.
mkdir temporary
export TMPDIR="$scratch/temporary"
# commit_of LINE: a commit whose CMakeLists.txt begins so
commit_of() {
  { echo "$1" && cat "$tree/CMakeLists.txt"; } >repository/CMakeLists.txt
  git -C repository -c user.name=n -c user.email=e commit -qam "$1"
  measured "$(git -C repository rev-parse --short=12 HEAD)"
  rm -rf store
}
commit_of 'message(FATAL_ERROR "no such compiler here")'
expect "a build that fails" 3 "does not build (exit 1)" rebuild null/null --repo=repository
grep -q 'no such compiler here' err || { echo "FAILED: the error of the build is not printed" && failures=$((failures + 1)); }
! grep -q 'cp:' err || { echo "FAILED: the error of a copy hides that of the build" && failures=$((failures + 1)); }
[ -z "$(ls temporary)" ] || { echo "FAILED: a build that fails leaves $(ls temporary)" && failures=$((failures + 1)); }

# Stopped while it builds: nothing is left, and no program of it runs on. Only solgate
# is sent the signal, as by `kill`.
mkfifo begun
commit_of "execute_process(COMMAND sh -c \"echo \\$\\$ >'$scratch/begun'; exec sleep 1000\")"
"$bin/solgate" builds rebuild null/null --repo=repository >out 2>err &
rebuild=$!
read -r begun <begun
case $begun in "" | *[!0-9]*) echo "FAILED: the build does not begin" && failures=$((failures + 1)) ;; esac
kill -TERM "$rebuild"
code=0
wait "$rebuild" || code=$?
[ "$code" = 130 ] || { echo "FAILED: stopped: exit $code instead of 130" && sed 's/^/    /' err && failures=$((failures + 1)); }
grep -q 'stopped during the build' err || { echo "FAILED: it does not print that it was stopped" && failures=$((failures + 1)); }
[ -z "$(ls temporary)" ] || { echo "FAILED: stopped, it leaves $(ls temporary)" && failures=$((failures + 1)); }
tries=0
while kill -0 "$begun" 2>/dev/null && [ "$tries" -lt 100 ]; do
  sleep 0.1
  tries=$((tries + 1))
done
! kill -0 "$begun" 2>/dev/null || { kill "$begun" && echo "FAILED: what it ran runs on" && failures=$((failures + 1)); }
unset TMPDIR

git -C repository checkout -q "$commit" -- CMakeLists.txt
git -C repository mv kernels/null kernels/moved
git -C repository -c user.name=n -c user.email=e commit -qm moved
measured "$(git -C repository rev-parse --short=12 HEAD)"
rm -rf store
expect "a family from elsewhere" 3 "has no kernels/null" rebuild null/null --repo=repository
expect "a build that no numbers refer to" 3 "no accepted numbers refer" rebuild 0123456789abcdef
[ "$failures" = 0 ]
