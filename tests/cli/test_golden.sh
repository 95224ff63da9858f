#!/bin/sh
# test_golden.sh BIN [--update] - what each command prints and writes, byte for byte, is what
# tests/data/golden holds. --update writes that anew.
#
# Each row of the tables at the end is the name of a file there, and a command. The file has what
# the command prints, what it says on stderr, and its exit code. The commands run in a folder of
# their own, in the order of their table, and a later one may read what an earlier one wrote. There
# `home` is this tree with a copy of its baselines, `data` is tests/data, and the kernel modules are
# those of the null family alone. So nothing depends on the machine, on the build or on where the
# tree is.
set -eu
export LC_ALL=C TZ=UTC
# A worker that dies of a signal must die of it under the sanitizers too.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0"

build=$(cd "$1" && pwd)
tests=$(cd "$(dirname "$0")/.." && pwd)
golden=$tests/data/golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/new" "$work/bin" "$work/tools" "$work/place" "$work/place/home"

cp "$build/solgate" "$build/solgate-worker" "$build"/libsg_null*.so "$work/bin"
for part in "$tests"/../*; do
  case ${part##*/} in
    baselines | build* | out*) ;;
    *) ln -s "$part" "$work/place/home" ;;
  esac
done
cp -R "$tests/../baselines" "$work/place/home"
ln -s "$tests/data" "$work/place/data"
export SOLGATE_HOME=home SOLGATE_BUILDS=builds

# Stands in for gnuplot, whose drawings differ between versions: keeps what it is asked to draw.
cat >"$work/tools/gnuplot" <<'GNUPLOT'
#!/bin/sh
[ "${3##*/}" != letters.gp ] || { echo i >iii && echo W >WWW && exit; }
shift 3
printf '%s\n' "$@" >>"${DRAWN:-/dev/null}"
echo drawing >"$2"
GNUPLOT
chmod +x "$work/tools/gnuplot"
PATH=$work/tools:$work/bin:$PATH

# For the tables.
# shellcheck disable=SC2034
numbers=data/hand/baselines/hand.csv red_numbers=data/hand_report/baseline.csv

# filter NAME: takes out what differs from day to day and from build to build. Of runs made here
# those are dates, the commit and digests of the programs; those of recorded runs stay.
filter() {
  case $1 in
    version) sed 's/^\(solgate [0-9.]*\).*/\1 COMMIT/' ;;
    run* | ab* | sweep*)
      sed -e 's/20[0-9][0-9]-[0-1][0-9]-[0-3][0-9]\(T[0-9:]*Z\)\{0,1\}/DATE/g' -e 's/^\(commit\|commit\.[a-z_]*\|[a-z]*_commit\),.*/\1,COMMIT/' \
        -e 's/^\(code\.[a-z_]*\|[a-z]*_code\|digest\),[0-9a-f]*$/\1,DIGEST/' \
        -e 's/\(build\|rebuild`*\|ok,code\) [0-9a-f]\{16\}/\1 DIGEST/g' -e 's/^  [0-9a-f]\{16\}/  DIGEST/' -e 's/20[0-9]\{6\}T[0-9]*Z\(-[0-9]*\)\{0,1\}/DATE/g' \
        -e 's/\( at \|accepted (\)[0-9a-f]\{7,12\}\(-dirty\)\{0,1\}/\1COMMIT/g'
      ;;
    baseline_verify_old) sed 's/its age is [0-9]* days/its age is N days/' ;;
    *) cat ;;
  esac | sed -e "s|$work|WORK|g" -e '/^[a-z]* [0-9]*\/[0-9]*\(, about .* left\)\{0,1\}$/d'
}

# row NAME COMMAND: runs it, and keeps all of what it does as NAME
row() {
  code=0
  (cd "$work/place" && eval "$2") >"$work/$1.stdout" 2>"$work/$1.stderr" </dev/null || code=$?
  {
    cat "$work/$1.stdout"
    [ ! -s "$work/$1.stderr" ] || { echo '-- stderr' && cat "$work/$1.stderr"; }
    echo "exit $code"
  } | filter "$1" >"$work/new/$1"
}

