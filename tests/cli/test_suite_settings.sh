#!/bin/sh
# What a suite sets beside its rows. Knobs of a file are used by every pass, are in the run's rows
# and part of what a run is when it is resumed. Counters by CUPTI's own names, --metrics=cupti:NAME,
# are rows of a run, of accepted numbers, of explanations and reports. A case with sizes is run,
# accepted, compared and resumed by its name. What is wrong is refused with the line.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
printf '%s\n' '[suite]' 'title = knobs' 'processes = auto' 'deadline = 3s' 'config = knobs.config' '[null]' 'case = tiny' 'case = ragged' \
    'variant = tuned' >"$work/knobs.suite"
printf '%s\n' '; the best there is' '[null/tuned]' 'tiny = depth=3 width=4' >"$work/knobs.config"

# row RUN CASE VARIANT METRIC: its value
row() {
    sed -n "s/^null,$2,$3,$4,[^,]*,\([^,]*\),.*/\1/p" "$1/run.csv"
}

run 0 "$work/knobs.suite" --out="$work/good" --seed="$seed"
[ "$(row "$work/good" tiny tuned knob_width) $(row "$work/good" tiny tuned knob_depth)" = "4 3" ] || fail "the knobs are not in the run"
[ "$(row "$work/good" ragged tuned knob_width)" = 0 ] || fail "the variant's default is not in the run"
grep -q "^null,ragged,tuned,knob_width,1,0,,,,ok,the variant's default,,$" "$work/good/run.csv" || fail "an own choice is not called one"
grep -q '^null,tiny,ok,knob_' "$work/good/run.csv" && fail "a variant without knobs has some"
awk -v t="$(row "$work/good" tiny tuned time_ratio)" -v s="$(row "$work/good" ragged tuned time_ratio)" \
    'BEGIN { exit !(t > 0.94 && t < 0.96 && s > 0.99 && s < 1.01) }' || fail "the knobs were not used when it was timed"
grep -qx 'setting.null.tiny.tuned,depth=3 width=4' "$work/good/env.csv" || fail "env.csv does not say what was set"
grep -qx 'settings,1' "$work/good/env.csv" || fail "env.csv does not say how many were set"

# Knobs of the baseline are used where it is a side of a pair, too.
code=0
"$solgate" ab null/tuned null/ok --case=tiny --config="$work/knobs.config" --out="$work/ab" --seed="$seed" \
    >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 1 ] || fail "ab: exit status $code: the baseline is 5 % faster by its knobs"
[ "$(row "$work/ab" tiny tuned knob_width)" = 4 ] || fail "ab: the baseline's knobs are not in the run"
told 4 'expected a section of null/ok or of null/slower, found neither' ab null/ok null/slower --config="$work/knobs.config" --out="$work/x"
sed 's/width/wide/' "$work/knobs.config" >"$work/wide.config"
told 4 'wide.config:3: no knob of null/tuned is called wide; known: width, depth' \
    ab null/ok null/tuned --config="$work/wide.config" --out="$work/x"

# --config stands in for the suite's file; what breaks the variant costs the variant.
printf '%s\n' '[null/tuned]' 'tiny = width=8 depth=3' 'ragged = width=9' >"$work/broken.config"
run 5 "$work/knobs.suite" --out="$work/broken" --seed="$seed" --config="$work/broken.config"
says 'null/tiny/tuned: expected ok, found hang'
grep -q '^null,ragged,tuned,status,,,,,,unsupported,"width 9, depth 2: needs width at most 8' "$work/broken/run.csv" ||
    fail "a refused knob is not unsupported with its reason"

# Another setting is another run.
sed -i 's/^state,finished$/state,running/' "$work/good/env.csv"
run 3 "$work/knobs.suite" --out="$work/good" --resume --config="$work/broken.config"
says 'this run was started with setting.null.tiny.tuned "depth=3 width=4", found "width=8 depth=3"'
echo '[null/tuned]' >"$work/none.config"
run 3 "$work/knobs.suite" --out="$work/good" --resume --config="$work/none.config"
says 'this run was started with settings "1", found "0"'
run 0 "$work/knobs.suite" --out="$work/good" --resume

# compare sees it.
printf '%s\n' '[null/tuned]' 'tiny = width=4 depth=4' >"$work/other.config"
run 0 "$work/knobs.suite" --out="$work/other" --seed="$seed" --config="$work/other.config"
"$solgate" compare "$work/other" "$work/good" >"$work/stdout" 2>"$work/stderr" || true
prints 'settings that differ: depth 3 -> 4'

"$solgate" explain "$work/other" null/tiny ok tuned >"$work/stdout" 2>"$work/stderr" || fail "explain fails"
prints "knob_depth 4 how it is set; 0: the variant's default"

# refused CONFIG WORDS
refused() {
    printf '%b\n' "$1" >"$work/refused.config"
    run 4 "$work/knobs.suite" --out="$work/x" --config="$work/refused.config"
    says "refused.config:$2"
}
refused '[nul/tuned]\ntiny = width=1' '2: expected a family of this run, found nul'
refused '[null/tund]\ntiny = width=1' '2: family null has no variant tund'
refused '[null/tuned]\n\ntine = width=1' '3: family null has no case tine'
refused '[null/tuned]\ntiny = wide=1' '2: no knob of null/tuned is called wide; known: width, depth'
refused '[null/ok]\ntiny = width=1' '2: null/ok has no knobs, found width'
refused '[null/tuned]\ntiny = width' '2: tiny: expected KNOB=VALUE'
refused '; nothing but this' '1: expected a section [FAMILY/VARIANT] in this file, found none'
[ ! -e "$work/x" ] || fail "a run that was refused left a folder"
sed -i 's/^config = .*/config = nowhere.config/' "$work/knobs.suite"
run 4 "$work/knobs.suite" --out="$work/x"
says "$work/nowhere.config"

