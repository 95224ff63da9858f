#!/bin/sh
# solgate import: files of other tools become runs that compare, explain, gap and report read; what
# is malformed is refused with its line.
set -eu

solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
data=$tree/tests/data/import
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOLGATE_HOME=$tree
export SOLGATE_HOME
failures=0

fail() { echo "FAIL: $*" && failures=$((failures + 1)); }

# ---- every value is the tool's own, in base units

for path in "$data"/*_*.csv "$data"/*_*.json; do
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
printf '#!/bin/sh\n[ "$1 $3 $4 $LC_ALL" = "--import --page raw C" ] && cat "%s/ncu_2024_raw.csv"\n' "$data" >"$work/bin/ncu"
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
prints 0 'no verdict (exit 0): 3 rows: 2 regressed, 1 within, against' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'imported, not paired: nothing gates; ' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'resolution not known: no time has samples on both sides' compare "$work/slow" "$work/ncu_2020_metrics.csv"
prints 0 'MDE (9 of 10 such runs find it): median 5.8 %, worst 6.2 %' compare "$work/nvbench_0_3.json" "$work/nvbench_0_3.json"
prints 3 'nothing was judged' compare "$work/nsys_2022_trace.csv" "$work/ncu_2024_raw.csv"
prints 3 'not comparable: ' compare "$work/nvbench_0_3.json" "$tree/tests/data/h200/clean"
prints 0 'more is read from DRAM' explain "$work/slow" ncu/all chunk_fwd copy_2a955b43
prints 0 'chunk_fwd against' explain "$work/slow" ncu/all/chunk_fwd --against="$work/ncu_2020_metrics.csv"
prints 0 'No case of the run has rows of work' gap "$work/nvbench_0_3.json"
prints 0 'index.html' report "$work/nvbench_0_3.json" --out="$work/report"
prints 3 'quoted times cannot be accepted: `solgate compare RUN OTHER`' compare "$work/slow" --baselines="$work/accepted"
prints 4 "expected a run that solgate measured" baseline accept "$work/slow" --baselines="$work/accepted"

# ---- which kernel is which: by its symbol, and, where that has several geometries, by these

# trace RUN KERNELS: an imported trace of "NAME|GRID|US;NAME|GRID|US", with two launches of each.
trace() {
  printf '%s' "$2" | awk -v RS=';' -F'|' 'BEGIN { print "{\"schemaVersion\": 1, \"deviceProperties\": [{\"name\": \"NVIDIA H100 80GB HBM3\"}], \"traceEvents\": [" }
    { event = sprintf("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"ts\": 1, \"dur\": %s, \"args\": {\"grid\": [%s, 1, 1], \"block\": [128, 1, 1]}}", $1, $3, $2)
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
pairs 3 '2 rows: 1 not_measured, 1 new: nothing' "$b|16|90" "$a|16|40"
pairs 0 '3 rows: 2 regressed, 1 new, against' "$a|16|60;$b|64|9" "$a|16|40"
pairs 0 '3 rows: 1 not_measured, 2 improved, against' "$a|16|40" "$a|16|60;$b|64|9"
pairs 3 '1 not_measured, 1 new: nothing' 'each<lambda at a.cu:3>(float*)|8|9' 'each<lambda at a.cu:7>(float*)|8|9'
pairs 0 '3 rows: 2 regressed, 1 new, against' 'scale(float*)|8|9;scale(double*)|8|5' 'scale(float*)|8|5'
pairs 3 '3 rows: 1 not_measured, 2 new: nothing' 'a::scale(float*)|8|9;Scale|8|9' 'scale|8|9'
pairs 0 '2 rows: 2 regressed, against' 'add_kernel|16|9' 'add_kernel|8|5' # a kernel is its symbol
pairs 0 '3 rows: 2 regressed, 1 new, against' 'add_kernel|8|9;add_kernel|64|30' 'add_kernel|8|5'
pairs 0 '3 rows: 2 regressed, 1 not_measured, against' "$a|64|30" "$a|64|20;$a|8|5"
pairs 0 '4 rows: 2 regressed, 1 not_measured, 1 new, against' "$a|8|9;$a|16|9" "$a|8|5;$a|32|9"
pairs 0 '3 rows: 2 regressed, 1 within, against' 'k|8|5;k|8|5;k|8|5' 'k|8|5' # launches and total, three times
pairs 3 '3 rows: 1 not_measured, 2 new: nothing' 'add_kernel|1|9;add_kernel|2|9' 'add_kernel|3|9'
grep -q ',add_kernel_g[0-9a-f]*,time,' "$work/now/run.csv" && grep -q ',add_kernel,time,' "$work/before/run.csv" || fail "$(cat "$work/now/run.csv")"
# Thousands of kernels have thousands of names, and reading them takes less than a second.
trace now "$(awk 'BEGIN { for (i = 0; i < 8000; i++) printf "%sn::mul<%d>(float*)|8|%d", i ? ";" : "", i, 9 + i % 5 }')"
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -t 1 && failures=0 && prints 0 'No case of the run has rows of work' gap "$work/now" && exit "$failures") || fail "gap of 8000 kernels takes too long"
prints 0 '8000 rows: 8000 within' compare "$work/now" "$work/now"

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
refused 4 'Duration: expected a number' $nsys '4s/30016//'
refused 4 'expected a time above 0' $nsys '4s/30016/0/'
refused 4 'Reg/Trd: expected a number' $nsys '4s/,24,/,many,/'
refused 5 'Name: expected a name' $nsys '5s/attention_kernel//'
refused 4 'expected its closing quote' $nsys '4s/int)"/int)/'
refused 22 'expected a comma or the end of the object' $torch '$d'
refused 10 'expected JSON, found that' $torch '10s/"shared memory": 1024,/"shared memory" 1024,/'
refused 8 'dur: expected a number' $torch '8s/"dur": 164.032/"dur": "long"/'
refused 8 'dur: expected a number' $torch '8s/"dur": 164.032,//'
refused 8 'expected a time above 0' $torch '8s/164.032/0/'
refused 8 'name: expected that of a kernel' $torch '8s/"square_kernel"/""/'
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
refused 37 'expected 12 samples of 4 bytes, found 44 bytes' $nvbench 's/"value": "11"/"value": "12"/'
refused 4 "expected an element of 'benchmarks'" $google '4s/"iterations": 1000, //; 5s/"iterations": 1000, //'
refused 6 'real_time: expected a number' $google '7s/1.75/"long"/'
refused 4 "unit of a time: expected ns, us, ms or s, found 'min'" $google '5s/"us"/"min"/'
refused 4 "name: expected a benchmark's name" $google '4s/"run_name": "BM_Copy/"run_name": "/'
refused 6 'expected more of google_benchmark as before, found what is of pytest_benchmark' $google '6s/{"name"/{"stats": {"data": [1]}, "nume"/; 6,7s/"iterations"/"its"/; 7s/1.75/"x"/' 
refused 5 "expected an element of 'benchmarks'" $pytest '8s/"stats"/"status"/'
refused 5 'median: expected a number' $pytest '8s/"median"/"middle"/'
refused 5 'data[1]: expected a number' $pytest '9s/9.8e-06/"x"/'
refused 5 'expected a time above 0' $pytest '9s/9.8e-06/-1/'
refused 5 'name: expected that of a test' $pytest '6s/"name"/"title"/'
refused 2 "unit of a time: expected ns, us, ms or s, found 'min'" google_bench.csv '2s/,us,/,min,/'
refused 2 'expected a time above 0' google_bench.csv '2s/,1.5,/,-1.5,/'
refused 3 'real_time: expected a number' google_bench.csv '3s/,20,/,twenty,/'
refused 3 'expected 10 fields as in the header, found 9' google_bench.csv '3s/,$//'
refused 1 'expected a file of a tool' google_bench.csv 1d
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

# ---- cut anywhere, and with a byte changed: a run or a sentence

for path in "$data"/*_*.csv "$data"/*_*.json; do
  size=$(wc -c <"$path")
  for i in 1 2 3 4 5 6; do
    at=$((size * i / 7 + i))
    head -c $at "$path" >"$work/fuzz"
    { head -c $at "$path" && printf '"' && tail -c +$((at + 2)) "$path"; } >"$work/fuzz2"
    for fuzz in fuzz fuzz2; do
      code=0
      "$solgate" import "$work/$fuzz" --out="$work/fuzzed" >/dev/null 2>"$work/err" || code=$?
      [ "$code" = 0 ] || { [ "$code" = 4 ] && grep -q "/$fuzz:[0-9]*: " "$work/err"; } || fail "$path, $fuzz at $at: exit code $code, $(cat "$work/err")"
    done
  done
done

# ---- 100 MB of trace in 64 MB

LC_ALL=C awk 'BEGIN {
  print "{\"traceEvents\":["
  for (i = 0; i < 330000; i++)
    printf "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"void ns::k%d<float, 4>(float*, int)\",\"pid\":0,\"tid\":7,\"ts\":%d.25,\"dur\":%d.5,\"args\":{\"External id\":%d,\"queued\":0,\"device\":0,\"context\":1,\"stream\":7,\"correlation\":%d,\"registers per thread\":32,\"blocks per SM\":51.2,\"warps per SM\":819.2,\"grid\":[4096,1,1],\"block\":[512,1,1]}},\n", i % 3 ? "kernel" : "cpu_op", i % 200, i, 10 + i % 5, i, i
  print "{\"ph\":\"M\"}]}" }' >"$work/big.json"
[ "$(wc -c <"$work/big.json")" -gt 90000000 ] || fail "the large trace is small"
if "$solgate" --version >/dev/null && ! grep -qa __asan_init "$solgate"; then # which takes terabytes of addresses
  # shellcheck disable=SC3045 # dash and bash have it
  (ulimit -v 65536 && "$solgate" import "$work/big.json" --out="$work/big") >/dev/null || fail "a large trace takes more than 64 MB"
  grep -q "^torch_profiler,all,k1_[0-9a-f]*,time,ns,11500," "$work/big/run.csv" || fail "a large trace: $(grep k1_ "$work/big/run.csv")"
fi

[ "$failures" = 0 ]