# rows: each of the table on its standard input; one that ends in a
# backslash goes on in the next line
rows() {
  sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}' | while IFS='|' read -r name command; do
    case $name in
      '' | '#'*) continue ;;
    esac
    name=${name%% *}
    [ ! -e "$work/new/$name" ] || { echo "two rows are called $name" && return 1; }
    row "$name" "$command"
  done
}

# edited RUN FROM SCRIPT: RUN is FROM with its run.csv edited, and must differ from it
edited() {
  cp -R "$2" "$1"
  sed "$3" "$2/run.csv" >"$1/run.csv"
  ! cmp -s "$1/run.csv" "$2/run.csv"
}

# says COMMAND...: what it prints, what it says on stderr, and its exit code; for rows of several
says() {
  code=0
  "$@" >says.stdout 2>says.stderr </dev/null || code=$?
  cat says.stdout says.stderr
  echo "exit $code"
}

# each_refused FILE: each line of it is arguments of solgate
each_refused() {
  while read -r line; do
    printf '%s\n' "$ solgate $line"
    eval "says solgate $line"
  done <"$1"
}

# each_night FILE: each line of it is a file of the run written by hand, or the word accepted, and a
# script of sed that changes that file or the accepted numbers. What compare says then.
each_night() {
  while read -r changed script; do
    rm -rf night night.csv
    cp -R data/hand/clean night
    cp data/hand/baselines/hand.csv night.csv
    case $changed in
      accepted) file=night.csv ;;
      *) file=night/$changed ;;
    esac
    printf '%s\n' "$ sed '$script' $changed"
    sed "$script" "$file" >night.new
    ! cmp -s night.new "$file" || echo "changes nothing"
    cp night.new "$file"
    [ "$changed" != accepted ] || solgate accepted seal night.csv --reason=edited
    says solgate compare night night.csv
  done <"$1"
}

cat >"$work/place/small.suite" <<'SUITE'
[suite]
title     = a small one
tolerance = 0.5%
metrics   = quick
processes = 5
blocks    = 4
launches  = 2

