#!/bin/sh
# What a build writes down about kernels: from texts as ptxas and
# cuobjdump print them, without either.
# Not under sanitizers: it runs no program of this tree.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  [ ! -f "$work/facts.h" ] || sed 's/^/    /' "$work/facts.h"
  failures=$((failures + 1))
}

# A compiler that says what stands in $1, makes the object $2 and leaves with $3.
cat >"$work/compiler" <<'EOS'
cat "$1" >&2
: >"$2"
exit "$3"
EOS

# entry KERNEL STORES LOADS [CHIP]: what ptxas -v says of a kernel
entry() {
  echo "ptxas info    : Compiling entry function '$1' for '${4:-sm_90a}'"
  echo "ptxas info    : Function properties for helper"
  echo "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads"
  echo "ptxas info    : Function properties for $1"
  echo "    16 bytes stack frame, $2 bytes spill stores, $3 bytes spill loads"
  echo "ptxas info    : Used 168 registers, used 9 barriers, 16 bytes cumulative stack size"
  echo "ptxas info    : Compile time = 12.707 ms"
}

# note CODE KERNEL
note() {
  echo "ptxas info    : ($1) Potential Performance Loss: wgmma.mma_async instructions are serialized due to something in the function '$2'"
}

{
  note C7519 spills
  note C7519 spills
  note C7510 spills
  echo "ptxas info    : (C7508) nobody says of which function"
  echo "ptxas info    : 0 bytes gmem"
  entry spills 948 968
  entry plain 0 0
  echo "kernel.cu(3): warning #177-D: variable \"x\" was declared but never referenced"
} >"$work/said"
{
  entry plain 0 0
  entry twice 0 0 sm_80
  entry twice 0 8 sm_90a
} >"$work/said_other"

code=0
sh "$tree/cmake/keep_ptxas.sh" "$tree" "$work/a.o" sh "$work/compiler" "$work/said" "$work/a.o" 3 2>"$work/printed" || code=$?
[ "$code" = 3 ] || fail "the compiler's exit status is kept: found $code"
[ "$(wc -l <"$work/printed")" = 5 ] || fail "notes and warnings are printed, and nothing else"
grep -q 'warning #177-D' "$work/printed" || fail "a warning is printed"
grep -c '(C75' "$work/printed" | grep -qx 4 || fail "every note of ptxas is printed"
sh "$tree/cmake/keep_ptxas.sh" "$tree" "$work/b.o" sh "$work/compiler" "$work/said_other" "$work/b.o" 0 2>"$work/printed" || fail "a compiler that succeeds fails"
[ ! -s "$work/printed" ] || fail "what is told of every kernel is printed"

cat >"$work/cuobjdump" <<'EOS'
#!/bin/sh
case $2 in
*/a.o)
  cat <<'EOF_SASS'
		Function : spills
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                   /* 0x00000a00ff017b82 */
                                                                            /* 0x000ff00000000800 */
        /*0010*/              @!P0 STL.64 [R1+0x3a8], R2 ;                  /* 0x0003a80201007387 */
        /*0020*/                   LDL R5, [R1] ;                           /* 0x0003a80201007387 */
        /*0030*/                   LDL.LU R5, [R1] ;                        /* 0x0003a80201007387 */
        /*0040*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24 ;  /* 0x0 */
        /*0050*/             @!UPT UTMALDG.2D.MULTICAST [UR8], [UR4], UR6 ; /* 0x0 */
        /*10060*/                  UTMASTG.2D [UR8], [UR4] ;                /* 0x0 */
		Function : plain
        /*0000*/                   QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24 ;  /* 0x0 */
        /*0010*/                   LDGSTS.E [R1], [R2] ;                    /* 0x0 */
EOF_SASS
  ;;
*/b.o)
  cat <<'EOF_SASS'
		Function : plain
        /*0000*/                   QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24 ;  /* 0x0 */
        /*0010*/                   LDGSTS.E [R1], [R2] ;                    /* 0x0 */
		Function : twice
        /*0000*/                   LDL R5, [R1] ;                           /* 0x0 */
        /*0010*/                   EXIT ;                                   /* 0x0 */
		Function : twice
        /*0000*/                   LDL R5, [R1] ;                           /* 0x0 */
EOF_SASS
  ;;
