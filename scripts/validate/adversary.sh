#!/bin/sh
# adversary.sh [--bin=DIR] [--out=DIR] [--suite=NAME] [--case=C]... [--variant=V]... [--list] - is
# each trick by which a kernel games the harness refused, and is every honest kernel let pass?
#
# Runs the suite NAME (adversary; null_adversary needs no GPU), and for each variant
# of the family of that name a gate, `solgate ab`, against its baseline; of the cases
# and variants that are named alone.
# Prints a table (adversary.awk): trick, expected outcome, outcome in the run, verdict and exit code
# of its gate, refused or not. --list prints variants and expectations, and needs no GPU. DIR of
# --bin is the folder of the programs (build/bin), of --out a new folder for runs and gates (a
# temporary one that is removed). Exit 0 when all are refused, harmless or honest; 1 when one is
# not; 3 when something cannot be run; 4 for a wrong command line; 77, with the reason, where there
# is no GPU or the family was not built.
set -eu
export LC_ALL=C

scripts=$(cd "$(dirname "$0")/.." && pwd)
bin=$scripts/../build/bin
out=
suite=adversary
cases=
variants=
list=

fail() {
  echo "adversary.sh: $2" >&2
  exit "$1"
}

# word ARGUMENT: its value, a name as families, cases and variants have
word() {
  case ${1#*=} in
    '' | *[!a-z0-9_]*) fail 4 "${1%%=*}: expected a name of [a-z0-9_], found '${1#*=}'" ;;
  esac
  echo "${1#*=}"
}

for argument in "$@"; do
  case $argument in
    --bin=?*) bin=${argument#--bin=} ;;
    --out=?*) out=${argument#--out=} ;;
    --suite=*) suite=$(word "$argument") ;;
    --case=*) cases="$cases --case=$(word "$argument")" ;;
    --variant=*) variants="$variants $(word "$argument")" ;;
    --list) list=yes ;;
    -h | --help)
      sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail 4 "unknown argument $argument (known: --bin= --out= --suite= --case= --variant= --list)" ;;
  esac
done
solgate=$bin/solgate
[ -x "$solgate" ] || fail 3 "$solgate is not there"
if [ -z "$out" ]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
else
  [ ! -e "$out" ] || fail 4 "--out: expected a new folder, found $out"
  mkdir -p "$out"
fi
# A path that looks like an assignment would be one to awk.
out=$(cd "$out" && pwd)
outcomes=$scripts/../kernels/$suite/outcomes.csv
[ -r "$outcomes" ] || fail 4 "--suite: expected a family with tricks, found no $outcomes"

# table ARGUMENTS...: what adversary.awk says with more files
table() {
  awk -v family="$suite" -v only="$variants" -f "$scripts/lib/csv.awk" -f "$scripts/validate/adversary.awk" kind=variants "$out/variants.csv" kind=outcomes "$outcomes" "$@"
}

"$solgate" list variants --format=csv >"$out/variants.csv" 2>"$out/said" || fail 3 "$(tail -n 1 "$out/said")"
if ! grep -q "^$suite," "$out/variants.csv"; then
  echo "adversary.sh: the family $suite was not built: it needs the CUDA toolkit"
  exit 77
fi
if [ -n "$list" ]; then
  table
  exit
fi
if [ "$("$solgate" list families --format=csv | awk -F, -v family="$suite" '$1 == family { print $2 }')" = cuda ]; then
  code=0
  "$solgate" doctor >"$out/said" 2>&1 || code=$?
  if [ "$code" != 0 ]; then
    tail -n 1 "$out/said" # 77: no GPU; 3: one that cannot be measured
    exit "$code"
  fi
fi

baseline=$(awk -F, -v family="$suite" '$1 == family && $3 == "baseline" { print $2 }' "$out/variants.csv")
all=$(awk -F, -v family="$suite" '$1 == family && $3 != "baseline" { print $2 }' "$out/variants.csv")
for variant in $variants; do
  echo "$all" | grep -qx "$variant" || fail 4 "--variant: expected a candidate of $suite (--list shows them), found '$variant'"
done
all=${variants:-$all}

# What tricks leave in files is removed with the rest.
mkdir "$out/tmp"
export TMPDIR="$out/tmp"

run() {
  set --
  for variant in $variants; do set -- "$@" "--variant=$variant"; done
  # shellcheck disable=SC2086 # words
  "$solgate" run "$suite" --out="$out/run" $cases "$@" >"$out/run.said" 2>&1
}
code=0
run || code=$?
[ -r "$out/run/run.csv" ] || fail 3 "solgate run $suite: exit $code: $(tail -n 1 "$out/run.said")"
echo "solgate run $suite: exit $code"

# gate VARIANT: its rows, with the exit code before them; a row without a verdict if it has none
gate() {
  code=0
  # shellcheck disable=SC2086 # words
  "$solgate" ab "$suite/$baseline" "$suite/$1" $cases --out="$out/ab_$1" --format=csv >"$out/ab_$1.csv" 2>"$out/ab_$1.said" || code=$?
  [ "$code" != 4 ] && [ "$code" != 77 ] || fail 3 "solgate ab $suite/$1: exit $code: $(tail -n 1 "$out/ab_$1.said")"
  [ -s "$out/gates.csv" ] || sed -n '1s/^/exit,/p' "$out/ab_$1.csv" >"$out/gates.csv"
  sed "1d; s/^/$code,/" "$out/ab_$1.csv" >"$out/rows"
  [ -s "$out/rows" ] || echo "$code,$suite,,$1" >"$out/rows"
  cat "$out/rows" >>"$out/gates.csv"
}
for variant in $all; do
  gate "$variant"
done
code=0
table kind=run "$out/run/run.csv" kind=gates "$out/gates.csv" || code=$?
exit "$code"
