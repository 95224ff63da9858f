#!/bin/sh
# solgate compare NEW... --against OLD... --gate: files of other tools decide the exit code, each
# file a replicate.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
cases=$tree/tests/data/import
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOLGATE_HOME="$tree"
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

# gates CODE WORDS ARGUMENT...: how `solgate compare` ends, and what it prints.
gates() {
  wanted=$1 words=$2 code=0
  shift 2
  "$solgate" compare "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit code $code, not $wanted: $(cat "$work/out")"
  grep -qF -e "$words" "$work/out" || fail "$*: no '$words' in $(cat "$work/out")"
}

# ---- five tools, unchanged, +2 %, +10 % and noisy, at 3 %: five files against five

python3 "$tree/tests/cli/result_files.py" "$work" >"$work/table"
[ "$(wc -l <"$work/table")" = 20 ] || fail "the table has $(wc -l <"$work/table") sets"
while read -r set wanted; do
  end=json && case $set in nsys*) end=csv ;; esac
  gates "$wanted" "(exit $wanted)" "$work/$set/new"/*.$end --against "$work/$set/old"/*.$end --tolerance=3% --gate
  case $set in *_same | *_noisy) # each number, by another parse
    rm -rf "$work/R" && "$solgate" import "$work/$set/new"/*.$end --out="$work/R" >/dev/null || fail "$set: not imported"
    awk -F, 'NR == FNR { want[$1 "," $2] = $3; next } $4 == "time" { seen++
        if ($9 != 5 || !(($6 / want[$2 "," $3] - 1) ^ 2 < 1e-15)) { print "FAIL: " $0 " is not " want[$2 "," $3]; bad = 1 } }
      END { for (i in want) seen--; exit bad || seen != 0 }' "$work/$set/values" "$work/R/run.csv" || fail "$set: other times than its files have" ;;
  esac
done <"$work/table"
"$solgate" import "$work/pytest_noisy/old"/*.json --out="$work/R2" >/dev/null
gates 0 'PASS (exit 0)' "$work/R" --against "$work/R2" --gate --tolerance=wide:60% # a run of an import
gates 0 'no verdict (exit 0)' "$work/R" "$work/R"
gates 2 '--tolerance=' "$work/R" "$work/R2" --gate
! grep -q 'Next: solgate run' "$work/out" || fail "solgate cannot run another tool: $(cat "$work/out")"
grep -q '^files,5' "$work/R/env.csv" || fail "$(cat "$work/R/env.csv")"

# ---- one start of a side far slower than the others leaves no slower row open

python3 - "$work/google_same/old/4.json" >"$work/far.json" <<'PY' # a start at a low clock
import json, sys
file = json.load(open(sys.argv[1]))
for row in file["benchmarks"]:
    row["real_time"] *= 1.2
json.dump(file, sys.stdout)
print()
PY
gates 1 'without the slowest file of the old side' "$work/google_large/new"/*.json --against "$work/google_same/old"/[0-3].json "$work/far.json" --tolerance=3% --gate

# ---- percentiles of launches: the 22nd of 24 in each file

"$solgate" import "$work/nsys_same/new"/*.csv --out="$work/P" >/dev/null
want=$(for i in 0 1 2 3 4; do grep 'softmax_kernel$' "$work/nsys_same/new/$i.csv" | cut -d, -f2 | sort -n | sed -n 22p; done | awk '{ sum += $1 } END { printf "%.9g", sum / NR }')
grep -q "^nsys,all,softmax_kernel,time_p90,ns,$want,.*,5,ok,mean of 5 starts," "$work/P/run.csv" || fail "no time_p90 of $want in $(cat "$work/P/run.csv")"
grep -q '^nsys,all,softmax_kernel,spikes,%,0,0,0,5,' "$work/P/run.csv" || fail "spikes: $(cat "$work/P/run.csv")"

# ---- one file a side: its samples leave open how processes differ; without them nothing is decided

large=$work/google_large same=$work/google_same
gates 2 'most of it is processes and clocks' "$same/new/0.json" --against "$same/old/0.json" --tolerance=3% --gate
gates 0 'PASS (exit 0)' "$same/new/0.json" --against "$same/old/0.json" --tolerance=6% --gate
gates 0 'PASS (exit 0)' "$work/nvbench_same/new/0.json" --against "$work/nvbench_same/old/0.json" --tolerance=3% --gate # with clocks
sed 's/1980000000.0/1780000000.0/' "$work/nvbench_same/new/0.json" >"$work/nvbench_same/new/slow.json"
gates 2 'most of it is processes and clocks' "$work/nvbench_same/new/slow.json" --against "$work/nvbench_same/old/0.json" --tolerance=3% --gate
sed 's/0.0102/0.0103/' "$cases/cutlass_3.csv" >"$work/cutlass.csv"
gates 2 'compare 5 or more files a side' "$work/cutlass.csv" --against "$cases/cutlass_3.csv" --gate --variant='*128*'
gates 2 'but 2 and 2 values give no interval: compare 5 or more files a side' "$large/new/0.json" "$large/new/1.json" --against "$large/old/0.json" "$large/old/1.json" --gate
gates 0 'no row was decided' "$work/cutlass.csv" --against "$cases/cutlass_3.csv" --gate --inconclusive=pass --variant='*128*'
gates 5 'incorrect' "$work/cutlass.csv" --against "$cases/cutlass_3.csv" --gate
sed 's/,incorrect,/,not_run,/' "$work/cutlass.csv" >"$work/skipped.csv" # wrong in one start outweighs
gates 5 'incorrect' "$work/cutlass.csv" "$work/skipped.csv" --against "$cases/cutlass_3.csv" --gate
gates 5 'incorrect' "$work/skipped.csv" "$work/cutlass.csv" --against "$cases/cutlass_3.csv" --gate

# ---- launches, totals and kernels that only one side has

for i in 0 1 2 3 4; do # each kernel twice; the second kernel under another name
  sed '/,softmax_kernel$/p' "$work/nsys_same/new/$i.csv" >"$work/twice.$i.csv"
  sed 's/matmul_kernel$/gemm_kernel/' "$work/nsys_same/new/$i.csv" >"$work/renamed.$i.csv"
done
gates 1 'tool:launches        24        48' "$work"/twice.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate
gates 0 'PASS (exit 0)' "$work/twice.0.csv" --against "$work/nsys_same/old/0.csv" --tolerance=wide:30% --gate # of one start
gates 0 'gemm_kernel' "$work"/renamed.*.csv --against="$work/nsys_same/old/0.csv" "$work/nsys_same/old"/[1-4].csv --tolerance=3% --gate
gates 3 'matmul_kernel not_measured' "$work"/renamed.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate --variant='[ms]*_kernel'
gates 3 'gemm_kernel not_measured' "$work"/renamed.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate --variant='[gs]*_kernel'
gates 0 'matmul_kernel  not_measured (info)' "$work"/renamed.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate

# ---- a program that ended early

for i in 0 1 2 3 4; do
  head -n 40 "$work/nsys_same/new/$i.csv" >"$work/half.$i.csv"
  grep -v 'matmul_kernel$' "$work/nsys_same/new/$i.csv" >"$work/lone.$i.csv"
done
gates 3 'matmul_kernel was launched less often, and no kernel more often: did the program end early? --variant=NAME judges one kernel' "$work"/half.*.csv --against "$work/nsys_same/old"/*.csv --gate
gates 3 'matmul_kernel was launched less often, and no kernel more often: did the program end early? --variant=NAME judges one kernel' "$work"/lone.*.csv --against "$work/nsys_same/old"/*.csv --gate
! grep -q 'improved' "$work/out" || fail "fewer launches count as an improvement: $(cat "$work/out")"
head -n 3 "$work/nsys_same/new/4.csv" >"$work/lone.4.csv" # no kernel at all
gates 3 "4 of 5 files have this row, and more of the other side's: did the program end early?" "$work/nsys_same/new"/[0-3].csv "$work/lone.4.csv" --against "$work/nsys_same/old"/*.csv --gate
{ cat "$cases/ncu_2024_raw.csv" && echo '==ERROR== The application returned an error code (11).'; } >"$work/died.csv"
gates 3 'The application returned an error code (11)' "$work/died.csv" --against "$cases/ncu_2024_raw.csv" --gate
head -c -20 "$work/nsys_same/new/0.csv" >"$work/cut.csv"
gates 4 'expected a line end, found the end of the file' "$work/cut.csv" --against "$work/nsys_same/old/0.csv" --gate
head -c 20000 "$work/torch_same/new/0.json" >"$work/cut.json"
gates 4 "expected JSON: premature end of input" "$work/cut.json" --against "$work/torch_same/old/0.json" --gate
sed 's/softmax_kernel$/fused_kernel/' "$work/half.0.csv" >"$work/fused.csv"
gates 0 'matmul_kernel was launched less often' "$work/fused.csv" --against "$work/nsys_same/old/0.csv" --gate --tolerance=wide:60%

# ---- sides that were measured otherwise: another kind of time, GPU, clock, size, or rounding

cp "$work/nvbench_same/new/0.json" "$work/means.json" # without the files of its samples
gates 3 "time_of is 'mean', accepted 'median'" "$work/means.json" --against "$work/nvbench_same/old/0.json" --gate
sed 's,nv/cold/time/gpu/mean,nv/batch/time/gpu/mean,' "$work/means.json" >"$work/batch.json"
gates 3 "time_of is 'mean in batches, L2 warm', accepted 'mean'" "$work/batch.json" --against "$work/means.json" --gate
"$solgate" import "$work/means.json" --out="$work/M" >/dev/null && sed -i '/,time_of,/d' "$work/M/run.csv" && "$solgate" accepted seal "$work/M" --reason=older >/dev/null
gates 2 'values give no interval' "$work/M" --against "$work/batch.json" --gate
sed 's/,passed,/,not_verified,/' "$cases/cutlass_3.csv" >"$work/unchecked.csv"
gates 3 "time_of is 'mean, not verified', accepted 'mean'" "$work/unchecked.csv" --against "$cases/cutlass_3.csv" --gate --variant='*128*'
sed 's/"10.0"/"9.0"/' "$cases/ncu_2025_details.csv" >"$work/cc.csv"
gates 3 "'compute capability 9.0' in the run" "$work/cc.csv" --against "$cases/ncu_2025_details.csv" --gate
sed 's/A100-SXM4-80GB/X1/' "$cases/ncu_2024_raw.csv" >"$work/named.csv" # another page of the same GPU
sed 's/NVIDIA X1//' "$work/named.csv" >"$work/unnamed.csv"
gates 2 'compare 5 or more files a side' "$work/unnamed.csv" --against "$work/named.csv" --gate
sed 's/"arch": "90"/"arch": "100"/' "$cases/proton_3.hatchet" >"$work/arch.hatchet"
gates 3 "'compute capability 100' in the run" "$work/arch.hatchet" --against "$cases/proton_3.hatchet" --gate
sed '/_g2/d; s/2.0e+12/2.00001e+12/' "$cases/nvbench_0_4.csv" >"$work/rounded.csv"
gates 2 'most of it is processes and clocks' "$work/rounded.csv" --against "$cases/nvbench_0_4.csv" --gate --tolerance=2% --case='device_1*'
mkdir "$work/base" "$work/boost"
for i in 0 1 2 3 4; do
  sed "s/406240/4062$i/" "$cases/ncu_2025_details.csv" >"$work/boost/$i.csv"
  sed "s/406240/6094$i/; s/1239496049/826330699/" "$cases/ncu_2025_details.csv" >"$work/base/$i.csv"
  sed 's/,132,1,1,/,66,1,1,/' "$work/nsys_same/new/$i.csv" >"$work/grid.$i.csv"
  awk -F, -v OFS=, '/,softmax_kernel$/ && ++n % 6 == 0 { $2 *= 2 } 1' "$work/nsys_same/new/$i.csv" >"$work/tail.$i.csv"
done
gates 2 'most of it is the clocks of the two sides' "$work/base"/*.csv --against "$work/boost"/*.csv --gate
gates 0 'nsys/all/matmul_kernel, ...: another grid, 132 -> 66 blocks: is it the same problem?' "$work"/grid.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate
gates 0 'nsys/all/softmax_kernel: slower in the slowest tenth of the launches, ' "$work"/tail.*.csv --against "$work/nsys_same/old"/*.csv --tolerance=3% --gate --variant=softmax_kernel

# ---- words for what cannot be

gates 4 'expected only google_benchmark as before, found pytest_benchmark' "$same/new/0.json" "$work/pytest_same/new/0.json" --against "$same/old/0.json" --gate
gates 3 'not comparable: gpu is' "$same/new/0.json" --against "$work/nsys_same/old/0.csv" --gate
gates 4 'expected RUN and BASELINE, found 3: name the older files after --against' a b c
gates 4 'need the older results: --against OLD...' "$same/new/0.json" --gate
gates 4 'this run of solgate gates by its suite' "$tree/tests/data/h200/clean" --against "$tree/tests/data/h200/slow" --gate
gates 4 'expected results of another start, found those of' "$same/new/0.json" "$same/new/0.json" --against "$same/old/0.json" --gate
gates 3 'expected results of another start, found those of' "$same/new/0.json" --against "$same/old/0.json" "$same/new/0.json" --gate
cp "$same/old/1.json" "$work/copy.json"
gates 3 'found the same content in 1 file' "$work/copy.json" --against "$same/old"/*.json --gate
gates 4 '/old/1.json again' "$same/new"/*.json --against "$same/old"/*.json "$same/old/1.json" --gate
gates 0 'PASS (exit 0)' "$same/new"/*.json --against "$same/old"/*.json "$work/copy.json" --tolerance=3% --gate # of a tool that rounds
gates 4 'found the same content in all files: give files' "$same/new/0.json" --against "$same/old/1.json" "$work/copy.json" --gate
gates 3 'found the same content in 5 files' "$work/R" --against "$work/pytest_noisy/new"/*.json --gate
gates 0 'no verdict (exit 0)' "$work/R" --against "$work/pytest_noisy/new"/*.json
gates 4 "'--against' needs a value" "$same/new/0.json" "$same/new/1.json" --gate --against
gates 4 'cannot be opened' "$same/new/0.json" "$same/new/1.json" --against --gate
sed 's/H200/H100/' "$work/nsys_same/new/0.csv" >"$work/h100.csv"
gates 4 'as before, found NVIDIA H100' "$work/nsys_same/new/1.csv" "$work/h100.csv" --against "$work/nsys_same/old/0.csv" --gate
sed '1s,ms,GB/s,' "$cases/triton_ms.csv" >"$work/rates.csv"
gates 3 'not_measured' "$work/rates.csv" --against "$cases/triton_ms.csv" --gate
gates 4 'nowhere.json: ' "$work/nowhere.json" --against "$same/old/0.json"

[ "$failures" = 0 ]
