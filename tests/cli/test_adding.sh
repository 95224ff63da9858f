#!/bin/sh
# Adding a variant, a metric, a group, a GPU and a suite as CONTRIBUTING.md says: what each costs in
# files, and that each mistake is told with the place it is at. In a copy of the tree's texts and of
# the null family, so that it needs neither CUDA nor a new solgate.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

home=$work/home
export SOLGATE_HOME="$home"
mkdir -p "$home/reports" "$home/kernels"
cp -R "$tree/metrics" "$tree/cmake" "$home"
cp -R "$tree/kernels/null" "$tree/kernels/suites" "$tree"/kernels/*.h "$home/kernels"
cp -R "$tree/reports/plots" "$home/reports"
cp -R "$home" "$work/before"

# costs WHAT FILES: these files of the copy differ from the tree now, and no
# others; then they are as before again
costs() {
    found=$(diff -rq "$work/before" "$home" | sed "s|.*Only in $home/*||; s|: |/|; s|.* and $home/\(.*\) differ|\1|" | tr '\n' ' ')
    [ "$found" = "$2 " ] || fail "$1 costs $2, found $found"
}

again() {
    rm -rf "$home"
    cp -R "$work/before" "$home"
}

# refused TEXT ARGUMENTS...: exit 4, and stderr says so
refused() {
    text=$1
    shift
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = 4 ] || fail "exit status $code instead of 4: solgate $*"
    says "$text"
}

# A metric: one section, and its name in the group all.
ini=$home/metrics/metrics.ini
end=$(wc -l <"$ini")
section() {
    printf '\n[l2_reads]\nunit    = sector\nbetter  = lower\nclass   = noisy\nfloor   = 1000\ncupti   = lts__t_sectors_op_read.sum\n'
    printf 'meaning = sectors read from L2\n'
}
section >>"$ini"
sed -i 's/^metric = .* cycles .*/& l2_reads/' "$home/metrics/groups/all.group"
costs "a metric" "metrics/groups/all.group metrics/metrics.ini"
"$solgate" list metrics --format=csv | grep -q '^l2_reads,sector,lower,noisy,1000,' || fail "the metric is not listed"
run 0 "$suite" --out="$work/metric" --seed="$seed" --case=tiny --variant=faster --metrics=l2_reads
grep -q '^null,tiny,faster,l2_reads,sector,' "$work/metric/run.csv" || fail "the metric is not in the run"
# sed script, line after the end, what is said
while IFS='|' read -r change line text; do
    again
    section | sed "$change" >>"$ini"
    refused "metrics.ini:$((end + line)): $text" list metrics
done <<'MISTAKES'
s/= sector$/= sectors/|3|[l2_reads] unit: expected one of ns B Hz
s/^meaning/means/|8|[l2_reads]: unknown key 'means'; known: like unit better
s/^cupti.*/derived = sectors_of_l2/|7|[l2_reads] derived: expected the key of a function in metrics/catalogue/
s/l2_reads/registers/|2|expected each section once, found [registers] again
MISTAKES

# A group: one file.
again
group=$home/metrics/groups/mine.group
printf '[group]\ntitle  = Mine?\nmetric = registers\nread   = look\n' >"$group"
costs "a group" metrics/groups/mine.group
"$solgate" list groups | grep -q '^mine ' || fail "the group is not listed"
sed -i 's/registers/registerz/' "$group"
refused "mine.group:3: [group] metric: expected a metric of metrics.ini, found 'registerz'" list groups

# A GPU: one file.
again
gpu=$home/metrics/gpus/mine.gpu
sed 's/^match.*/match = My Card/' "$home/metrics/gpus/h200.gpu" >"$gpu"
costs "a GPU" metrics/gpus/mine.gpu
"$solgate" gap "$tree/tests/data/hand/clean" --gpu-spec=mine | grep -q '1.23x' || fail "the GPU's peaks are not used"
line=$(grep -n '^dram_bytes_per_s' "$gpu" | cut -d: -f1)
sed -i 's/^dram_bytes_per_s.*/dram_bytes_per_s = 4.8 TB/' "$gpu"
refused "mine.gpu:$line: [gpu] dram_bytes_per_s: expected a number that is not negative, found '4.8 TB'" list gpus
refused "expected the key of a GPU, one of" gap "$tree/tests/data/hand/clean" --gpu-spec=yours

# A suite: one file.
again
mine=$home/kernels/suites/mine.suite
sed '/^case.*small/d; /^variant/d' "$suite" >"$mine"
costs "a suite" kernels/suites/mine.suite
sed -i 's/tiny/teeny/' "$mine"
refused "mine.suite:10: expected a case of the family, found teeny; known: tiny" run mine --out="$work/x"
sed -i 's/teeny/tiny/; s/^deadline.*/deadline = 3/' "$mine"
refused "mine.suite:8: [suite] deadline: expected a duration with its unit" run mine --out="$work/x"

# Warnings are errors in every family of the tree.
lax=$(grep -L STRICT "$tree"/kernels/*/CMakeLists.txt) || :
[ -z "$lax" ] || fail "these families are not STRICT: $lax"

# A variant: one file, and the module built anew.
again
sed 's/slower/slowest/g' "$home/kernels/null/slower.c" >"$home/kernels/null/slowest.c"
costs "a variant" kernels/null/slowest.c
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(newcomer LANGUAGES C)
set(SOLGATE_KERNEL_INCLUDE $home/kernels)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY $work/project)
include($home/cmake/SolgateFamily.cmake)
add_subdirectory($home/kernels/null null)
CMAKE
build() {
    cmake -S "$work/project" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug >"$work/stdout" 2>&1 && cmake --build "$work/build" -j2 >>"$work/stdout" 2>&1
}
build || fail "the family with one more variant does not build"
"$solgate" list variants --module="$work/project/libsg_null.so" | grep -q '^null  *slowest ' || fail "the variant is not listed"
run 0 "$home/kernels/suites/null.suite" --out="$work/variant" --seed="$seed" --module="$work/project/libsg_null.so" --case=tiny --variant=slowest
grep -q '^null,tiny,slowest,time_ratio,' "$work/variant/run.csv" || fail "the variant is not in a suite that names no variants"
sed -i 's/NULL_RIGHT(slowest/NULL_RIGHT(slower_yet/' "$home/kernels/null/slowest.c"
if build; then
    fail "a variant under another name than its file's must not link"
fi
grep -q 'sg_variant_null_slowest' "$work/stdout" || fail "the linker does not name the symbol that is missing"

[ "$failures" = 0 ]
