#!/bin/sh
# test_verdicts.sh BIN [--update] - each command that judges prints of every recorded run what
# tests/data/golden/verdicts.csv holds: the same exit code, and the same verdict for each row.
#
# A row a run below tests/data and command that judges one: the path, the command, its exit code,
# how many rows have each verdict and each status, and a checksum over which row has which. Messages
# and numbers are in test_golden.sh. A run is compared with what baselines/ has for it, and with the
# accepted numbers and each run in the same folder of tests/data. The numbers in baselines/ are
# verified, and the tallies of A/A pairs are counted.
set -eu
export LC_ALL=C

solgate=$(cd "$1" && pwd)/solgate
cd "$(dirname "$0")/../.."
export SOLGATE_HOME="$PWD"
golden=tests/data/golden/verdicts.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/count.awk" <<'AWK'
NR == 1 {
  csv_header($0, column)
  count = split(columns, name, " ")
  for (i = 1; i <= count; i++)
    if (!(name[i] in column)) {
      print "no column " name[i] " in " FILENAME >"/dev/stderr"
      exit failed = 1
    }
  next
}
{
  csv_split($0, field)
  line = ""
  for (i = 1; i <= count; i++) {
    word = field[column[name[i]]]
    line = line "," word
    if (i > names && word != "") rows[name[i] " " word]++
  }
  print line >lines
}
END {
  if (failed) exit 1
  for (pair in rows) print rows[pair], pair
}
AWK

# counted NAMES COLUMNS FILE: "N COLUMN WORD; ..." for each word in all COLUMNS but the first NAMES
# ones, which say what row it is. Leaves those columns of each row in $work/lines.
counted() {
  : >"$work/lines"
  awk -v names="$1" -v columns="$2" -v lines="$work/lines" -f "tests/cli/csv.awk" -f "$work/count.awk" "$3" >"$work/counts"
  sort -k 2 "$work/counts" | paste -s -d ';' - | sed 's/;/; /g'
}

# judged PATH NAMES COLUMNS FILE COMMAND...: the row of a command. FILE is the table that it leaves,
# or nothing: then only its exit code counts.
judged() {
  path=$1 names=$2 columns=$3 file=$4
  shift 4
  rm -rf "$work/report"
  code=0
  "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
  words='' checksum=
  if [ -n "$file" ] && [ -s "$file" ]; then
    words=$(counted "$names" "$columns" "$file")
    checksum=$(sort "$work/lines" | cksum | cut -d ' ' -f 1)
  fi
  printf '%s,%s,%s,%s,%s\n' "$path" "$(printf '%s' "$*" | sed "s|$work/||g")" "$code" "$words" "$checksum"
}

comparison='family case variant metric vs_accepted vs_baseline gates'

# compared RUN [WITH]
compared() {
  judged "$1" 4 "$comparison" "$work/stdout" compare "$@" --format=csv
}

# reported RUN [OPTION]
reported() {
  judged "$1" 4 "$comparison" "$work/report/comparison.csv" report "$@" --tables-only --out="$work/report"
}

# of_run RUN: every row of it
of_run() {
  folder=$(printf '%s' "$1" | cut -d / -f 1-3)
  compared "$1"
  reported "$1"
  find "$folder" -name '*.csv' -type f -exec grep -l '^gpu,family,' {} + | sort >"$work/accepted" || true
  while read -r accepted; do
    compared "$1" "$accepted"
    reported "$1" --baseline="$accepted"
  done <"$work/accepted"
  grep "^$folder\(/\|\$\)" "$work/runs" >"$work/beside"
  while read -r other; do
    compared "$1" "$other"
  done <"$work/beside"
  judged "$1" 3 'family case variant bound faster_than_physics status' "$work/stdout" gap "$1" --format=csv
  judged "$1" 0 '' '' accept "$1" --dry-run --reason=any --out="$work/accepted.csv"
}

# The folder golden holds what commands printed, and no run.
find tests/data -name run.csv -type f ! -path 'tests/data/golden/*' | sort | sed 's|/run\.csv$||' >"$work/runs"
ls baselines/*.csv >"$work/baselines"

{
  echo path,command,exit,counts,checksum
  while read -r run; do
    of_run "$run"
  done <"$work/runs"
  while read -r accepted; do
    judged "$accepted" 0 '' '' accepted verify "$accepted" --max-age=36500d --driver=580.159.04
  done <"$work/baselines"
} >"$work/verdicts.csv"

case ${2:-} in
  --update)
    cp "$work/verdicts.csv" "$golden"
    echo "$golden: $(wc -l <"$golden") lines written; git diff shows what changed"
    ;;
  '')
    diff -u "$golden" "$work/verdicts.csv" || {
      echo "A verdict or an exit code changed. If that is meant:"
      echo "    sh tests/cli/test_verdicts.sh $1 --update, and commit $golden"
      exit 1
    }
    ;;
  *)
    echo "$2: expected --update or nothing"
    exit 4
    ;;
esac
