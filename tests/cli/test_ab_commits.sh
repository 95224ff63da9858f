#!/bin/sh
# scripts/ab_commits.sh on the null family: two commits of a copy of this tree are built and gated,
# and nothing stays behind. solgate bisect builds them too.
# Not under sanitizers: gates are run by the same code as in test_ab.sh, behind builds.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

git -C "$tree" rev-parse --verify --quiet HEAD >"$work/head" 2>/dev/null || {
    echo "skipped: this tree is no git repository, so there are no commits to build"
    exit 77
}
git clone --quiet --no-hardlinks "$tree" "$work/tree"
# What is tested is this tree as it stands, committed or not.
for part in CMakeLists.txt cmake kernels harness metrics reports scripts tests; do
    rm -rf "${work:?}/tree/$part"
    cp -R "$tree/$part" "$work/tree/$part"
done
save()
{
    git -C "$work/tree" add -A
    git -C "$work/tree" -c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m "$1"
}
save "as it stands"
sed -i 's/= 1.02}/= 1.06}/' "$work/tree/kernels/null/family.c"
save "slower by 4 % more"
sed -i 's/^ \*\/$/ * A comment.\n *\//' "$work/tree/kernels/null/faster.c"
mkdir "$work/tree/kernels/null/tools"
echo 'echo studied' >"$work/tree/kernels/null/tools/study.sh"
echo 'What was tried.' >"$work/tree/kernels/null/notes.md"
save "a comment, notes and a tool"

# gate EXIT_STATUS ARGUMENTS...
gate()
{
    wanted=$1
    shift
    code=0
    SOLGATE_BIN=$(dirname "$solgate") timeout 300 sh "$work/tree/scripts/ab_commits.sh" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: ab_commits.sh $*"
    [ ! -e "$work/tree/.git/worktrees" ] || fail "the repository is written to: ab_commits.sh $*"
}

gate 1 HEAD~2 HEAD~1 null --variant=slower --variant=ok --case=tiny --out="$work/kept"
grep -q '^1 regressed, against .*/base/libsg_null.so:null/slower; simulated' "$work/stdout" || fail "4 % between two commits are not found"
grep -q '^1 within, against .*/base/libsg_null.so:null/ok; simulated' "$work/stdout" || fail "a variant that stayed is not within"
grep -q '^null,tiny,slower,time_ratio,1,1.0[34].*,against slower_base,' "$work/kept/slower/run.csv" || fail "--out keeps no run"

timeout 300 "$solgate" bisect HEAD~2 HEAD~1 null/tiny/slower --repo="$work/tree" --out="$work/bisect" >"$work/stdout" 2>"$work/stderr" ||
    fail "solgate bisect of this tree fails"
prints "slower by 4 % more against its parent: +3.9 %"

gate 0 HEAD~1 HEAD null --case=tiny
[ "$(grep -c ', against ' "$work/stdout")" = 1 ] || fail "more was gated than the one variant whose file differs"
says "null/faster against null/faster of before"
gate 0 HEAD HEAD null
says "no kernel of null that should be right differs"
gate 4 HEAD nowhere null
says "no such commit: nowhere"
gate 4 HEAD HEAD nobody
says "no family nobody"
gate 4 HEAD HEAD
says "expected BASE HEAD FAMILY"
echo 'not C' >>"$work/tree/kernels/null/ok.c"
save "does not compile"
gate 3 HEAD~1 HEAD null
says "this commit does not build"

[ "$failures" = 0 ]
