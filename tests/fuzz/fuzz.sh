#!/bin/sh
# fuzz.sh BUILD SECONDS - builds tests/fuzz/fuzz_readers.c by clang with libFuzzer in the folder
# BUILD, and runs it; what it finds stays in BUILD/fuzz. Exit 0 if it finds nothing.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
cmake -G Ninja -S "$tree" -B "$1" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSOLGATE_CUDA=OFF -DSOLGATE_FUZZ=ON >/dev/null
cmake --build "$1" --target fuzz_readers
mkdir -p "$1/fuzz/corpus"
cd "$1/fuzz"
tab=$(printf '\t')
printf '"%s"\n' '\x0a' ',' '\x22' "$tab" '[suite]' 'nan' 'inf' '-1' '1e999' '%' ',ok,' ',regressed,' ',within,' ',yes' ',no' '4294967296' \
  'digest' '%s%n' >words
# Data live until the process ends, so each process makes 8000 runs at most.
export ASAN_OPTIONS=detect_leaks=0
SOLGATE_SEEDS=$PWD/corpus ../tests/fuzz_readers -runs=0 -close_fd_mask=0
end=$(($(date +%s) + $2))
while left=$((end - $(date +%s))) && [ $left -gt 0 ]; do
  ../tests/fuzz_readers -dict=words -max_total_time=$left -runs=8000 -max_len=140000 -timeout=20 -print_final_stats=1 corpus
done