[null]
case      = tiny
case      = ragged
variant   = slower
variant   = faster
variant   = wrong
variant   = crash
variant   = crashes_when_timed
SUITE
cat >"$work/place/refused" <<'COMMANDS'
list families cases
list metrics --module=libsg_null.so
run
run small.suite more
run small.suite --jobs=17
run small.suite --seed=-1
run small.suite --resume
run small.suite --family=other --out=none
run small.suite --case=other --out=none
run small.suite --metrics=other --out=none
run small.suite --config=none --out=none
run small.suite --module=none.so --out=none
run small.suite --sweep=null/other --out=none
run small.suite --sweep=null/slower --out=none
ab null/ok
ab null/ok null/slower null/faster
ab nothing null/slower
ab null/ok null/slower --tolerance=1
ab null/ok null/slower --l2=hot
ab null/ok null/slower --inconclusive=maybe
ab null/ok null/slower --case=other --out=none
ab null/ok null/slower --config=none --out=none
ab null/ok null/slower --resume
ab null/ok null/slower --sustained --l2=cold
compare a b c
compare data/hand/clean --explain --format=csv
gap
gap data/hand/clean data/hand/clean
gap data/hand/clean --format=junit
sol gemm m=a n=1 k=1 --gpu-spec=h200
sol gemm m=1,2 n=1,2,3 k=1 --gpu-spec=h200
sol gemm m=64 n=64 k=64 --dtype=e2m1 --gpu-spec=h200
sol gemm m=64 n=64 k=64 --dtype=f33
sol gemm m=64 n=64 k=64 --time=5
sol gemm m=64 n=64 k=64 more
sol norm rows=3 cols=4 --gpu-spec=h200
explain data/hand/clean hand/large base
explain data/hand/clean hand/large
explain data/hand/clean hand/large base tiled --limits
explain data/hand/clean hand/large/nobody --against=data/hand/clean
explain data/hand/clean large base tiled
explain data/hand/clean other/large base tiled
explain data/hand/clean hand/other base tiled
report data/hand/clean data/none --out=none --tables-only
report data/hand/clean --gpu-spec=other --out=none --tables-only
accepted
accepted show a b
accepted show h200/none
accept
accept data/hand/clean --until=2999-12-31
accept data/hand/clean --waive=hand/large/zeros
accept data/hand/clean --waive=zeros --reason=any
accept data/hand/clean --waive=hand/large/none --reason=any --out=none.csv
accept data/hand/clean --until=tomorrow
accept data/hand/clean --unit --out=none.csv
accept data/hand/clean --unit
accept data/hand/clean data/hand/clean --out=none.csv
accept data/h200/clean data/hand/clean --out=none.csv --reason=any
accepted verify a b
accepted verify --max-age=90
accepted verify none
accepted seal
accepted seal none.csv
doctor --gpu=none
COMMANDS
cat >"$work/place/nights" <<'EDITS'
run.csv /large,tiled,time,/s/,108000,[^,]*,[^,]*/,50000,49900,50100/
run.csv /large,base,time,/s/,120000,[^,]*,[^,]*/,50000,49900,50100/
run.csv /large,tiled,dram_bytes,/s/480000000/4800/
run.csv /large,tiled,time_ratio,/s/,base$/,wide/
run.csv /large,reverted,time_ratio,/s/1.2,[^,]*,[^,]*/1,0.999,1.001/
run.csv /large,tiled,time_ratio,/s/0.9,[^,]*,[^,]*/0.85,0.849,0.851/
run.csv /large,tiled,time_ratio,/s/0.9,[^,]*,[^,]*/0.93,0.929,0.931/
run.csv /large,tiled,time_ratio,/s/0.9,[^,]*,[^,]*/0.95,0.89,0.91/
run.csv /large,tiled,time_ratio,/s/0.9,[^,]*,[^,]*,5/0.9,0.898,0.902,4/
run.csv /large,tiled,time_ratio,/s/0.9,[^,]*,[^,]*/nan,,/
run.csv /large,tiled,time_ratio,/d
run.csv /large,tiled,status,/d
run.csv /large,tiled,status,/s/ok,$/unavailable,nobody knows/
run.csv /large,tiled,status,/s/ok,$/skipped,nobody asked/
run.csv /large,tiled,status,/s/ok,$/hang,no message for 20 s: killed/
run.csv /large,refuses,status,/s/unsupported,.*/ok,/
run.csv /large,zeros,status,/s/wrong,.*/ok,/
run.csv /large,zeros,status,/s/wrong,.*/crash,killed by SIGSEGV/
run.csv /large,tiled,role,/s/candidate/vendor/
run.csv /large,base,time,/s/120000,[^,]*,[^,]*/125000,124300,125700/
run.csv /large,base,sm_clock,/s/1.755e/1.500e/
run.csv /large,tiled,registers,/s/,64,/,80,/
run.csv /large,tiled,registers,/s/register,64,,,3,ok,/register,,,,1,unavailable,no permission/
run.csv /large,tiled,registers,/s/64,,,3,ok,/64,60,70,3,ok,does not repeat: 60 64 70/
run.csv /large,tiled,work_flop/s/235000000/470000000/
run.csv /large,tiled,work_read/s/470000000/47000000000/
run.csv $s/.*/&\nhand,small,more,role,,,,,,ok,candidate\nhand,small,more,status,,,,,,ok,/
run.csv $s/.*/&\nhand,large,tiled,l2_state,1,0.01,,,,wrong,DRAM was not read/
run.csv 2,$d
env.csv s/^gpu,.*/gpu,unknown/
env.csv s/^l2,.*/l2,warm/
env.csv s/^driver,.*/driver,590.10/
env.csv s/^schema,.*/schema,3/
env.csv s/^time_source,.*/time_source,quoted/
env.csv $s/.*/&\nneighbours,2 other processes computed on this GPU/
env.csv $s/.*/&\nunfit,process 3: hw_thermal/
accepted /large,tiled,time_ratio,/s/,yes,/,no,/
accepted /large,tiled,time_ratio,/s/0.005,yes/,yes/
accepted /large,tiled,time_ratio,/s/0.005,yes/0.2,yes/
accepted /large,tiled,registers,/s/,no,/,yes,/
accepted /large,tiled,time,/s/,no,/,yes,/
accepted /large,tiled,time_ratio,/s/,5,ok/,4,ok/
accepted /large,tiled,time_ratio,/d
accepted /large,tiled,/d
accepted /large,tiled,time_ratio/s/$/\nh200,hand,large,tiled,waiver,,,,,,wrong,2024-01-01,,no,,,,,,known,,,/
EDITS
cat >"$work/place/knobs.suite" <<'SUITE'
[suite]
title     = knobs
processes = auto
deadline  = 5s

