#!/bin/sh
# test_former_names.sh BIN - files and command lines with names that variants and suites had before:
# they mean what they meant, and a line on stderr has the name of today.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
run=$tree/tests/data/h200/group_gemm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# told EXIT WORDS ARGUMENT...: solgate with these arguments, its exit code and words of its stderr
told() {
    wanted=$1
    words=$2
    shift 2
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "$*: exit $code, expected $wanted: $(cat "$work/stderr")"
    [ "$(grep -cF "$words" "$work/stderr")" = 1 ] || fail "$*: expected once on stderr '$words', found: $(cat "$work/stderr")"
}

SOLGATE_HOME=$work/home
export SOLGATE_HOME
mkdir -p "$SOLGATE_HOME/baselines/h200"
for part in metrics reports kernels; do
    ln -s "$tree/$part" "$SOLGATE_HOME/$part"
done

# A run and its accepted numbers, as they were called.
mkdir "$work/run"
sed 's/,per_cta_tensormaps_rebuilt,/,seed_percta,/' "$run/run.csv" >"$work/run/run.csv"
grep -v '^digest' "$run/env.csv" >"$work/run/env.csv"
for file in grouped.csv grouped.env.csv; do
    cp "$tree/baselines/h200/$file" "$SOLGATE_HOME/baselines/h200/"
done
code=0
"$solgate" compare "$run" --format=csv >"$work/now" 2>"$work/stderr" || code=$?
told "$code" "the variant group_gemm/seed_percta is called per_cta_tensormaps_rebuilt now" compare "$work/run" --format=csv
cmp -s "$work/now" "$work/stdout" || fail "another verdict under the former name"
grep -q ',per_cta_tensormaps_rebuilt,.*,unresolved,' "$work/now" || fail "nothing is said of the variant"

# Numbers that were accepted under the suite's former name, for a run of either name.
for file in csv env.csv; do
    sed 's/,per_cta_tensormaps_rebuilt,/,seed_percta,/; s/^suite,.*/suite,percta/' "$tree/baselines/h200/per_cta_tensormaps.$file" \
        >"$SOLGATE_HOME/baselines/h200/percta.$file"
done
told 0 "the suite percta is called per_cta_tensormaps now" baseline seal h200/percta --reason=names
as_today=0
"$solgate" compare "$run" "$tree/baselines/h200/per_cta_tensormaps.csv" >/dev/null 2>&1 || as_today=$?
for name in percta per_cta_tensormaps; do
    sed "s/^suite,.*/suite,$name/" "$work/run/env.csv" >"$work/env"
    cp "$work/env" "$work/run/env.csv"
    told "$as_today" "the suite percta is called per_cta_tensormaps now" compare "$work/run"
    tr -s ' \n' ' ' <"$work/stdout" | grep -q 'baselines/h200/percta.csv (accepted' || fail "$name: $(cat "$work/stdout")"
done
told 0 "the suite percta is called per_cta_tensormaps now" baseline show h200/percta
told 0 "the suite percta is called per_cta_tensormaps now" baseline verify h200/percta --max-age=36500d --driver=580.1

[ "$failures" = 0 ]
