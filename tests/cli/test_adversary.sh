#!/bin/sh
# scripts/validate/adversary.sh lists what each trick must come to, without a GPU;
# adversary.awk says of recorded runs and gates what was refused and what was not; and the two
# together run the simulated family.
# Not under sanitizers: the work is done by a shell script.
set -eu

script=scripts/validate/adversary.sh
# shellcheck source=tests/cli/script_lib.sh
. "$(dirname "$0")/script_lib.sh"
bin=$(cd "$1" && pwd)

# ---- the list ----

ends 0 --bin="$bin" --suite=null_adversary --list
says 'a trick has the outcome that its source declares' '| skips_done | computes only what looks undone | wrong |'
files=$(grep -l '^ADVERSARY_VARIANT' "$tree"/kernels/null_adversary/*.c | wc -l)
[ "$(grep -c '^| [a-z_]* | .* | [a-z_ ]* |$' "$work/output")" = $((files + 1)) ] || fail "the list has not a line for each of $files variants"
ends 0 --bin="$bin" --list --suite=null_adversary --variant=ok
[ "$(wc -l <"$work/output")" = 3 ] || fail "a variant that is named is not the only one"

# Of the CUDA family the files are there to compare with, whether it was built or not.
sed 1d "$tree/kernels/adversary/outcomes.csv" | while IFS=, read -r variant outcomes why; do
  declared=$(sed -n 's/^ *\.expect = SG_\([A-Z_]*\),$/\1/p' "$tree/kernels/adversary/$variant".c* | tr '[:upper:]' '[:lower:]')
  case " $outcomes " in
    *" ${declared:-ok} "*) [ -n "$why" ] ;;
    *) false ;;
  esac || echo "$variant: declares ${declared:-ok}, and outcomes.csv has '$outcomes', for '$why'"
done >"$work/output"
[ ! -s "$work/output" ] || fail "outcomes.csv is not about the variants of kernels/adversary"
if "$bin/solgate" list families --format=csv | grep -q '^adversary,'; then
  ends 0 --bin="$bin" --list
  says 'what may come to several outcomes has all of them' '| ok misplaced crash |'
else
  ends 77 --bin="$bin" --list
  says 'a family that was not built is no failure' 'the family adversary was not built'
fi

# ---- the table ----

cat >"$work/variants.csv" <<'CSV'
family,name,role,expect,summary
tricks,base,baseline,ok,the baseline
tricks,honest,candidate,ok,no trick
tricks,slow,candidate,ok,"no trick, slower"
tricks,library,vendor,ok,not here
tricks,caught,candidate,wrong,a trick
tricks,either,candidate,wrong,either outcome will do
tricks,gains_nothing,candidate,ok,harmless
tricks,invalid_time,candidate,ok,refused by its time
other,caught,candidate,crash,of another family
CSV
cat >"$work/outcomes.csv" <<'CSV'
variant,outcomes,why
either,wrong overrun,"one, or the other"
gains_nothing,ok misplaced,nothing to gain
invalid_time,ok crash,physics
CSV
cat >"$work/run.csv" <<CSV
$header
tricks,a,base,status,,,,,,ok,
tricks,a,base,time,ns,10,9,11,5,ok,
tricks,a,honest,status,,,,,,ok,
tricks,a,slow,status,,,,,,ok,
tricks,a,library,status,,,,,,unavailable,no library
tricks,a,caught,status,,,,,,wrong,"y[0]: 1, reference 2"
tricks,b,caught,status,,,,,,unsupported,takes at most 8
tricks,a,either,status,,,,,,wrong,
tricks,b,either,status,,,,,,overrun,
tricks,a,gains_nothing,status,,,,,,ok,
tricks,a,invalid_time,status,,,,,,ok,
other,a,caught,status,,,,,,ok,
CSV
cat >"$work/gates.csv" <<'CSV'
exit,family,case,variant,metric,unit,accepted,now,change,low,high,tolerance,resolution,q,vs_accepted,vs_baseline,baseline_change,baseline_low,baseline_high,processes,gates,why
0,tricks,a,honest,time_ratio,1,,1,0,0,0,0.005,0.01,,within,within,0,0,0,5,yes,"no, change"
1,tricks,a,slow,time_ratio,1,,1.1,0.1,0.1,0.1,0.005,0.01,,regressed,regressed,0,0,0,5,yes,slower
3,tricks,a,library,status,,,,,,,0.005,,,invalid,,,,,,yes,unavailable: no library
5,tricks,a,caught,status,,,,,,,0.005,,,broken,,,,,,yes,wrong
5,tricks,a,either,status,,,,,,,0.005,,,broken,,,,,,yes,wrong
1,tricks,a,gains_nothing,time_ratio,1,,1,0,0,0,0.005,0.01,,regressed,regressed,0,0,0,5,yes,slower
1,tricks,a,gains_nothing,registers,register,,1,0,0,0,,,,changed,,,,,,no,more of them
3,tricks,a,invalid_time,time_ratio,1,,1,0,0,0,0.005,0.01,,invalid,invalid,0,0,0,5,yes,too fast
CSV

# judged EXIT WHAT: the table of the four files
judged() {
  code=0
  awk -v family=tricks -f "$tree/scripts/lib/csv.awk" -f "$tree/scripts/validate/adversary.awk" kind=variants "$work/variants.csv" \
    kind=outcomes "$work/outcomes.csv" kind=run "$work/run.csv" kind=gates "$work/gates.csv" >"$work/output" 2>&1 || code=$?
  [ "$code" = "$1" ] || fail "exit $code instead of $1: $2"
}

judged 0 'a run in which all is refused that must be'
says 'the baseline is in no gate' '| base | the baseline | ok | ok | - | - | honest |'
says 'what is honest may be slower' '| slow | no trick, slower | ok | ok | regressed | 1 | honest |'
says 'what is not here is no failure' '| library | not here | ok | unavailable | invalid | 3 | absent |'
says 'a trick is refused' '| caught | a trick | wrong | wrong | broken | 5 | yes |'
says 'by any of its outcomes' '| either | either outcome will do | wrong overrun | wrong overrun | broken | 5 | yes |'
says 'or gains nothing' '| gains_nothing | harmless | ok misplaced | ok | regressed | 1 | harmless |'
says 'or is refused by its time' '| invalid_time | refused by its time | ok crash | ok | invalid | 3 | yes |'
says 'all are counted' '8 variants: 3 refused, 1 harmless, 3 honest, 1 absent, 0 NO'

# One thing at a time that must not be: file, what is replaced, by what, the line of the table.
for name in run gates; do cp "$work/$name.csv" "$work/$name.right"; done
while IFS='|' read -r name from to what; do
  sed "s/$from/$to/" "$work/$name.right" >"$work/$name.csv"
  cmp -s "$work/$name.csv" "$work/$name.right" && fail "nothing to replace: $from"
  judged 1 "$what"
  grep -q '^| .* | NO |$' "$work/output" || fail "no line says NO: $what"
  grep -q '^8 variants: .* 1 NO$' "$work/output" || fail "more than one says NO: $what"
  cp "$work/$name.right" "$work/$name.csv"
done <<'TABLE'
run|caught,status,,,,,,wrong|caught,status,,,,,,ok|a trick that was right
run|caught,status,,,,,,wrong|caught,status,,,,,,crash|a trick with another outcome than its own
run|b,either,status,,,,,,overrun|b,either,status,,,,,,ok|a trick that was right in one case
run|gains_nothing,status|gains_nothing,note|a trick that the run does not have
gates|^5,tricks,a,caught|0,tricks,a,caught|a trick whose gate lets it pass
gates|^5,tricks,a,caught|0,tricks,a,nobody|a trick without a gate
gates|1,,1,0,0,0,0.005,0.01,,regressed,regressed|1,,1,0,0,0,0.005,0.01,,improved,improved|a harmless one that is faster
run|honest,status,,,,,,ok|honest,status,,,,,,misplaced|an honest one that is refused
gates|0.01,,within|0.01,,invalid|an honest one whose gate says invalid
run|base,status,,,,,,ok|base,status,,,,,,wrong|a baseline that is wrong
TABLE

# ---- what is refused ----

sed -i 's/^either,/neither,/' "$work/outcomes.csv"
judged 3 'outcomes of nobody'
says 'it is said where' "outcomes.csv:2: expected a variant of tricks, found 'neither'"
sed -i 's/^neither,wrong/either,crash/' "$work/outcomes.csv"
judged 3 'outcomes without the one that is declared'
says 'it is said of which' "expected the outcome that either declares, wrong, found 'crash overrun'"
echo a,b >"$work/variants.csv"
judged 3 'another file'
says 'it is said which columns' "variants.csv:1: expected the columns family name role expect summary, found 'a,b'"
ends 4 --bin="$bin" --suite=null_adversary --variant=nobody
says 'a variant of nobody' "expected a candidate of null_adversary (--list shows them), found 'nobody'"
ends 4 --bin="$bin" --suite=null
says 'a suite without tricks' 'expected a family with tricks'
ends 4 --bin="$bin" --case='a b'
says 'no name' "--case: expected a name of [a-z0-9_], found 'a b'"
ends 4 --bin="$bin" --fast
says 'no other arguments' 'unknown argument --fast'

# ---- all of it ----

ends 0 --bin="$bin" --suite=null_adversary --variant=neighbour_a --variant=skips_done --variant=caches_by_hash --variant=crashes_when_counted
says 'an honest one' '| neighbour_a | right, always | ok | ok | within | 0 | honest |'
says 'a trick' '| skips_done | computes only what looks undone | wrong | wrong | broken | 5 | yes |'
says 'a cache' '| ok | ok | within | 0 | harmless |'
says 'the sum' '4 variants: 1 refused, 2 harmless, 1 honest, 0 absent, 0 NO'
[ "$failures" = 0 ]