[null]
case      = tiny
variant   = tuned
SUITE

# Three tables at the same time, because the sweep waits for a variant that hangs. No row reads what
# a row of another table wrote.
rows <<'TABLE' &
# ---- a sweep, on the simulated GPU
sweep                   | solgate run knobs.suite --sweep=null/tuned --out=S --seed=11 --jobs=1
sweep.config            | cat S/null.config
sweep_env.csv           | cat S/null/tuned/confirm/env.csv
sweep_configured        | solgate run knobs.suite --config=S/null.config --out=C --seed=11
TABLE
swept=$!

rows <<'TABLE' &
# ---- run, on the simulated GPU
run                     | solgate run small.suite --out=R --jobs=1
run.csv                 | cat R/run.csv
run_env.csv             | cat R/env.csv
run_samples.csv         | head -n 9 R/samples.csv
run_processes.csv       | cat R/processes.csv
run_again               | solgate run small.suite --out=R
run_resumed             | solgate run small.suite --out=R --resume
run_other_seed          | solgate run small.suite --out=R --resume --seed=7
run_chosen              | solgate run small.suite --out=R2 --case=tiny --variant=slower --jobs=1 --seed=2
run_accepted            | mkdir kept && solgate accept R --out=kept/small.csv
run_compare             | solgate compare R kept/small.csv
run_compare_part        | solgate compare R2 kept/small.csv
run_compare_part_verbose | solgate compare R2 kept/small.csv --verbose
run_compare_none        | solgate compare R
run_gap                 | solgate gap R
run_report              | solgate report R --baseline=kept/small.csv --out=R/report --tables-only && cat R/report/report.md
run_unmeasured          | solgate run null --case=tiny --variant=unavailable --variant=launch_failed --variant=nan \
                          --variant=nondeterministic --out=R3 --jobs=1
run_unmeasured.csv      | cat R3/run.csv

run_neighbours          | SOLGATE_NULL_TROUBLE='*:mps' solgate run small.suite --out=R4 --case=tiny --variant=slower --jobs=1 --seed=3
run_neighbours_compare  | solgate compare R4 kept/small.csv
run_dropped             | SOLGATE_NULL_TROUBLE='2.0:hw_thermal 4:slow' solgate run small.suite --out=R5 --case=tiny \
                          --variant=slower --jobs=1
run_not_as_declared     | SG_NULL_FAULT='faster=crash@count,slower=wrong@verify' solgate run small.suite --case=tiny \
                          --variant=faster --variant=slower --out=R6 --jobs=1

# ---- a run against accepted builds: of the same kernels in another file, and without the store
run_paired              | solgate accept R --baselines=paired_numbers --builds=paired_builds >paired.accepted && cp ../bin/libsg_null.so other.so && \
                          sed -i "s/the sum may cancel/the sum can cancel/" other.so && solgate run small.suite --module=other.so --against-accepted \
                          --baselines=paired_numbers --builds=paired_builds --out=R7 --jobs=1
