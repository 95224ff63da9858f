#!/bin/sh
# `solgate ab --sustained`: segments of launches on end instead of
# batches, and all else as in any gate.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# ab EXIT_STATUS CANDIDATE OUT OPTIONS...: a gate of null/ok and the candidate in $work/OUT
ab() {
    wanted=$1 candidate=$2 out=$3
    shift 3
    code=0
    timeout 300 "$solgate" ab null/ok "null/$candidate" --case=tiny --seed=1 --out="$work/$out" "$@" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: $candidate $*"
}

ab 1 slower whole --sustained
prints '1 regressed, against null/ok'
prints 'slower than ok'
prints '(tolerance 0.5 %)'
prints '); sustained: interleaved segments of 2 s'
grep -q '^l2,warm$' "$work/whole/env.csv" || fail "env.csv does not say that the L2 is warm"
grep -q '^sustained,yes$' "$work/whole/env.csv" || fail "env.csv does not say that batches are segments"
[ "$(sed 1d "$work/whole/samples.csv" | cut -d, -f3-6 | sort -u | wc -l)" = 80 ] || fail "5 processes, 2 pairs, 2 blocks of 4 segments are not 80 samples"
[ "$(sed 1d "$work/whole/samples.csv" | cut -d, -f5 | sort -u | tr '\n' ' ')" = '0 1 ' ] || fail "not two blocks"
ab 4 slower cold --sustained --l2=cold
says '--sustained launches back to back, so the L2 is warm: --sustained cannot be combined with --l2=cold'
ab 4 slower both --sustained --energy
says 'give one of them'
ab 0 ok same --sustained
prints '1 identical, against null/ok'
ab 1 slower turns
grep -q 'sustained' "$work/stdout" && fail "batches in turns are called sustained"

ab 3 slower whole --resume
says 'this run was started with l2'
sed -i 's/^state,finished$/state,running/' "$work/turns/env.csv"
ab 3 slower turns --sustained --resume
says 'this run was started with l2 "cold", found "warm"'

cp -R "$work/whole" "$work/part"
forget "$work/part" '^process,4,[0-9]*,[^,]*,2'
ab 1 slower part --sustained --resume
same "$work/whole" "$work/part" "without its last process"

# --energy: 5 of 5 rows with 6 % more are found with each of two seeds; of 20 pairs of the same code
# at least 19 have no change within their interval, and none is called a change.
energies() { # EXIT_STATUS CANDIDATE SEED: the rows of the candidate in $work/CANDIDATE.SEED
    code=0
    "$solgate" ab null/ok "null/$2" --energy --seed="$3" --out="$work/$2.$3" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$1" ] || fail "energy: exit status $code instead of $1: $2, seed $3"
    grep ",$2,energy_ratio," "$work/$2.$3/run.csv" >>"$work/$2.energies"
}
for of in 1 2; do energies 1 slower "$of"; done
prints '5 rows: 5 regressed'
prints 'more energy than ok (tolerance 3 %)'
awk -F, '$6 > 1.05 && $6 < 1.07 { right++ } END { exit right != 10 }' "$work/slower.energies" || fail "6 % more: $(cat "$work/slower.energies")"
for of in 1 2 3 4; do energies 0 ok "$of"; done
awk -F, '$7 <= 1 && 1 <= $8 { even++ } END { exit !(NR == 20 && even >= 19) }' "$work/ok.energies" || fail "the same code: $(cat "$work/ok.energies")"
sed 1q "$work/ok.1/samples.csv" | grep -q ',spikes,energy$' || fail "no energies in samples.csv"
cp -R "$work/slower.1" "$work/continued"
forget "$work/continued" '^process,9,[0-9]*,[^,]*,2'
code=0
"$solgate" ab null/ok null/slower --energy --seed=1 --out="$work/continued" --resume >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 1 ] || fail "a resumed gate of energy ends with $code"
same "$work/slower.1" "$work/continued" "energy without its last process"

# Without a measurement, a row has the reason.
run 0 demo --case=n4k --energy --out="$work/none"
grep -q ",grid_stride,energy,J,,,,,unavailable,NVML's energy counter changed " "$work/none/run.csv" || fail "no reason: $(grep energy "$work/none/run.csv")"
code=0
"$solgate" ab demo/grid_stride demo/vec4 --energy --out="$work/unknown" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 3 ] || fail "a gate without energies ends with $code"
prints "NVML's energy counter changed for less than 0.25 s of a 1 s segment"

# Accepted numbers have the row, with the tolerance of energies.
printf '[suite]\ntitle = t\nenergy = yes\n[null]\ncase = tiny\nvariant = slower\n' >"$work/one.suite"
for of in 1 2; do run 0 "$work/one.suite" --seed="$of" --out="$work/one$of"; done
export SOLGATE_BASELINES="$work/baselines"
"$solgate" accept "$work/one1" >"$work/stdout" 2>"$work/stderr" || fail "accept"
"$solgate" compare "$work/one2" >"$work/stdout" 2>"$work/stderr" || fail "the same energy fails"
grep -q ',tiny,ok,energy,.*,no,' "$work/baselines/one.csv" || fail "an absolute energy gates: $(grep energy "$work/baselines/one.csv")"
sed -i '/^energy/d' "$work/one.suite"
run 0 "$work/one.suite" --out="$work/plain"
"$solgate" compare "$work/plain" >"$work/stdout" 2>"$work/stderr" || [ $? = 3 ] && prints 'measure it with --energy'
sed -i 's/\(,slower,energy_ratio,1,\)[^,]*,[^,]*,[^,]*/\11.02,1.019,1.021/' "$work/baselines/one.csv"
"$solgate" accepted seal "$work/baselines/one.csv" --reason="2 %, not 6 %" >"$work/stdout" 2>&1 || fail "seal"
code=0
"$solgate" compare "$work/one2" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 1 ] && prints '1 regressed' && prints 'energy_ratio'
[ "$failures" = 0 ]
