#!/bin/sh
# solgate import: files of other tools become runs that compare, explain, gap and report read; what
# is malformed is refused with its line.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/import
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOLGATE_HOME="$tree"
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

# ---- every value is the tool's own, in base units

for path in "$data"/*_*.csv "$data"/*_*.json "$data"/*_*.hatchet; do
  file=$(basename "$path")
  "$solgate" import "$path" --out="$work/$file" >/dev/null || fail "$file: not imported"
  awk -F, -v file="$file" 'NR > 1 && $6 != "" { print file "," $2 "," $3 "," $4 "," $5 "," $6 }' "$work/$file/run.csv" >>"$work/found"
done
sed 1d "$data/expected.csv" >"$work/expected"
LC_ALL=C sort "$work/expected" >"$work/1" && LC_ALL=C sort "$work/found" >"$work/2"
diff "$work/1" "$work/2" || fail "other values than the files have"

# has FILE ROW: a row of a run, as it begins.
has() { grep -qF -e "$2" "$work/$1/run.csv" || fail "$1: no row $2"; }
has ncu_2020_metrics.csv 'ncu,all,copy_2a955b43,dram_write_bytes,,,,,,unavailable,n/a,'
has ncu_2024_raw.csv 'ncu,all,ampere_fp16_gemm,l2_hit_rate,,,,,,unavailable,n/a,'
has ncu_2025_details.csv 'tool:Launch_Statistics.Cluster_Scheduling_Policy,,,,,,ok,PolicySpread,'
has nvbench_0_3.json 'nvbench,n_2_20,copy,time,ns,30049.9996,30010,30089.9992,11,ok,median of 11,'
has nvbench_0_1.json 'nvbench,n_2_20,copy,time,ns,12345,12341.22,12348.7812,16384,ok,mean of 16384,'
has nvbench_0_1.json 'nvbench,n_2_40,copy,status,,,,,,skipped,Not enough memory,'
has google_repetitions.json 'google_benchmark,all,bm_bad,status,,,,,,skipped,no device,'
has triton_3.csv 'triton,dtype_fp16_n_256,triton_per_gb,note,,,,,,ok,Triton dtype=fp16 N=256: time of one GB,'
has nsys_2024_sum.csv 'nsys_sum,all,whole_range,time,ns,10000000,9944114.96,10056199.1,101,ok,sum of 101,'
has triton_3.csv 'triton,dtype_fp16_n_512_5,torch_per_gb,time,,,,,,nan,nan,'
has torch_2_kernel.json 'note,,,,,,ok,"square_kernel, grid (64, 1, 1), block (512, 1, 1)",'
grep -q '^source,nvbench: ' "$work/nvbench_0_3.json/env.csv" || fail "no source"
grep -q '^gpu,h200' "$work/nvbench_0_3.json/env.csv" || fail "no GPU"
gzip -c "$data/torch_2_kernel.json" >"$work/packed.json.gz"
"$solgate" import "$work/packed.json.gz" --out="$work/packed" >/dev/null && cmp -s "$work/packed/run.csv" "$work/torch_2_kernel.json/run.csv" ||
  fail "a packed file is another run"
sed '2s/$/ "ranks": [0, 1, true, [2]], "note": "of a user",/' "$data/torch_2_kernel.json" >"$work/members.json"
"$solgate" import "$work/members.json" --out="$work/members" >/dev/null && cmp -s "$work/members/run.csv" "$work/torch_2_kernel.json/run.csv" ||
  fail "members that users add are not left out"
mkdir "$work/bin"
printf '#!/bin/sh\n[ "$1 $2 $7 $LC_ALL" = "--page raw --import C" ] && cat "%s/ncu_2024_raw.csv"\n' "$data" >"$work/bin/ncu"
chmod +x "$work/bin/ncu"
printf 'NVR\0\1' >"$work/a.ncu-rep"
PATH=$work/bin:$PATH "$solgate" import "$work/a.ncu-rep" --out="$work/rep" >/dev/null && cmp -s "$work/rep/run.csv" "$work/ncu_2024_raw.csv/run.csv" ||
  fail "a report of ncu is another run than its table"

# ---- compare, explain, gap and report

# prints CODE WORDS COMMAND...: what is printed of a run that was imported.
prints() {
  wanted=$1 words=$2 code=0
  shift 2
  "$solgate" "$@" >"$work/out" 2>&1 || code=$?
  [ "$code" = "$wanted" ] && grep -qF -e "$words" "$work/out" || fail "$*: exit code $code, $(cat "$work/out")"
}
sed 's/"41.28"/"61.28"/; s/"43.28"/"63.28"/' "$data/ncu_2020_metrics.csv" >"$work/slow.csv"
"$solgate" import "$work/slow.csv" --out="$work/slow" >/dev/null
prints 0 '4 rows: 2 regressed, 2 within, against' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'imported, not paired: nothing gates; ' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'resolution not known: no time has samples on both sides' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'Smallest detectable slowdown (90 % power): median 10.3 %, worst 13.8 %' compare "$work/nvbench_0_3.json" "$work/nvbench_0_3.json"
touch "$work/report.nsys-rep"
prints 4 'found a report of nsys: import what `nsys stats --report cuda_gpu_trace --format csv' import "$work/report.nsys-rep" --out="$work/none"
prints 3 'nothing was judged' compare "$work/nsys_2022_trace.csv" "$work/ncu_2024_raw.csv"
prints 3 'not comparable: ' compare "$work/nvbench_0_3.json" "$tree/tests/data/h200/clean"
prints 0 'more is read from DRAM' explain "$work/slow" ncu/all chunk_fwd copy_2a955b43
prints 0 'chunk_fwd against' explain "$work/slow" ncu/all/chunk_fwd --against="$work/ncu_2020_metrics.csv"
prints 0 'The run does not record flop or bytes' gap "$work/nsys_2022_trace.csv"
prints 0 'nvbench/n_2_22  declared  0 flop  33.6 MB       0  memory    6.991 us' gap "$work/nvbench_0_3.json"
prints 0 '4.69x   211 Tflop/s' gap "$work/cutlass_3.csv" --gpu-spec=h100
prints 0 'index.html' report "$work/nvbench_0_3.json" --out="$work/report"
prints 3 'quoted times cannot be accepted: `solgate compare RUN OTHER`' compare "$work/slow" --baselines="$work/accepted"
prints 4 "expected a run that solgate measured" accept "$work/slow" --baselines="$work/accepted"

# ---- which kernel is which: by its symbol, and, where that has several geometries, by these

# trace RUN KERNELS: an imported trace of "NAME|GRID|US;NAME|GRID|US", with two launches of each.
trace() {
  printf '%s' "$2" | awk -v RS=';' -F'|' 'BEGIN { print "{\"schemaVersion\": 1, \"deviceProperties\": [{\"name\": \"NVIDIA H100 80GB HBM3\"}], \"traceEvents\": [" }
    { event = sprintf("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"ts\": 1, \"dur\": %s, \"args\": {\"grid\": [%s], \"block\": [128, 1, 1]}}", $1, $3, $2 ($2 ~ /,/ ? ", 1" : ", 1, 1"))
      printf "%s%s,\n%s\n", (NR > 1 ? "," : ""), event, event }
    END { print "]}" }' >"$work/$1.json"
  rm -rf "${work:?}/$1"
  "$solgate" import "$work/$1.json" --out="$work/$1" >/dev/null || fail "$2: not imported"
}
# pairs CODE WORDS NOW THEN: what the kernels of two traces are to each other.
pairs() {
  trace now "$3" && trace before "$4"
  prints "$1" "$2" compare "$work/now" "$work/before"
}
a='void n::mul<tile_a>(tile_a::P)' b='void n::mul<tile_b>(tile_b::P)'
pairs 0 '3 rows: 1 regressed, 1 not_measured, 1 new, against' "$b|16|90" "$a|16|40"
pairs 0 '4 rows: 3 regressed, 1 new, against' "$a|16|60;$b|64|9" "$a|16|40"
pairs 0 '4 rows: 1 not_measured, 3 improved, against' "$a|16|40" "$a|16|60;$b|64|9"
pairs 0 '3 rows: 1 not_measured, 1 new, 1 within, against' 'each<lambda at a.cu:3>(float*)|8|9' 'each<lambda at a.cu:7>(float*)|8|9'
pairs 0 '4 rows: 3 regressed, 1 new, against' 'scale(float*)|8|9;scale(double*)|8|5' 'scale(float*)|8|5'
pairs 0 '4 rows: 1 regressed, 1 not_measured, 2 new, against' 'a::scale(float*)|8|9;Scale|8|9' 'scale|8|9'
pairs 0 '3 rows: 3 regressed, against' 'add_kernel|16|9' 'add_kernel|8|5' # a kernel is its symbol
pairs 0 '4 rows: 3 regressed, 1 new, against' 'add_kernel|8|9;add_kernel|64|30' 'add_kernel|8|5'
pairs 0 '4 rows: 3 regressed, 1 not_measured, against' "$a|64|30" "$a|64|20;$a|8|5"
pairs 0 '5 rows: 3 regressed, 1 not_measured, 1 new, against' "$a|8|9;$a|16|9" "$a|8|5;$a|32|9"
pairs 0 '4 rows: 3 regressed, 1 new, against' 'k|8, 2|9;k|2, 8|9' 'k|2, 8|5' # two grids of 16 blocks
pairs 0 '4 rows: 3 regressed, 1 within, against' 'k|8|5;k|8|5;k|8|5' 'k|8|5' # launches and total, three times
pairs 0 '4 rows: 1 regressed, 1 not_measured, 2 new, against' 'add_kernel|1|9;add_kernel|2|9' 'add_kernel|3|9'
grep -q ',add_kernel_g[0-9a-f]*,time,' "$work/now/run.csv" && grep -q ',add_kernel,time,' "$work/before/run.csv" || fail "$(cat "$work/now/run.csv")"
# A benchmark is its whole name, whatever letters the names of rows have.
head -1 "$data/google_bench.csv" >"$work/g1.csv" && cp "$work/g1.csv" "$work/g2.csv"
echo '"BM_f<int*>/8",1000,15,15,ns,,,,,' >>"$work/g1.csv"
printf '"BM_f<int%s>/8",1000,%s,1,ns,,,,,\n' '*' 30 '&' 9 >>"$work/g2.csv"
for file in g1 g2; do "$solgate" import "$work/$file.csv" --out="$work/$file" >/dev/null || fail "$file: not imported"; done
prints 0 '2 rows: 1 regressed, 1 new, against' compare "$work/g2" "$work/g1"
# Thousands of kernels have thousands of names, and reading them takes less than a second.
trace now "$(awk 'BEGIN { for (i = 0; i < 8000; i++) printf "%sn::mul<%d>(float*)|8|%d", i ? ";" : "", i, 9 + i % 5 }')"
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -t 1 && failures=0 && prints 0 'The run does not record flop or bytes' gap "$work/now" && exit "$failures") || fail "gap of 8000 kernels takes too long"
prints 0 '8001 rows: 8001 within' compare "$work/now" "$work/now"

# ---- what is malformed

# refused LINE WORDS FILE [SED]: a file of the data, edited.
count=0
refused() {
  line=$1 words=$2 file=$3 code=0
  count=$((count + 1))
  rm -rf "$work/bad"
  mkdir "$work/bad"
  cp -R "$data"/*-bin "$work/bad"
  sed "${4-}" "$data/$file" >"$work/bad/$file"
  "$solgate" import "$work/bad/$file" --out="$work/none" 2>"$work/err" >/dev/null || code=$?
  [ "$code" = 4 ] && grep -qF -e "$file:$line: " "$work/err" && grep -qF -e "$words" "$work/err" ||
    fail "$file, ${4-}: exit code $code, $(cat "$work/err")"
  [ ! -e "$work/none" ] || fail "$file, ${4-}: a run all the same"
  rm -rf "$work/none"
}
ncu=ncu_2020_metrics.csv sections=ncu_2023_sections.csv raw=ncu_2024_raw.csv short=ncu_2025_details.csv nsys=nsys_2022_trace.csv
torch=torch_2_kernel.json nvbench=nvbench_0_3.json google=google_repetitions.json pytest=pytest_5.json
refused 1 'expected a file of a tool' $ncu '/^"ID"/d'
refused 8 'expected at least 12 fields, found 11' $ncu '8s/,"41.28"//'
refused 8 'expected its closing quote' $ncu '8s/"41.28"/"41.28/'
refused 8 'expected its closing quote' $ncu '8s/"usecond"/"usecond"s/'
refused 8 'expected at most 12 fields as in the header, found 14' $ncu '8s/$/,"1","2"/'
refused 8 'expected a number with a point before its fraction' $ncu '8s/41.28/41,28/'
refused 18 'expected a number with a point before its fraction' $ncu '18s/12,058,624/12.058.624/'
refused 8 'expected a time above 0' $ncu '8s/41.28/0/'
refused 8 'expected a time above 0' $ncu '8s/41.28/-41.28/'
refused 8 'expected a time above 0' $ncu '8s/41.28/1e300/'
refused 8 'Kernel Name: expected a name' $ncu '8s/chunk_fwd//'
refused 21 'expected a kernel or a benchmark' $ncu '8,$s/^"/# "/'
refused 4 'expected a number with a point before its fraction' $sections '4s/2,848/2,84/'
refused 3 'expected at least 15 fields, found 14' $sections '3s/,"14.26".*//'
refused 4 'expected at least 21 fields, found 20' $raw '4s/,"1,024.*//'
refused 5 'expected a time above 0' $raw '5s/"0.003"/"0"/'
refused 5 'expected a number with a point' $raw '5s/"0.008192"/"0,008192"/'
refused 5 'expected at most 20 fields' $short '5s/$/,1,2,3,4,5,6,7,8/'
refused 4 'expected 20 fields as in the header, found 19' $nsys '4s/,7,/,/'
refused 5 'expected 20 fields as in the header, found 21' $nsys '5s/attention_kernel/a,b/'
refused 4 'Duration: expected a number' $nsys '4s/30016/fast/'
refused 4 'expected a whole number of ns' $nsys '4s/30016/30.016/'
refused 4 'expected a time above 0' $nsys '4s/30016//'
refused 4 'expected a time above 0' $nsys '4s/30016/0/'
refused 4 'Reg/Trd: expected a number' $nsys '4s/,24,/,many,/'
refused 5 'Name: expected a name' $nsys '5s/attention_kernel//'
refused 4 'expected its closing quote' $nsys '4s/int)"/int)/'
refused 22 'expected a comma or the end of the object' $torch '$d'
refused 10 'expected JSON: ' $torch '10s/"shared memory": 1024,/"shared memory" 1024,/'
refused 8 'dur: expected a number' $torch '8s/"dur": 164.032/"dur": "long"/'
refused 8 'dur: expected a number' $torch '8s/"dur": 164.032,//'
refused 8 'expected a time above 0' $torch '8s/164.032/0/'
refused 8 'name: expected the name of a kernel' $torch '8s/"square_kernel"/""/'
refused 8 'expected a comma or the end of the array' $torch '7s/},$/}/'
refused 8 "expected an element of 'traceEvents'" $torch '8s/"ph"/"phase"/'
refused 22 'expected the end of the file' $torch '$s/$/ {}/'
refused 2 "expected a member's name in quotes" $torch '2s/"schemaVersion"/schemaVersion/'
refused 2 'expected a value' $torch '2s/1//'
refused 1 'expected a file of a tool' $nvbench 's/"benchmarks"/"benches"/'
refused 37 'expected a name and an array of states' $nvbench 's/"name": "copy"/"name": ""/'
refused 37 "expected an element of 'benchmarks'" $nvbench '50s/"states"/"stages"/'
refused 37 'expected an array of summaries' $nvbench 's/"summaries"/"summary"/'
refused 37 'nv/cold/time/gpu/mean: expected a number' $nvbench 's/"3.005[0-9]*e-05"/"quick"/'
refused 37 'expected a time above 0' $nvbench 's/"3.005[0-9]*e-05"/"0"/'
refused 37 'expected a tag' $nvbench 's/"tag": "nv.cold.sample_size"/"tags": ""/'
refused 9 'found a second one' cutlass_3.csv 8p
refused 37 'found a second one' $nvbench 's/N=2^2[0-9]*/N=1/'
refused 37 'expected a time above 0' $nvbench 's/"3.005[0-9]*e-05"/"1e-300"/'
refused 37 'expected 12 samples of 4 bytes, found 44 bytes' $nvbench 's/"value": "11"/"value": "12"/'
refused 4 "expected an element of 'benchmarks'" $google '4s/"iterations": 1000, //; 5s/"iterations": 1000, //'
refused 6 'real_time: expected a number' $google '7s/1.75/"long"/'
refused 4 "unit of a time: expected ns, us, ms or s, found 'min'" $google '5s/"us"/"min"/'
refused 4 "name: expected a benchmark's name" $google '4s/"run_name": "BM_Copy/"run_name": "/'
refused 6 'expected only google_benchmark as before, found pytest_benchmark' $google '6s/{"name"/{"stats": {"data": [1]}, "nume"/; 6,7s/"iterations"/"its"/; 7s/1.75/"x"/' 
refused 5 "expected an element of 'benchmarks'" $pytest '8s/"stats"/"status"/'
refused 5 'median: expected a number' $pytest '8s/"median"/"middle"/'
refused 5 'data[1]: expected a number' $pytest '9s/9.8e-06/"x"/'
refused 5 'expected a time above 0' $pytest '9s/9.8e-06/-1/'
refused 5 'name: expected the name of a test' $pytest '6s/"name"/"title"/'
refused 2 "unit of a time: expected ns, us, ms or s, found 'min'" google_bench.csv '2s/,us,/,min,/'
refused 2 'expected a time above 0' google_bench.csv '2s/,1.5,/,-1.5,/'
refused 3 'real_time: expected a number' google_bench.csv '3s/,20,/,twenty,/'
refused 3 'expected 10 fields as in the header, found 9' google_bench.csv '3s/,$//'
refused 1 'expected a file of a tool' google_bench.csv 1d
refused 8 "Instances, Total Time: expected numbers above 0, found '0', '2970000'" nsys_2024_sum.csv '8s/,30,/,0,/'
refused 8 'Med: expected a number' nsys_2024_sum.csv '8s/99500.0/often/'
refused 9 'found a second one' nsys_2024_sum.csv '9s/once_kernel/other_kernel/; 8p'
refused 2 'expected 7 fields as in the header, found 6' triton_3.csv '2s/,1.0$//'
refused 2 "Triton: expected a number above 0, found '-238.902348'" triton_3.csv '2s/,238/,-238/'
refused 3 "Triton: expected a number above 0, found 'fast'" triton_3.csv '3s/370.600000/fast/'
refused 2 'expected a time above 0' triton_ms.csv '2s/0.007700/1e300/'
refused 1 'expected a file of a tool' triton_3.csv '1s/torch (GB.s)/torch (ms)/'
printf 'x\0y\n' | cat - "$data/$ncu" >"$work/nul.csv"
: >"$work/empty.csv"
for bad in nul empty; do
  code=0
  "$solgate" import "$work/$bad.csv" --out="$work/none" 2>"$work/err" >/dev/null || code=$?
  count=$((count + 1))
  [ "$code" = 4 ] && grep -q "/$bad.csv:1: expected" "$work/err" || fail "$bad: exit code $code, $(cat "$work/err")"