run_paired.csv          | grep ,build_ratio, R7/run.csv
run_paired_compare      | solgate compare R7 --baselines=paired_numbers --verbose
run_paired_compare.csv  | solgate compare R7 --baselines=paired_numbers --format=csv
run_paired_junit        | solgate compare R7 --baselines=paired_numbers --format=junit
run_paired_markdown     | solgate compare R7 --baselines=paired_numbers --format=markdown
run_paired_report       | solgate report R7 --baselines=paired_numbers --out=R7/report --tables-only && cat R7/report/report.md
run_night               | solgate nightly small.suite --baselines=paired_numbers --builds=paired_builds --out=N --history=H 2>no | head -n 3
run_night_red           | SG_NULL_FAULT='faster=wrong@verify' solgate nightly small.suite --baselines=paired_numbers \
                          --builds=paired_builds --out=N2 --history=H2 2>no | head -n 3
run_paired_lost         | solgate run small.suite --against-accepted --baselines=paired_numbers --builds=none --out=R8 --jobs=1
run_paired_lost_compare | solgate compare R8 --baselines=paired_numbers

# ---- ab and aa, on the simulated GPU
ab_red.text             | solgate ab null/ok null/slower --case=tiny --out=A.text
ab_red.csv              | solgate ab null/ok null/slower --case=tiny --out=A.text --resume --format=csv
ab_red.markdown         | solgate ab null/ok null/slower --case=tiny --out=A.text --resume --format=markdown
ab_red.junit            | solgate ab null/ok null/slower --case=tiny --out=A.text --resume --format=junit
ab_green.text           | solgate ab null/ok null/slower_slightly --case=tiny --out=G.text
ab_green.csv            | solgate ab null/ok null/slower_slightly --case=tiny --out=G.text --resume --format=csv
ab_green.markdown       | solgate ab null/ok null/slower_slightly --case=tiny --out=G.text --resume --format=markdown
ab_green.junit          | solgate ab null/ok null/slower_slightly --case=tiny --out=G.text --resume --format=junit
ab_faster               | solgate ab null/ok null/faster --case=tiny --case=ragged --seed=2 --out=A.faster
ab_identical            | solgate ab null/ok null/ok --case=tiny --out=A.same
ab_undecided            | solgate ab null/ok null/slower_slightly --case=tiny --tolerance=0.2% --out=A.undecided
ab_wrong                | solgate ab null/ok null/wrong --case=tiny --out=A.wrong
ab_crash                | solgate ab null/ok null/crashes_when_timed --case=tiny --out=A.crash
ab_unsupported          | solgate ab null/ok null/unsupported --case=tiny --out=A.unsupported
ab_neighbours           | SOLGATE_NULL_TROUBLE='*:mps' solgate ab null/ok null/slower --case=tiny --out=A.mps
ab_dropped              | SOLGATE_NULL_TROUBLE='2.0:hw_thermal' solgate ab null/ok null/slower --case=tiny --out=A.dropped
ab_sustained            | solgate ab null/ok null/slower --case=tiny --sustained --out=A.sustained
ab_env.csv              | cat A.text/env.csv
ab_run.csv              | cat A.text/run.csv
ab_aa.csv               | cat A.text/aa.csv
ab_resumed              | solgate ab null/ok null/slower --case=tiny --out=A.text --resume
TABLE
simulated=$!

# The help of each command.
sed -n 's/^    X(\([a-z_]*\), ".*/help_\1 | solgate \1 -h/p' "$tests/../harness/cli/command.h" | rows

