#!/bin/sh
# [results NAME] of a suite: a program that writes a file of another tool. Runs, accepted numbers,
# nights and the history take the items of the file.
# shellcheck source=tests/cli/standin_lib.sh
. "$(dirname "$0")/standin_lib.sh"
# shellcheck source=tests/cli/no_charts.sh
. "$tree/tests/cli/no_charts.sh"

cat >bench.sh <<'SH'
#!/bin/sh
[ -z "${CUDA_INJECTION64_PATH-}" ] || exit 9 # its own profiler must be CUPTI's only client
number=$(($(cat number 2>/dev/null || echo 0) + 1)) && echo "$number" >number
[ ! -e status ] || exit "$(cat status)"
[ ! -e quiet ] || exit 0
cat >out.json.new <<JSON
{"context": {}, "benchmarks": [
 {"name": "softmax/${1-4096}", "run_type": "iteration", "iterations": 9, "real_time": $(cat us).$((number % 3))1, "cpu_time": 1, "time_unit": "us"},
 {"name": "matmul", "run_type": "iteration", "iterations": 9, "real_time": $(cat us).5, "cpu_time": 1, "time_unit": "us"},
 {"name": "large", "run_type": "iteration", "iterations": 9, "error_occurred": true, "error_message": "no memory", "real_time": 0, "cpu_time": 0, "time_unit": "us"}]}
JSON
mv out.json.new out.json
SH
# suite NAME KEY...: of one program.
suite() {
  name=$1
  shift
  { printf '[suite]\ntitle = Results\ntolerance = 8%%\n[%s]\n' "$name" && printf '%s\n' "$@"; } >b.suite
}
suite 'results conv' 'command = sh bench.sh' 'case = small: 64' 'file = out.json'
echo 100 >us
runs 0 '2 kernels of 1 program' run ./b.suite --out=R
has R 'exec,conv_small_64,softmax,time,ns,100'
has R 'exec,conv_small,matmul,time,ns,100500,'
has R 'exec,conv_small,matmul,role,,,,,,ok,baseline,'
[ "$(cat number)" = 5 ] && ! grep -q '^time_source' R/env.csv && grep -q '^gpu,h200' R/env.csv || fail "$(cat number R/env.csv)"
if grep -q large R/run.csv; then fail "a benchmark that did not run is an item"; fi
runs 0 'rows new' accept R
runs 0 '2 rows: 2 within' nightly ./b.suite --out=N --history=H
runs 0 'exec/conv_small/matmul' history show --history=H
cat >gemm.sh <<'SH' # wrong in the second of six starts
number=$(($(cat gemms 2>/dev/null || echo 0) + 1)) && echo "$number" >gemms
[ "$number" = 2 ] || good='s/,incorrect,/,passed,/'
sed "${good-}; s/,0.010[24],/,0.010$number,/" "$SOLGATE_HOME/tests/data/import/cutlass_3.csv" >out.csv
SH
cp b.suite conv.suite
suite 'results gemm' 'command = sh gemm.sh' 'file = out.csv' 'processes = 6'
runs 5 'gemm_256x64  expected ok, found wrong: incorrect' run ./b.suite --out=W
has W 'cutlass_gemm_256x64,status,,,,,,wrong,incorrect,'
has W 'cutlass_gemm_128x128,status,,,,,,ok,'
cp conv.suite b.suite
echo 130 >us
runs 1 'FAIL (exit 1): exec/conv_small' nightly ./b.suite --out=N --history=H
echo 7 >status
runs 5 'found crash: exit status 7' run ./b.suite --out=R2
rm status && : >quiet
runs 3 'expected the program to write out.json, found a file that this start did not write' run ./b.suite --out=R3
rm out.json
runs 3 'expected the program to write out.json, found no such file' run ./b.suite --out=R4
suite 'results conv' 'command = cp bad.json out.json' 'file = out.json'
sed 's/"iterations": 9/"its": 9/' "$tree/tests/data/import/google_repetitions.json" | head -c 400 >bad.json
runs 3 'out.json:' run ./b.suite --out=R5
suite 'results conv' 'command = sh bench.sh'
runs 4 'b.suite:4: [results NAME] needs `file`' run ./b.suite --out=R6
suite 'exec conv' 'command = sh bench.sh' 'file = out.json'
runs 4 'b.suite:4: [exec NAME] takes no `file`' run ./b.suite --out=R6
suite 'results conv' 'command = sh bench.sh' 'file = out.json' 'kernel = x'
runs 4 'b.suite:4: [results NAME] takes no `range` and no `kernel`' run ./b.suite --out=R6

[ "$failures" = 0 ]