done
[ "$count" -ge 40 ] || fail "only $count malformed files"
code=0
PATH=/nowhere "$solgate" import "$work/a.ncu-rep" --out="$work/none" 2>"$work/err" || code=$?
[ "$code" = 3 ] && grep -qF 'expected the program ncu in PATH' "$work/err" || fail "without ncu: exit code $code, $(cat "$work/err")"

# ---- a value of another type is named, never taken for another or for none

for value in null true '[]' '{}'; do # of a string, a number, an object and an array, where each is none
  refused 37 "nv/cold/time/gpu/mean: value: expected a number, found" $nvbench 's/"value": "3.005[0-9]*e-05"/"value": '"$value/"
  refused 8 'dur: expected a number' $torch '8s/"dur": 164.032/"dur": '"$value/"
  refused 4 'run_name: expected a string, found' $google '4s/"run_name": "[^"]*"/"run_name": '"$value/"
  refused 5 'median: expected a number' $pytest '8s/"median": [0-9.e-]*/"median": '"$value/"
done
refused 37 'nv/cold/sample_size: data: expected an array, found an object' $nvbench '/sample_size/,/\]/s/"data": \[/"data": {}, "was": [/'
refused 37 'copy: is_skipped: expected true or false, found a string' $nvbench 's/"is_skipped": false/"is_skipped": "no"/'
refused 8 'args: grid: expected an array, found a string' $torch '10s/"grid": \[[^]]*\]/"grid": "8"/'
refused 8 'grid: expected three numbers' $torch '10s/"grid": \[[^]]*\]/"grid": [8, "a", 1]/'
refused 8 'args: expected an object, found a number' $torch '9s/"args": {/"args": 1, "was": {/'
refused 8 'cat: expected a string, found an array' $torch '8s/"cat": "kernel"/"cat": []/'
refused 5 'stats: data: expected an array, found a string' $pytest '9s/"data": \[[^]]*\]/"data": "x"/'
refused 1 'ROOT/attention/matmul_kernel: metrics: expected an object, found null' proton_3.hatchet '4s/"metrics": {[^}]*}/"metrics": null/'
refused 1 'attention/matmul_kernel: count: expected a number, found null' proton_3.hatchet '4s/"count": 10/"count": null/'
refused 8 'registers per thread: expected a number' $torch '9s/"registers per thread": 20/"registers per thread": [20]/'
refused 2 "expected an element of 'benchmarks'" google_complexity.json '2s/^ {.*},/null,/'
refused 2 'expected version 1 of an NVBench file' nvbench_0_1.json 's/"major": 1/"major": 2/'