*)
  echo "cuobjdump info    : File '$2' does not contain device code" >&2
  exit 255
  ;;
esac
EOS
chmod +x "$work/cuobjdump"
: >"$work/host.o"

# has SENTENCE LINE: the table has this line.
has() {
  tr -s ' ' <"$work/facts.h" | grep -qxF -e " $2" || fail "$1"
}

sh "$tree/cmake/build_facts.sh" "$work/facts.h" "$work/cuobjdump" "$work/a.o" "$work/b.o" "$work/host.o"
has "spills, notes and instructions by kind" '{.name = "spills", .notes = "C7519 C7510", .note_count = 3, .spill_store_bytes = 948, .spill_load_bytes = 968, .instructions = 7, .hgmma = 1, .qgmma = 0, .tma_loads = 1, .tma_stores = 1, .local_loads = 2, .local_stores = 1},'
has "a kernel that two objects hold alike is one" '{.name = "plain", .notes = "", .note_count = 0, .spill_store_bytes = 0, .spill_load_bytes = 0, .instructions = 2, .hgmma = 0, .qgmma = 1, .tma_loads = 0, .tma_stores = 0, .local_loads = 0, .local_stores = 0},'
has "of a kernel for two chips what they share" '{.name = "twice", .notes = "", .note_count = 0, .spill_store_bytes = 0, .spill_load_bytes = -1, .instructions = -1, .hgmma = 0, .qgmma = 0, .tma_loads = 0, .tma_stores = 0, .local_loads = 1, .local_stores = 0},'
[ "$(grep -c 'name =' "$work/facts.h")" = 4 ] || fail "three kernels and an end"

# Kernels of one name: alike in a and b, another one in d.
entry plain 16 24 >"$work/d.cu.o.ptxas"
sh "$tree/cmake/build_facts.sh" "$work/facts.h" none "$work/a.o" "$work/b.o" "$work/d.cu.o"
grep -q '"d:plain".*spill_store_bytes = 16,' "$work/facts.h" || fail "a name of several objects is that of its object"
grep -q '"a:plain".*spill_store_bytes = 0,' "$work/facts.h" || fail "and so it is in the others"
! grep -q '"plain"' "$work/facts.h" || fail "none of them is taken for all"
grep -q '"spills"' "$work/facts.h" || fail "a name of one object is as it was"

sh "$tree/cmake/build_facts.sh" "$work/facts.h" none "$work/a.o" "$work/host.o"
has "without cuobjdump instructions are not known" '{.name = "spills", .notes = "C7519 C7510", .note_count = 3, .spill_store_bytes = 948, .spill_load_bytes = 968, .instructions = -1, .hgmma = -1, .qgmma = -1, .tma_loads = -1, .tma_stores = -1, .local_loads = -1, .local_stores = -1},'

# A ptxas that words it otherwise.
grep -v 'bytes stack frame' "$work/a.o.ptxas" >"$work/c.o.ptxas"
sh "$tree/cmake/build_facts.sh" "$work/facts.h" none "$work/c.o"
has "spills that are not printed are not 0 but not known" '{.name = "plain", .notes = "", .note_count = 0, .spill_store_bytes = -1, .spill_load_bytes = -1, .instructions = -1, .hgmma = -1, .qgmma = -1, .tma_loads = -1, .tma_stores = -1, .local_loads = -1, .local_stores = -1},'

sh "$tree/cmake/build_facts.sh" "$work/facts.h" "$work/cuobjdump" "$work/host.o"
[ "$(grep -c 'name =' "$work/facts.h")" = 1 ] || fail "objects without kernels make a list without any"

# The build that is tested, if it has a CUDA compiler: no object is overlooked.
build=$(dirname "$1")
find "$build/kernels" -name '*.ptxas' | while read -r said; do
  sed -n "s/.*Compiling entry function '\([^']*\)'.*/\1\",/p" "$said" >"$work/kernels"
  [ -s "$work/kernels" ] || continue
  folder=${said%%/CMakeFiles/*}
  grep -qF -f "$work/kernels" "$folder"/*_build.h || echo "$said"
done >"$work/overlooked"
[ ! -s "$work/overlooked" ] || fail "nothing is written down of $(cat "$work/overlooked")"

[ $failures = 0 ]