# list knobs
"$solgate" list knobs --format=csv >"$work/stdout" 2>"$work/stderr"
grep -qx 'null,tuned,depth,1 2 3 4 5 6,stages in flight' "$work/stdout" || fail "list knobs does not list them"

# ---- counters by the names of CUPTI

raw=cupti:dram__bytes_read.sum
export SOLGATE_BASELINES="$work/baselines"

run 0 null --case=tiny --variant=slower --metrics=$raw,instructions,cupti:none__such.sum --out="$work/run"
for row in "ok,$raw,1,4092,,,1,ok," "slower,$raw,1,5320,,,1,ok," "ok,cupti:none__such.sum,1,,,,1,unavailable,"; do
    grep -q "^null,tiny,$row" "$work/run/run.csv" || fail "run.csv has no row $row"
done
run 0 null --case=tiny --variant=slower --metrics=$raw,instructions,cupti:none__such.sum --out="$work/run" --resume
run 4 null --metrics='cupti:a b' --out="$work/wrong"
says "or cupti:NAME, found 'cupti:a b'"
names=$(seq -s, -f 'cupti:a%g' 1 65)
run 4 null --metrics="$names" --out="$work/many"
says "expected at most 64 counters by their names in CUPTI, found one more: cupti:a65"

# prints_of TEXT ARGUMENTS...: solgate prints it, and ends with 0
prints_of() {
    text=$1
    shift
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || fail "exit status $?: solgate $*"
    prints "$text"
}
prints_of "$raw 4,092 5,320 +30.0 % requested by its CUPTI name, in CUPTI's unit" explain "$work/run" null/tiny ok slower --verbose
prints_of "rows new" accept "$work/run"
prints_of "counters: cupti:none__such.sum" compare "$work/run"
prints_of "good" accepted verify
sed "s/^\(null,tiny,slower,$raw,1\),5320/\1,6000/" "$work/run/run.csv" >"$work/moved.csv"
cp "$work/moved.csv" "$work/run/run.csv"
sed -i '/^digest/d' "$work/run/env.csv"
prints_of "$raw 5,320 6,000 +12.8 % changed" compare "$work/run" --verbose
prints_of index.html report "$work/run" --tables-only --out="$work/report"
head -n 1 "$work/report/counters.csv" | grep -q ",$raw," || fail "counters.csv lacks it"
unset SOLGATE_BASELINES

# ---- sizes of a case

solgate=$(cd "$1" && pwd)/solgate
cd "$work"
export SOLGATE_BUILDS="$work/store"

# suite LINE...: of the null family
suite() {
    printf '[suite]\ntitle = t\nmetrics = quick\n\n[%s]\n' "${family:-null}" >s.suite
    printf '%s\n' "$@" >>s.suite
}

suite 'case = rows=100 cols=50' 'case = tiny' 'case = cols=7 rows=10 ns=3000' 'variant = slower'
run 0 ./s.suite --out=R --seed="$seed"
prints "6 items of suite s"
# value CASE VARIANT METRIC: of the run
value() {
    sed -n "s/^null,$1,$2,$3,[^,]*,\([^,]*\),.*/\1/p" R/run.csv
}
[ "$(value rows100_cols50 slower work_read_bytes)" = 40000 ] || fail "work is not computed from the sizes"
[ "$(value cols7_rows10_ns3000 ok work_read_bytes)" = 560 ] || fail "sizes are taken by their place, not by their name"
value cols7_rows10_ns3000 ok time | awk '{ exit !($1 > 2500 && $1 < 3500) }' || fail "a size that is no dimension of a buffer is not taken"
grep -q '^null,rows100_cols50,ok,shape,.*rows=100 cols=50 ns=15000' R/run.csv || fail "what was left out is not filled in by the family"
grep -qx 'sizes.null.rows100_cols50,rows=100 cols=50' R/env.csv || fail "the run does not have the sizes"

"$solgate" accept R --baselines=accepted >stdout 2>stderr || fail "accept"
run 0 ./s.suite --out=S --seed=$((seed + 1)) --against-accepted --baselines=accepted
"$solgate" compare S --baselines=accepted >stdout 2>stderr || [ $? = 2 ] || fail "compare: $(cat stderr)"
prints "6 of 6 rows paired with the accepted build"
"$solgate" explain R null/rows100_cols50/slower --ncu >stdout 2>stderr || fail "explain --ncu: $(cat stderr)"
prints "null/rows100_cols50:rows=100 cols=50"

# refused_sizes LINE WORDS
refused_sizes() {
    suite "$1"
    told 4 "./s.suite:6: $2" run ./s.suite --out=T
}
refused_sizes 'case = rows=1 col=5' "case: expected sizes of null, which are rows,cols,ns and dtype, found 'col'"
refused_sizes 'case = rows=1 cols=0' "case: cols: expected a whole number from 1 on, found '0'"
refused_sizes 'case = rows=1 rows=2' "case: expected each size once, found rows again"
refused_sizes 'case = rows=100' "case: null rejects these sizes: expected rows and cols of less than 2^31 elements"
refused_sizes 'case = rows=1 cols=1 dtype=f7' "case: dtype: expected a number format such as bf16, found 'f7'"
refused_sizes 'case = rows=1 cols=1 x' "case: expected sizes as NAME=N, found 'x'"
family=demo
suite 'case = n=4096'
told 4 "./s.suite:5: case n4096: family demo makes no cases from sizes; expected one of its cases: " run ./s.suite --out=T

[ "$failures" = 0 ]