# ---- tables that are known and are not taken: the tool, and what to make of it

# known WORDS, with the file on standard input.
known() {
  cat >"$work/known" && count=$((count + 1)) code=0
  "$solgate" import "$work/known" --out="$work/none" 2>"$work/err" >/dev/null || code=$?
  [ "$code" = 4 ] && grep -q '/known:[0-9]*: ' "$work/err" && grep -qF -e "$1" "$work/err" || fail "$1: exit code $code, $(cat "$work/err")"
}
while IFS='|' read -r words header row; do
  printf '%s\n%s\n' "$header" "$row" | known "$words"
  case $words in *' of nsys'*) printf '%s\n%s\n' "$header" "$row" | known 'make `nsys stats --report cuda_gpu_trace --format csv`' ;; esac
done <<'END'
cuda_api_trace of nsys|Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name|50,18843,cudaMalloc,0,9,1,1,20,main
nvtx_pushpop_trace of nsys|Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree|0,1000,1000,0,1000,forward,1,1,0,0,1,,:1,forward
another report or format of nsys|Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID|forward,1,2,3,4,PushPop,1,1
cuda_api_sum or osrt_sum of nsys|Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name|70.0,7000,7,1000.0,1000.0,900,1100,30.0,poll
cuda_gpu_mem_time_sum|Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation|100.0,7000,7,1000.0,1000.0,900,1100,30.0,[CUDA memcpy Host-to-Device]
nvtx_sum or a table in other units of nsys|Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range|70.0,7000000,70,100000.0,99000.0,98000,120000,3000.0,PushPop,:forward
another report or format of nsys|API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Kernel Name|1,2,3,4,5,6,k
another report or format of nsys| Start (ns)  Duration (ns)  CorrId  GrdX  Name| 100 70000 1 148 k
a summary of ncu, which has no launches: leave --print-summary out|"Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"|"7","bench","h","k","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","3","GPU Speed Of Light","Duration","ns","1","3","2"
text of ncu: add --csv|==PROF== Connected to process 7|    Section: GPU Speed Of Light Throughput
text of NVBench: use --json or --csv|\| N    \| Samples \| GPU Time \|| 2^20 40 10 us
a table of torch.profiler: use export_chrome_trace|Name    Self CPU %   Self CUDA   Self CUDA %|aten::mm 1 2 3
perf_report of Triton|N,Mine,Torch|256.000000,238.9,338.4
CSV of tritonbench|x_val;torch_add-latency;mine_add-latency|4096;0.0077;0.0067
rocprof|"Name","Calls","TotalDurationNs","AverageNs","Percentage"|"k",1,2,2,100
rocprof|"Kind","Agent_Id","Kernel_Name","Start_Timestamp","End_Timestamp"|"KERNEL_DISPATCH",1,"k",1,2
JAX or XLA|{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},|{"ph":"X","pid":1,"tid":2,"ts":1,"dur":2,"name":"fusion"}]}
END