rows <<'TABLE'
# ---- help, and what is refused
version                 | solgate --version
help                    | solgate -h
help_baseline_show      | solgate accepted show -h
help_baseline_accept    | solgate accept -h
help_baseline_verify    | solgate accepted verify -h
help_baseline_seal      | solgate accepted seal -h
help_worker             | solgate-worker -h
refuse_each             | each_refused refused
refuse_nothing          | solgate
refuse_command          | solgate no_such_command
refuse_option           | solgate compare --no-such-option
refuse_format           | solgate compare data/hand/clean --format=xml
refuse_choice           | solgate compare data/hand/clean --inconclusive=maybe
refuse_no_run           | solgate compare
refuse_folder           | solgate compare home
refuse_list             | solgate list metric
refuse_suite            | solgate run no_such_suite --out=none
refuse_variant          | solgate run small.suite --variant=no_such --out=none
refuse_ab               | solgate ab null/ok null/no_such --out=none
refuse_ab_family        | solgate ab null/ok other/ok --out=none
refuse_gap              | solgate gap data/hand/clean --gpu-spec=no_such
refuse_sol              | solgate sol gemm m=64 n=64
refuse_explain          | solgate explain data/hand/clean hand/large base nobody
refuse_report           | solgate report
refuse_report_baseline  | solgate report data/hand/clean --baseline=none.csv --out=none --tables-only
refuse_show             | solgate accepted show none.csv

# ---- list
list_families.text      | solgate list families
list_families.csv       | solgate list families --format=csv
list_cases.text         | solgate list cases
list_cases.csv          | solgate list cases --format=csv
list_variants.text      | solgate list variants
list_variants.csv       | solgate list variants --format=csv
list_knobs.text         | solgate list knobs
list_knobs.csv          | solgate list knobs --format=csv
list_items              | solgate list variants 'null/*slow*'
list_metrics.text       | solgate list metrics
list_metrics.csv        | solgate list metrics --format=csv
list_groups.text        | solgate list groups
list_groups.csv         | solgate list groups --format=csv
list_gpus.text          | solgate list gpus
list_gpus.csv           | solgate list gpus --format=csv
list_suites.text        | solgate list suites
list_suites.csv         | solgate list suites --format=csv

# ---- compare: a red night and a green one in each format
compare_red.text        | solgate compare data/hand_report/run $red_numbers
compare_red.csv         | solgate compare data/hand_report/run $red_numbers --format=csv
compare_red.markdown    | solgate compare data/hand_report/run $red_numbers --format=markdown
compare_red.junit       | solgate compare data/hand_report/run $red_numbers --format=junit
compare_red.explain     | solgate compare data/hand_report/run $red_numbers --explain
compare_green.text      | solgate compare data/hand/clean $numbers
compare_green.csv       | solgate compare data/hand/clean $numbers --format=csv
compare_green.markdown  | solgate compare data/hand/clean $numbers --format=markdown
compare_green.junit     | solgate compare data/hand/clean $numbers --format=junit
compare_green.explain   | solgate compare data/hand/clean $numbers --explain
compare_green.verbose   | solgate compare data/hand/clean $numbers --verbose
compare_items           | solgate compare data/hand/clean $numbers --case=large --variant='t*' --verbose

# ---- compare: other outcomes
compare_slow            | solgate compare data/h200/slow
compare_slow.markdown   | solgate compare data/h200/slow --format=markdown
compare_slow.explain    | solgate compare data/h200/slow --explain
compare_clean           | solgate compare data/h200/clean
compare_clean.explain   | solgate compare data/h200/clean --explain
compare_group_gemm      | solgate compare data/h200/group_gemm
compare_quoted          | solgate compare data/b200/target_5ab_4c data/b200/greedy
compare_quoted_group    | solgate compare data/b200/grouped_fastest data/b200/grouped_baseline
compare_quoted_acc1     | solgate compare data/b200/grouped_acc1_c1 data/b200/grouped_baseline
compare_mended          | solgate compare data/b200/greedy data/b200/target_5ab_4c
compare_none_accepted   | solgate compare data/hand/clean
compare_other_gpu       | solgate compare data/b200/grouped_fastest $numbers
compare_other_suite     | solgate compare data/h200/clean $numbers
compare_broken          | edited broken data/hand/clean '/,zeros,expect,/d' && solgate compare broken $numbers
compare_noisy           | edited noisy data/hand/clean '/,wide,time_ratio,/s/1,1,[^,]*,[^,]*/1,1,0.98,1.02/' && \
                          solgate compare noisy $numbers
