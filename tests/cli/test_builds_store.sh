#!/bin/sh
# The store of accepted builds: accept keeps the modules of a run, list, show and
# prune work on them, what was changed is reported and never used, and accept does
# its work where nothing can be kept.
set -eu
bin=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
cd "$scratch"
failures=0
export SOLGATE_BUILDS="$scratch/store" SOLGATE_BASELINES="$scratch/baselines"

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' out err 2>/dev/null
  failures=$((failures + 1))
}

# expect SENTENCE CODE WORDS ARGUMENTS...: of solgate; WORDS stand in what is printed
expect() {
  sentence=$1 wanted=$2 words=$3 code=0
  shift 3
  "$bin/solgate" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "$sentence: exit $code instead of $wanted"
  cat out err | tr -s ' \n' '  ' | grep -qF -e "$words" || fail "$sentence: '$words' is not printed"
}

# field COLUMN PATTERN: of the rows of `builds list --format=csv` that have the pattern
field() {
  "$bin/solgate" builds list --format=csv | awk -F, -v column="$1" -v pattern="$2" 'NR > 1 && $0 ~ pattern { print $column }'
}

measure() {
  "$bin/solgate" run null --case=tiny --variant=ok "$@" >out 2>err || fail "run $*"
}

cp "$bin/libsg_null.so" libsg_null.so
measure --out=R1
measure --out=S --variant=slower --seed=7
expect "an empty store" 0 "0 whole, 0 damaged, 0 missing" builds list
expect "nothing of --dry-run is kept" 0 "nothing written" accept R1 --dry-run
[ ! -e store ] || fail "--dry-run makes the store"
expect "accepted" 0 "rows new" accept R1
[ ! -s err ] || fail "a warning, though the build is kept"
first=$(sed -n 's/^code.null,//p' R1/env.csv)
[ "$(field 1 whole)" = "$first" ] || fail "the build of the run is not in the store"
cmp -s "store/$first/libsg_null.so" "$bin/libsg_null.so" || fail "the module is not that of the run"
grep -q "^null,,,,code.null,,,,,,,$first," baselines/null.csv || fail "the accepted numbers do not name it"

# Built anew: other bytes, same kernels.
printf 'x' >>libsg_null.so
measure --module=libsg_null.so --variant=faster --out=R2
expect "without the module" 0 "the build of null is not kept" accept R2 --reason=new
expect "which list reports" 0 "1 whole, 0 damaged, 1 missing" builds list
second=$(field 1 missing)
[ "$second" = "$(sed -n 's/^code.null,//p' R2/env.csv)" ] || fail "what is missing is not the new build"
expect "and show" 3 "the store has no build $second" builds show null/null
expect "with it" 0 "rows" accept R2 --module=libsg_null.so --reason=new
expect "both are listed" 0 "2 whole, 0 damaged, 0 missing" builds list
[ -z "$(field 9 "$first")" ] || fail "the old build is said to be in use"
[ "$(field 9 "$second")" = "$(pwd -P)/baselines/null.csv" ] || fail "the new build is not said to be in use"
expect "show" 0 "store/$second/libsg_null.so" builds show null/null

# One variant from another build: the others stay what they are.
expect "one item of another build" 0 "rows" accept S --variant=slower --reason=one
grep -q "^null,,,,code.null,,,,,,,$first," baselines/null.csv || fail "the build of the newest run is not named"
grep -q "^null,,,,code.null.tiny.faster,,,,,,,$second," baselines/null.csv || fail "an item that stays does not name its build"
[ "$(field 9 "$first")" = "$(field 9 "$second")" ] || fail "the numbers do not refer to both builds"
measure --gpu=1 --out=U
expect "numbers of a GPU" 0 "rows new" accept U --unit
expect "are shown alone" 0 "store/$first/libsg_null.so" builds show null1/null
! grep -q "$second" out || fail "builds of other GPUs are shown"
rm -rf baselines
"$bin/solgate" accept R2 --module=libsg_null.so >out 2>err

# prune: dry and done print the same, and what numbers of another project refer to stays.
half=0123456789abcdef
mkdir -p "store/$half"
echo half >"store/$half/libsg_null.so"
expect "half of a build" 0 "2 whole, 1 damaged, 0 missing" builds list
expect "dry" 0 "nothing done (--dry-run)" builds prune --keep=0 --dry-run
grep -e '^remove' -e '^forget' out >dry
for kept in "$half" "$first"; do [ -d "store/$kept" ] || fail "--dry-run removes $kept"; done
SOLGATE_BASELINES=$scratch/elsewhere expect "from elsewhere" 0 "remove" builds prune --keep=0
grep -e '^remove' -e '^forget' out | cmp -s - dry || fail "prune does something else than --dry-run printed"
expect "after it" 0 "1 whole, 0 damaged, 0 missing" builds list
[ "$(field 1 whole)" = "$second" ] || fail "what accepted numbers refer to is gone"

# Other bytes under a digest.
printf 'y' >>"store/$second/libsg_null.so"
expect "damaged" 0 "expected the digest $second" builds list
[ "$(field 3 "$second")" = damaged ] || fail "the state is not damaged"
expect "shown, not used" 3 "not to be used" builds show "$second"
expect "kept anew" 0 "rows" accept R2 --module=libsg_null.so
[ "$(field 3 "$second")" = whole ] || fail "the build is not put right"

# Where nothing can be kept the numbers are accepted, with a warning.
echo file >no_folder
for store in no_folder/store /proc/none; do
  rm -rf baselines
  SOLGATE_BUILDS=$store expect "$store" 0 "the builds are not kept" accept R1
  [ -f baselines/null.csv ] || fail "$store: nothing is accepted"
done
rm -rf baselines
HOME='' XDG_CACHE_HOME='' SOLGATE_BUILDS='' expect "no folder at all" 0 "has no folder" accept R1
XDG_CACHE_HOME=$scratch/cache SOLGATE_BUILDS='' expect "the cache folder" 0 "rows" accept R1
[ -d "cache/solgate/builds/$first" ] || fail "nothing is kept in the cache folder"
expect "--builds" 0 "rows" accept R1 --builds=other
[ -d "other/$first" ] || fail "nothing is kept in --builds"

expect "a malformed digest" 4 "expected a file" builds show ../x
# A file that cannot be read may refer to anything.
echo broken >baselines/null.csv
expect "prune stops" 4 "null.csv" builds prune --keep=0 --builds=other
expect "list reports it" 0 "not read: $(pwd -P)/baselines/null.csv" builds list --builds=other
[ -d "other/$first" ] || fail "prune removed something all the same"
[ "$failures" = 0 ]