# ---- numbers of other locales: read as they stand, each would be another value

ncu_of() { printf '"ID","Process ID","Kernel Name","Block Size","Grid Size","Device","Section Name","Metric Name","Metric Unit","Metric Value"\n' && for value; do printf '"0","7","k","(1, 1, 1)","(1, 1, 1)","%s","x","%s","%s","%s"\n' "${device-0}" "${value%=*}" "${unit-ns}" "${value#*=}"; done; }
for value in 406.240 1.508 406.240.123 '406 240' "406'240,5" "406$(printf '\302\240')240" "406$(printf '\342\200\257')240,1" "406$(printf '\342\200\231')240"; do
  ncu_of "gpu__time_duration.sum=$value" | known LC_ALL=C
done
ncu_of gpu__time_duration.sum=406.240 dram__bytes.sum=12.057 | known LC_ALL=C

# taken NAME [ROW]...: the file on standard input, with rows that its run has.
taken() {
  name=$1
  shift
  cat >"$work/$name.in"
  "$solgate" import "$work/$name.in" --out="$work/$name" >/dev/null || fail "$name: not taken"
  for row; do has "$name" "$row"; done
}
ncu_of gpu__time_duration.sum=406.240000 dram__bytes.sum=12.05 | taken six_decimals 'ncu,all,k,time,ns,406.24,'
ncu_of gpu__time_duration.sum=406.240 dram__bytes.sum=1,024 | taken commas 'ncu,all,k,time,ns,406.24,'
ncu_of gpu__time_duration.sum=0.240 | taken below_one 'ncu,all,k,time,ns,0.24,'
{ ncu_of gpu__time_duration.sum=400 && device=1 ncu_of gpu__time_duration.sum=800 | sed '1d; s/^"0"/"1"/'; } | taken devices 'ncu,all,k,time,ns,400,' 'ncu,device_1,k,time,ns,800,'
{ cat "$data/nsys_2025_gpus.csv" && sed 's/,A*[^,]*(1),/,NVIDIA H100 80GB HBM3 (1),/' "$data/nsys_2025_gpus.csv"; } | taken twice 'nsys,all,my_kernel,time,ns,70000,,,2,'
{ printf 'Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n50,18843,cudaMalloc,0,9,1,1,20,main\n\n' && cat "$data/nsys_2025_gpus.csv"; } | taken behind 'nsys,device_1,my_kernel,time,ns,140000,'
grep -q cuda "$work/behind/run.csv" "$work/nsys_2025_gpus.csv/run.csv" && fail "calls of the API are kernels"
grep -q '^gpu,unknown' "$work/nsys_2025_gpus.csv/env.csv" || fail "two GPUs are one: $(grep '^gpu' "$work/nsys_2025_gpus.csv/env.csv")"
has nvbench_0_4.csv 'nvbench,t_f32_n_2_24,copy,time,ns,60000,59983.3715,60016.6332,800,ok,mean of 800,'
has nvbench_0_4.csv 'nvbench,t_f32_n_2_26,copy,time,,,,,,nan,the mean is not a number: NVBench kept no sample,'
has nvbench_0_4.csv 'nvbench,t_f32_n_2_28,copy,status,,,,,,skipped,'
has nvbench_0_4.csv 'nvbench,all,sort,time,ns,2000000,1964534.34,2036105.92,30,ok,mean on the host of 30,'
has cutlass_3.csv 'cutlass_gemm_256x64,status,,,,,,wrong,incorrect,'
sed 's/,incorrect,/,invalid_problem,/; s/0.0104/0/' "$data/cutlass_3.csv" | taken no_problem 'cutlass_gemm_256x64,status,,,,,,unsupported,invalid_problem,'
{ cat "$data/google_bench.csv" && for row in mean:1 median:1 stddev:0 cv:0; do echo "\"BM_Other_${row%:*}\",2,${row#*:},1,ns,,,,,"; done; } | taken spreads 'google_benchmark,all,bm_other_median,time,ns,1,'
if grep -q 'stddev\|_cv' "$work/spreads/run.csv"; then fail "a spread is a time: $(cat "$work/spreads/run.csv")"; fi
sed 's/"value": "1.2345e-05"/"value": "-nan"/' "$data/nvbench_0_1.json" | taken nan_state 'nvbench,n_2_20,copy,time,,,,,,nan,'
for path in torch_2_ranges.json google_bench.csv cutlass_3.csv; do # gzip of it is as it is
  gzip -c "$data/$path" | taken "$path.gz" && cmp -s "$work/$path.gz/run.csv" "$work/$path/run.csv" || fail "$path packed is another run"
