#!/bin/sh
# The states of the L2, from the suite and the command line to the run: what was declared is written
# down and held against the counters, and runs of two states are not compared.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

for l2 in cold clean warm; do
    printf '[suite]\ntitle = t\ntolerance = 5%%\nl2 = %s\nmetrics = dram_read_bytes\nblocks = 4\nlaunches = 1\n[null]\ncase = rows=512 cols=512 ns=400000\nvariant = slower\n' $l2 \
        >"$work/$l2.suite"
    run 0 "$work/$l2.suite" --seed=1 --out="$work/$l2"
    grep -q "^l2,$l2$" "$work/$l2/env.csv" || fail "$l2: env.csv does not say so"
done

# The null family reads every compulsory byte; the size of its L2 is not known, so what
# must have been warm is not judged.
for l2 in cold clean; do
    grep -q '^null,rows512_cols512_ns400000,ok,l2_state,1,1,,,,ok,,,$' "$work/$l2/run.csv" || fail "$l2: l2_state is not ok: $(grep l2_state "$work/$l2/run.csv")"
done
grep -q l2_state "$work/warm/run.csv" && fail "warm: l2_state was judged: $(grep l2_state "$work/warm/run.csv")"

"$solgate" compare "$work/clean" "$work/clean" >"$work/stdout" 2>"$work/stderr" || fail "a clean run against itself: $?"
for other in cold warm; do
    told 3 "not comparable: l2 is 'clean' in the run, '$other' in the accepted numbers" compare "$work/clean" "$work/$other"
done

# Accepted numbers are of one state: rows that a run lacks stay in their file, whose
# env.csv says what all of them are.
"$solgate" accept "$work/cold" --out="$work/accepted.csv" >"$work/stdout" 2>"$work/stderr" || fail "accept: $?"
cp -R "$work/clean" "$work/changed" # the same suite, but for its state
sed -i '/^digest/d; s/^suite,clean$/suite,cold/' "$work/changed/env.csv"
told 3 "not comparable: l2 is 'clean' in the run, 'cold' in the accepted numbers" accept "$work/changed" --out="$work/accepted.csv"
grep -q ',,,,l2,,,,,,,cold,' "$work/accepted.csv" || fail "the accepted numbers are called what they are not"

sed -i 's/^state,finished$/state,running/' "$work/clean/env.csv"
sed -i 's/^l2 = clean$/l2 = cold/' "$work/clean.suite"
run 3 "$work/clean.suite" --seed=1 --out="$work/clean" --resume
says 'this run was started with l2 "clean", found "cold"'

# A gate: the same words, and the command that would be typed again keeps them.
"$solgate" ab null/ok null/ok --case=tiny --seed=1 --l2=clean --out="$work/gate" >"$work/stdout" 2>"$work/stderr" || fail "a gate of a clean L2: $?"
grep -q '^l2,clean$' "$work/gate/env.csv" || fail "the gate's env.csv does not say that the L2 is clean"
grep -q '^command,ab null/ok null/ok .* --l2=clean ' "$work/gate/env.csv" || fail "the gate's command loses the state of the L2"
told 4 '--sustained launches back to back, so the L2 is warm: --sustained cannot be combined with --l2=clean' ab null/ok null/ok --sustained --l2=clean
[ "$failures" = 0 ]
