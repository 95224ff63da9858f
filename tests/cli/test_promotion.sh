#!/bin/sh
# kernels/blockscaled_gemm/tools/promotion.sh makes its table from a run made by hand,
# marks what would be wrong, and refuses what it does not understand. Not under sanitizers:
# the work is done by a shell script.
set -eu

script=kernels/blockscaled_gemm/tools/promotion.sh
# shellcheck source=tests/cli/script_lib.sh
. "$(dirname "$0")/script_lib.sh"

mkdir -p "$work/run" "$work/empty" "$work/broken" "$work/foreign"
cat >"$work/run/run.csv" <<CSV
$header
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,baseline,error_rms,1,0.00167,,,,ok,
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,baseline,status,,,,,,ok,
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,baseline,time,ns,400000,390000,410000,5,ok,
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,one_accumulator,error_rms,1,0.0034,,,,ok,
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,one_accumulator,status,,,,,,ok,
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,one_accumulator,time_ratio,1,0.9,0.89,0.91,5,ok,against baseline
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,cublaslt_fp8_fast,status,,,,,,wrong,"d[0,1]: 1, reference 2"
blockscaled_gemm,m4096_n4096_k16384_t256x128_e4m3_loose,cublaslt_fp8_block,status,,,,,,unavailable,no library
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3_loose,baseline,status,,,,,,ok,
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3_loose,baseline,time,ns,20000,19000,21000,5,ok,
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3_loose,one_accumulator,error_rms,1,0.0017,,,,ok,
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3_loose,one_accumulator,status,,,,,,ok,
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3_loose,one_accumulator,time_ratio,1,0.95,0.94,0.96,5,ok,against baseline
blockscaled_gemm,m4096_n4096_k512_t256x128_e4m3,one_accumulator,time_ratio,1,0.5,0.4,0.6,5,ok,against baseline
matvec,r64_c64_f32_loose,one_accumulator,time_ratio,1,0.5,0.4,0.6,5,ok,against baseline
CSV
echo "$header" >"$work/empty/run.csv"
sed 's/,0.9,0.89,0.91,/,0.9,,0.91,/' "$work/run/run.csv" >"$work/broken/run.csv"
echo "a,b" >"$work/foreign/run.csv"

ends 0 run
says 'an error beyond what is allowed is marked' \
  '| 256x128 | 16384 | 400.0 us | 0.900 [0.890, 0.910] | unavailable | - | wrong | 0.167 % | 0.340 % **wrong** | unavailable | - | wrong |'
says 'one within is not, and no row of it is no error' \
  '| 256x128 | 512 | 20.0 us | 0.950 [0.940, 0.960] | - | - | - | 0.000 % | 0.170 % | - | - | - |'
[ "$(wc -l <"$work/output")" = 4 ] || fail "other cases and families are left out"
[ "$(sed -n 3p "$work/output" | cut -d'|' -f3)" = ' 512 ' ] || fail "k goes up, as a number"

ends 0 --allowed=4e-3 run
! grep -qF '**wrong**' "$work/output" || fail "what is allowed can be said"

ends 3 empty
says 'a run without such cases is refused' "expected cases of blockscaled_gemm that end in _loose, found 'none'"
ends 3 broken
says 'a ratio without an interval is refused, with its line' "broken/run.csv:7: expected low above 0, found ''"
ends 3 foreign
says 'another file is refused' "expected the header of a run, found 'a,b'"
ends 4 nowhere
says 'no run is refused' "found no run.csv in 'nowhere'"
ends 4 run empty
says 'one run at a time' 'expected one run, found run and empty'
ends 4 --allowed=much run
says 'what is allowed is a ratio' "found 'much'"
ends 4 --fast run
says 'no other arguments' 'unknown argument --fast'
[ "$failures" = 0 ]