done
{ printf '\357\273\277[7] of the program\n' && cat "$data/ncu_2020_metrics.csv"; } | gzip | taken bracket && cmp -s "$work/bracket/run.csv" "$work/ncu_2020_metrics.csv/run.csv" || fail "text before a packed table is JSON"

# The case is the innermost range of --nvtx; its name may have colons.
{ ncu_of gpu__time_duration.sum=400 && ncu_of gpu__time_duration.sum=800 | sed '1d; s/^"0"/"1"/'; } | sed '1s/$/,"thread Domain:Push\/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"/
  2s/$/,"7  ""<default domain>:step:none:none:none:none:none:none""  ""<default domain>:mod:a.b:none:none:none:none:none:none"" "/; 3s/$/,""/' |
  taken nvtx 'ncu,mod_a_b,k,time,ns,400,' 'ncu,all,k,time,ns,800,'
# Counters of ncu make the limit that those of `exec` make.
{ ncu_of gpu__time_duration.sum=100000 && unit=byte ncu_of dram__bytes_read.sum=200000000 dram__bytes_write.sum=40000000 &&
  unit=inst ncu_of smsp__sass_thread_inst_executed_op_ffma_pred_on.sum=1000 && unit=op ncu_of sm__ops_path_tensor_src_bf16_dst_fp32.sum=68719476736 &&
  unit=% ncu_of sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed=60; } | sed '2,${/^"ID"/d;}' | taken counted_work 'ncu,all,k,tensor_bf16,flop,6.87194767e+10,'