compare_noisy.junit     | solgate compare noisy $numbers --format=junit
compare_noisy_passes    | solgate compare noisy $numbers --inconclusive=pass
compare_missing         | edited missing data/hand/clean '/^hand,small,tiled,/d' && solgate compare missing $numbers
compare_damaged         | edited damaged data/hand/clean '5s/$/,one more/' && solgate compare damaged $numbers
compare_unfinished      | cp -R data/hand/clean half && \
                          sed 's/^state,finished/state,running/' data/hand/clean/env.csv >half/env.csv && solgate compare half $numbers
compare_changed         | edited changed data/hand_series "s/,72,/,73,/" && solgate compare changed data/hand_series
compare_sparse          | solgate compare data/h200/bsr_gemm data/h200/bsr_gemm
compare_nights          | each_night nights

# ---- gap, sol, explain
gap.text                | solgate gap data/hand/clean
gap.csv                 | solgate gap data/hand/clean --format=csv
gap.markdown            | solgate gap data/hand/clean --format=markdown
gap_other_gpu           | solgate gap data/h200/clean --gpu-spec=b200
gap_quoted              | solgate gap data/b200/grouped_fastest
gap_quoted_analysis     | solgate gap data/b200/grouped_gap_analysis --gpu-spec=b200
gap_sparse              | solgate gap data/h200/bsr_gemm
sol.text                | solgate sol gemm m=192,320 n=3072 k=4096 --dtype=e2m1 scale_block=16 --gpu-spec=b200 --time=127us
sol.csv                 | solgate sol gemm m=192,320 n=3072 k=4096 --dtype=e2m1 scale_block=16 --gpu-spec=b200 --time=127us \
                          --format=csv
sol.markdown            | solgate sol gemm m=192,320 n=3072 k=4096 --dtype=e2m1 scale_block=16 --gpu-spec=b200 --time=127us \
                          --format=markdown
sol_untimed             | solgate sol gemm m=4096 n=4096 k=4096 --gpu-spec=h200
explain                 | solgate explain data/hand_report/run matvec/r28672_c8192_bf16 vec16_rows warp_per_row
explain_recorded        | solgate explain data/h200/clean matvec/r2048_c2048_f32 vec16_rows uncoalesced
explain_sparse          | solgate explain data/h200/bsr_gemm bsr_gemm/m8192_n8192_k8192_uniform50 half2_vec4 transposed_b
explain_accepted        | solgate explain data/h200/slow matvec/r64_c64_f32/warp_per_row
explain_against         | solgate explain data/h200/slow matvec/r2048_c2048_f32/warp_per_row --against=data/h200/clean
explain_limits          | solgate explain data/h200/bsr_gemm bsr_gemm/m8192_n8192_k8192_gaps25/row_order --limits
explain_broken          | solgate explain data/hand/clean hand/small base zeros

# ---- report: every file that it writes, and what is to be drawn
report                  | DRAWN=$PWD/report.drawn solgate report data/hand_report/run data/hand_report/before \
                          --baseline=$red_numbers --out=report --note='recorded <here>'
report_files            | cd report && find . -type f | sort
report_html             | cat report/index.html
report_markdown         | cat report/report.md
report_comparison.csv   | cat report/comparison.csv
report_gap.csv          | cat report/gap.csv
report_counters.csv     | cat report/counters.csv
report_charts           | cd report/charts && head -n 99 -- *.tsv
report_gnuplot          | cat report.drawn
report_gate             | solgate report data/h200/slow --out=gated --tables-only --gate
report_tables_only      | solgate report data/hand/clean --baseline=$numbers --out=tables --tables-only && cat tables/report.md
report_recorded         | solgate report data/h200/slow --out=recorded --tables-only && cat recorded/report.md
report_quoted           | solgate report data/b200/grouped_fastest --out=quoted --tables-only && cat quoted/report.md

