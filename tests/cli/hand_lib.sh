# shellcheck shell=sh
# shellcheck disable=SC2034 # what is set here is used by those who source it
# What tests of compare and accept share that change the run written by hand (tests/data/hand);
# sourced with $1, the folder of the programs. Sets: solgate, tree, hand, scratch (a folder of this
# test), file (the accepted numbers, in a home of this test), failures, to be 0 at the end.
solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
hand=$tree/tests/data/hand
[ -x "$solgate" ] || { echo "$solgate is not there" && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# A home of its own, so that the default baseline is the one under
# test. Everything else is the tree's.
export SOLGATE_HOME="$scratch/home"
mkdir -p "$SOLGATE_HOME/baselines"
for part in metrics reports kernels; do
  ln -s "$tree/$part" "$SOLGATE_HOME/$part"
done
file=$SOLGATE_HOME/baselines/hand.csv

# numbers_as_they_were: the accepted numbers of the fixture
numbers_as_they_were() {
  rm -rf "$SOLGATE_HOME/baselines"
  mkdir -p "$SOLGATE_HOME/baselines"
  cp "$hand/baselines/hand.csv" "$file"
}
numbers_as_they_were

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' "$scratch/out" "$scratch/err"
  failures=$((failures + 1))
}

# run NAME: a copy of the clean run under a new name; its path is in $run.
run() {
  run=$scratch/$1
  rm -rf "$run"
  cp -R "$hand/clean" "$run"
}

# edit FILE SED-SCRIPT: must change something, or the sentence that follows is about nothing.
edit() {
  cp "$1" "$scratch/before"
  sed "$2" "$scratch/before" >"$1"
  if cmp -s "$scratch/before" "$1"; then
    echo "FAILED: '$2' changes nothing in $1"
    failures=$((failures + 1))
  fi
}

# fact KEY VALUE: a script of sed that sets a fact of accepted numbers
fact() {
  printf '%s' "s/^\\([^,]*,,,,$1,,,,,,,\\)[^,]*/\\1$2/"
}

# seal FILE: accepted numbers that were edited, or the folder of a run
seal() {
  "$solgate" accepted seal "$1" --reason="edited by a test" >"$scratch/out" 2>"$scratch/err" || fail "$1 cannot be sealed"
}

# expect SENTENCE CODE WORD COMMAND...: the exit code, and a word (if one is given) that stands in
# what was printed, line ends and blanks aside.
expect() {
  sentence=$1 code=$2 word=$3
  shift 3
  found=0
  "$solgate" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || found=$?
  [ "$found" = "$code" ] || fail "$sentence: exit code $found, should be $code"
  [ -z "$word" ] || cat "$scratch/out" "$scratch/err" | tr -s ' \n' ' ' | grep -qF -e "$word" || fail "$sentence: '$word' is not said"
}