prints 0 '100.0 us    68.7 Gflop         240 MB  bf16      69.46 us  1.44x' gap "$work/counted_work" --gpu-spec=h200
sed 's/pct_of_peak_sustained_elapsed","%","60"/pct_of_peak_sustained_elapsed","%","90"/' "$work/counted_work.in" | taken counted_xu
prints 0 'XU        90.00 us  1.11x' gap "$work/counted_xu" --gpu-spec=h200
prints 0 'copy (baseline)  60.00 us  2.15x' gap "$work/nvbench_0_4.csv" # and a state without a time
prints 0 'matmul_kernel (baseline)  20.48 us  11.79x' gap "$work/proton_3.hatchet" --gpu-spec=h200
if grep -q 'whole_range' "$work/out"; then fail "the work of a kernel is that of another: $(cat "$work/out")"; fi

# ---- nothing of an import is a verdict

ncu_of sm__throughput.avg.pct_of_peak_sustained_elapsed=52.24 launch__registers_per_thread=40 | sed 's/"ns","52/"%","52/; s/"ns","40/"","40/' | taken counters
sed 's/52.24/32.24/' "$work/counters.in" | taken counters_slow
prints 0 'no verdict (exit 0): counters alone were compared' compare "$work/counters_slow" "$work/counters"
prints 0 'sm_throughput  52.24 %  32.24 %  -20 points  changed' compare "$work/counters_slow" "$work/counters"
prints 0 'no time on either side: run ncu with --metrics gpu__time_duration.sum' compare "$work/counters_slow" "$work/counters"
prints 0 'no verdict (exit 0)' report "$work/slow" --baseline="$work/ncu_2020_metrics.csv" --out="$work/pages" --tables-only
grep -q '^\*\*no verdict (exit 0): ' "$work/pages/report.md" && grep -q '<title>ncu: no verdict (exit 0): ' "$work/pages/index.html" || fail "the page is titled $(head -1 "$work/pages/report.md")"
prints 0 '<testcase classname="ncu" name="all/copy_2a955b43 time"/>' compare "$work/slow" "$work/ncu_2020_metrics.csv" --format=junit
prints 0 'name="n_2_40/copy">' compare "$work/nvbench_0_1.json" "$work/nvbench_0_1.json" --format=junit
prints 0 '<skipped message="not_measured ">accepted as skipped, skipped in this run' compare "$work/nvbench_0_1.json" "$work/nvbench_0_1.json" --format=junit
prints 0 '<testcase classname="nvbench" name="n_2_20/copy time"/>' compare "$work/nvbench_0_1.json" "$work/nvbench_0_1.json" --format=junit
prints 3 ': 1 invalid' compare "$work/nan_state" "$work/nvbench_0_1.json"
prints 4 'an imported kernel is launched by its program: `ncu --set full -k square_kernel PROGRAM`' explain "$work/torch_2_kernel.json" torch_profiler/all/square_kernel_g02bab729 --ncu
prints 4 '`ncu --set full -k k PROGRAM`' explain "$work/counters" ncu/all/k --where
prints 4 '`ncu --set full -k matmul_kernel PROGRAM`' explain "$work/proton_3.hatchet" proton/attention/matmul_kernel --ncu

