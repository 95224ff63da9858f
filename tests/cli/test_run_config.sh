#!/bin/sh
# Knobs that a file sets: used by every pass, in the run's rows, part of what a run is when it is
# taken up again, and refused by line.
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
says 'this run was begun with setting.null.tiny.tuned "depth=3 width=4", and cannot go on with "width=8 depth=3"'
echo '[null/tuned]' >"$work/none.config"
run 3 "$work/knobs.suite" --out="$work/good" --resume --config="$work/none.config"
says 'this run was begun with settings "1", and cannot go on with "0"'
run 0 "$work/knobs.suite" --out="$work/good" --resume

# compare sees it.
printf '%s\n' '[null/tuned]' 'tiny = width=4 depth=4' >"$work/other.config"
run 0 "$work/knobs.suite" --out="$work/other" --seed="$seed" --config="$work/other.config"
"$solgate" compare "$work/other" "$work/good" >"$work/stdout" 2>"$work/stderr" || true
prints 'set otherwise: depth 3 -> 4'

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
[ "$failures" = 0 ]
