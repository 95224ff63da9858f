#!/bin/sh
# accepted verify is green for no numbers that compare refuses or cannot hold a run against, in
# small edits of those of the run written by hand.
set -eu
# shellcheck source=tests/cli/hand_lib.sh
. "$(dirname "$0")/hand_lib.sh"

# verify SENTENCE CODE WORD
verify() {
  expect "$1" "$2" "$3" accepted verify --max-age=36500d --driver=580.1
}

# fault SENTENCE CODE WORD SED-SCRIPT: of the numbers so edited, and vouched for
fault() {
  numbers_as_they_were
  edit "$file" "$4"
  seal "$file"
  verify "$1" "$2" "$3"
}

# unread SENTENCE WORD SED-SCRIPT: of what no command reads, so that it cannot be sealed
unread() {
  numbers_as_they_were
  edit "$file" "$3"
  verify "$1" 4 "$2"
}

verify "as they were they are good" 0 "0 malformed, 0 stale, 0 rows ungated"
wide='/^h200,hand,large,wide,time_ratio/'
base='/^h200,hand,large,base,time,/'
fault "a time of no success" 4 "hand/large/wide time_ratio gates, but its status is not ok" "${wide}s/,ok,/,unavailable,/"
fault "no value" 4 "gates, but has no value above 0" "${wide}s/,1,1,0/,1,,0/"
fault "a value of 0" 4 "gates, but has no value above 0" "${wide}s/,1,1,0/,1,0,0/"
fault "a value below its interval" 4 "gates, but its value is outside of its interval" "${wide}s/,1,1,0/,1,0.99,0/"
fault "and above" 4 "hand/large/base time gates, but its value is outside of its interval" "${base}s/,120000,/,130000,/"
fault "an interval of nothing" 4 "fewer than 5 processes or no interval" "${wide}s/,1,1,[^,]*,[^,]*,/,1,1,,,/"
fault "an interval that begins at 0" 4 "fewer than 5 processes or no interval" "${wide}s/,1,1,[^,]*,/,1,1,0,/"
fault "four processes" 4 "fewer than 5 processes or no interval" "${wide}s/,5,ok,/,4,ok,/"
fault "no tolerance" 3 "gates, but has no tolerance" "${wide}s/,0.005,yes,/,,yes,/"
fault "a tolerance of 38 %" 3 "hand/large/wide time_ratio gates with a tolerance of 38 %, above tolerance_max, 10 %" "${wide}s/,0.005,yes/,0.38,yes/"
fault "of as much as is allowed" 0 "0 rows ungated" "${wide}s/,0.005,yes/,0.1,yes/"
fault "a deciding ratio that does not gate" 3 "hand/large/wide time_ratio decides about its item, but has gate = no" "${wide}s/,yes,/,no,/"
fault "a deciding time that does not gate" 3 "hand/large/base time decides about its item, but has gate = no" "${base}s/,yes,/,no,/"
fault "a deciding ratio that is gone" 3 "hand/large/wide time_ratio accepted as ok, but without this row" "${wide}d"
fault "a deciding time that is gone" 3 "hand/large/base time accepted as ok, but without this row" "${base}d"
fault "an item without a role" 4 "hand/large/wide has no row \`role\`" '/^h200,hand,large,wide,role/d'
fault "an item without an outcome" 4 "hand/large/wide has no row \`status\`" '/^h200,hand,large,wide,status/d'
fault "a metric of another unit" 4 "expected the unit ns, found 'B'" "${base}s/,ns,/,B,/"
numbers_as_they_were
edit "$file" 's/^h200,hand,large,base,registers/h200,hand,large,base,rigesters/'
seal "$file"
verify "a metric that there is not" 4 "rigesters no such metric in metrics.ini"

# Waivers: of today, so one that is over is so whatever was measured when.
waived() {
  fault "$1" "$2" "$3" "${wide}s/,0.005,yes/,0.38,yes/
\$a h200,hand,large,wide,waiver,,,,,,ok,$4,,no,,,,,,$5,,,"
}
waived "what is waived need not be gated, until its day" 0 "0 rows ungated" 9999-12-31 "until it is quiet"
waived "which is over" 3 "stale $file: hand/large/wide its waiver expired after 2024-06-01" 2024-06-01 "until it is quiet"
grep -q "tolerance of 38 %" "$scratch/out" || fail "a waiver that is over excuses nothing"
for day in '' tomorrow 2026-02-30 2026-1-1 2026-12-31T00:00; do
  unread "a day that there is not: $day" "message of a waiver: expected its last day, such as 2026-12-31, found '$day'" \
    "\$a h200,hand,large,wide,waiver,,,,,,ok,$day,,no,,,,,,until it is quiet,,,"
done
for reason in '' ' ' '-'; do
  unread "one without a reason: '$reason'" "reason of a waiver: expected why" "\$a h200,hand,large,wide,waiver,,,,,,ok,9999-12-31,,no,,,,,,$reason,,,"
done
fault "a waiver stands for a row that is gone" 0 "0 rows ungated" "${wide}d
\$a h200,hand,large,wide,waiver,,,,,,ok,9999-12-31,,no,,,,,,never timed,,,"
fault "but for no damaged one" 4 "outside of its interval" "${wide}s/,1,1,0/,1,0.99,0/
\$a h200,hand,large,wide,waiver,,,,,,ok,9999-12-31,,no,,,,,,never timed,,,"

# dated SENTENCE CODE WORD DATE
dated() {
  numbers_as_they_were
  edit "$file" "$(fact date "$4")"
  seal "$file"
  verify "$1" "$2" "$3"
}
dated "of today" 0 "0 malformed" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
dated "a date to come" 4 "is in the future" 9999-01-01T00:00:00Z
for day in 2024-06-31 2024-13-01T00:00:00Z; do
  dated "a day that there is not: $day" 4 "no date such as" "$day"
done

# What is not there is not good.
numbers_as_they_were
expect "a file that is not there" 4 "none.csv cannot be opened: No such file" accepted verify "$scratch/none.csv"
expect "a name of nothing" 4 "no accepted numbers are called h200/none" accepted verify h200/none
expect "a GPU without numbers in the file" 4 "expected numbers of a GPU zz, found those of h200" accepted verify zz/hand
rm "$file"
verify "no numbers at all" 3 "$SOLGATE_HOME/baselines: no accepted numbers in it, so nothing was checked"
rm -r "$SOLGATE_HOME/baselines"
verify "nor a folder of any" 3 "no accepted numbers in it"

# The numbers that come with the program.
SOLGATE_HOME=$tree
expect "those of the tree" 0 "0 malformed, 0 stale, 0 rows ungated" accepted verify --max-age=36500d --driver=580.1
grep -q '^good .*smoke.csv of h200' "$scratch/out" || fail "smoke is good"
grep -q '^good .*null.csv of null' "$scratch/out" || fail "null is good"
for file in "$tree"/baselines/*.csv; do
  suite=$tree/kernels/suites/$(basename "$file" .csv).suite
  awk -F, -v said="$(sed -n 's/^tolerance *= *\([0-9.]*\)%$/\1/p' "$suite")" \
    '$2 == "" && $5 ~ /^tolerance([.]|$)/ && 100 * $12 != said { exit 1 }' "$file" || fail "$file has another tolerance than $suite"
done

[ "$failures" = 0 ] || { echo "$failures failed" && exit 1; }