# ---- a folder: no other run is replaced, and one's own as a whole

"$solgate" run demo --case=n4k --out="$work/demo" >/dev/null 2>&1
cksum "$work/demo"/* >"$work/1"
prints 4 'the folder is not empty' import "$data/nvbench_0_1.json" --out="$work/demo"
cksum "$work/demo"/* | cmp -s - "$work/1" || fail "a measured run was changed"
prints 4 'the folder is not empty' import "$data/nvbench_0_1.json" --out="$work/slow"
prints 0 'nvbench: ' import "$data/nvbench_0_1.json" --out="$work/nvbench_0_3.json"
cmp -s "$work/nvbench_0_3.json/run.csv" "$work/nvbench_0_1.json/run.csv" && [ ! -e "$work/nvbench_0_3.json.unfinished" ] || fail "its own run was not replaced"
prints 4 'expected' import "$work/known" --out="$work/nvbench_0_3.json"
cmp -s "$work/nvbench_0_3.json/run.csv" "$work/nvbench_0_1.json/run.csv" || fail "a file that was refused changed the run"

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do # killed at any moment: the old run or the new one
  file=$data/nvbench_0_$((i % 2 * 2 + 1)).json
  timeout -s KILL "0.00$((i / 2 + 1))" "$solgate" import "$file" --out="$work/nvbench_0_3.json" >/dev/null 2>&1 || true
  "$solgate" compare "$work/nvbench_0_3.json" "$work/nvbench_0_3.json" >"$work/out" 2>&1 || fail "killed: $(cat "$work/out")"
done

# ---- mutated at random: a run or a sentence; 500 of each were tried with the preset `sanitize`

python3 "$tree/tests/fuzz/import_mutations.py" "$1" 2 >"$work/out" || fail "$(cat "$work/out")"

# ---- 50 MB of trace in 40 MB

LC_ALL=C awk 'BEGIN {
  print "{\"traceEvents\":["
  for (i = 0; i < 165000; i++)
    printf "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"void ns::k%d<float, 4>(float*, int)\",\"pid\":0,\"tid\":7,\"ts\":%d.25,\"dur\":%d.5,\"args\":{\"External id\":%d,\"queued\":0,\"device\":0,\"context\":1,\"stream\":7,\"correlation\":%d,\"registers per thread\":32,\"blocks per SM\":51.2,\"warps per SM\":819.2,\"grid\":[4096,1,1],\"block\":[512,1,1]}},\n", i % 3 ? "kernel" : "cpu_op", i % 200, i, 10 + i % 5, i, i
  print "{\"ph\":\"M\"}]}" }' >"$work/big.json"
[ "$(wc -c <"$work/big.json")" -gt 45000000 ] || fail "the large trace is small"
if "$solgate" --version >/dev/null && ! grep -qa __asan_init "$solgate"; then # which takes terabytes of addresses
  # shellcheck disable=SC3045 # dash and bash have it
  (ulimit -v 40960 && "$solgate" import "$work/big.json" --out="$work/big") >/dev/null || fail "a large trace takes more than 40 MB"
  grep -q "^torch_profiler,all,k1_[0-9a-f]*,time,ns,11500," "$work/big/run.csv" || fail "a large trace: $(grep k1_ "$work/big/run.csv")"
fi

[ "$failures" = 0 ]
