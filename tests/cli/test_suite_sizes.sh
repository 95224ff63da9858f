#!/bin/sh
# A suite may give the sizes of a case, which the family then has as any other: it is run, accepted,
# compared, resumed and sampled by its name. What the family refuses is said with the suite's line.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
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

"$solgate" baseline accept R --baselines=accepted >stdout 2>stderr || fail "accept"
run 0 ./s.suite --out=S --seed=$((seed + 1)) --against-accepted --baselines=accepted
"$solgate" compare S --baselines=accepted >stdout 2>stderr || [ $? = 2 ] || fail "compare: $(cat stderr)"
prints "6 of 6 rows paired with the accepted build"
"$solgate" explain R null/rows100_cols50/slower --ncu >stdout 2>stderr || fail "explain --ncu: $(cat stderr)"
prints "null/rows100_cols50:rows=100 cols=50"

# refused LINE WORDS
refused() {
    suite "$1"
    told 4 "./s.suite:6: $2" run ./s.suite --out=T
}
refused 'case = rows=1 col=5' "case: expected sizes of null, which are rows,cols,ns and dtype, found 'col'"
refused 'case = rows=1 cols=0' "case: cols: expected a whole number from 1 on, found '0'"
refused 'case = rows=1 rows=2' "case: expected each size once, found rows again"
refused 'case = rows=100' "case: null refuses it: expected rows and cols of less than 2^31 elements"
refused 'case = rows=1 cols=1 dtype=f7' "case: dtype: expected a number format such as bf16, found 'f7'"
refused 'case = rows=1 cols=1 x' "case: expected sizes as NAME=N, found 'x'"
family=demo
suite 'case = n=4096'
told 4 "./s.suite:5: the family takes no sizes of a suite, found the case n4096; known: " run ./s.suite --out=T

[ "$failures" = 0 ]