# ---- nights of H200s
history_nights          | solgate history check --history=data/h200/nights
history_nights_series   | solgate history show --history=data/h200/nights matvec/r18432_c7168_bf16/vec16_rows

# ---- baseline
baseline_show           | solgate accepted show
baseline_show_one       | solgate accepted show h200/smoke
baseline_show_file      | solgate accepted show $numbers
baseline_verify         | solgate accepted verify --max-age=36500d --driver=580.159.04
baseline_verify_one     | solgate accepted verify h200/smoke --max-age=36500d --driver=580.159.04
baseline_verify_old     | solgate accepted verify h200/smoke --max-age=0d --driver=590.1
baseline_accept_dry     | solgate accept data/hand/clean --out=accepted/hand.csv --dry-run
baseline_accept         | mkdir accepted && solgate accept data/hand/clean --out=accepted/hand.csv
baseline_accepted.csv   | cat accepted/hand.csv
baseline_accept_again   | solgate accept data/hand/clean --out=accepted/hand.csv
baseline_accept_worse   | edited slow data/hand/clean '/^hand,large,wide,time_ratio,/s/1,1,[^,]*,[^,]*/1,1.04,1.039,1.041/' && \
                          solgate accept slow --out=accepted/hand.csv
baseline_accept_reason  | solgate accept slow --out=accepted/hand.csv --reason='larger tiles' && grep 'larger tiles' accepted/hand.csv
baseline_accept_broken  | solgate accept broken --out=accepted/hand.csv
baseline_accept_waived  | solgate accept broken --out=accepted/hand.csv --reason=known --waive=hand/small/zeros \
                          --waive=hand/large/zeros --until=2999-12-31
baseline_compare_waived | solgate compare broken accepted/hand.csv
baseline_show_waived    | solgate accepted show accepted/hand.csv
baseline_accept_pruned  | solgate accept missing --out=accepted/hand.csv --prune --reason='one less'
baseline_accept_run     | solgate accept data/hand_report/run --out=accepted/report.csv
baseline_edited         | sed 's/0.85/0.86/' accepted/hand.csv >edited.csv && \
                          solgate compare data/hand/clean edited.csv
baseline_seal           | solgate accepted seal edited.csv --reason='by hand' && grep '^h200,,' edited.csv
baseline_ceilings       | solgate doctor --ceilings --model --suite=smoke --from=data/h200/clean
baseline_ceilings.csv   | cat home/baselines/h200/ceilings.csv
TABLE

wait "$simulated"
wait "$swept"

# What a person on duty reads of a run, a gate or a night: kernel, size, since when, what to do.
for name in compare_slow compare_clean compare_group_gemm compare_quoted compare_red.text compare_noisy \
  compare_noisy_passes compare_missing compare_broken ab_red.text ab_undecided ab_crash ab_neighbours ab_green.text \
  run_compare_part run_paired_compare run_night run_night_red history_nights report report_gate baseline_verify; do
  echo "== $name" && head -n 3 "$work/new/$name"
done >"$work/new/first_lines"

# verdicts.csv is test_verdicts.sh's.
if [ "${2:-}" = --update ]; then
  mkdir -p "$golden"
  find "$golden" -type f ! -name verdicts.csv -exec rm {} +
  cp "$work/new"/* "$golden"
  echo "$golden: $(find "$work/new" -type f | wc -l) files written; git diff shows what changed"
  exit 0
fi
[ -z "${2:-}" ] || { echo "$2: expected --update or nothing"; exit 4; }
diff -ruN -x verdicts.csv "$golden" "$work/new" >"$work/diff" || {
  cat "$work/diff"
  echo "What is printed or written changed. If all of it is meant:"
  echo "    sh tests/cli/test_golden.sh $1 --update, and commit tests/data/golden"
  exit 1
}
