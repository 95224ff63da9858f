#!/bin/sh
# `solgate explain --where`: samples are taken where the run has none, kept in pc_samples.csv, and
# the shares of their reasons are those of the stall counters that the simulated device makes them
# up by.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# explains EXIT_STATUS ARGUMENTS...
explains() {
    wanted=$1
    shift
    code=0
    "$solgate" explain "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate explain $*"
}

run 0 null --case=tiny --variant=ok --variant=slower --variant=wrong --out="$work/run" || :
[ "$wanted" = "$code" ] || failures=0 # of `wrong`, which is wanted below
# Without the disassembler instructions are addresses.
cp -R "$work/run" "$work/plain"
mkdir "$work/few" "$work/bin"
ln -s "$(command -v rm)" "$work/few/rm"
PATH=$work/few "$solgate" explain "$work/plain" null/tiny/ok --where >"$work/stdout" 2>"$work/stderr" || fail "exit status $?: no nvdisasm"
says "instructions that nvdisasm did not print are shown as addresses"
prints "0x30 0x30 of null_kernel"

cat >"$work/bin/nvdisasm" <<'END'
#!/bin/sh
# Asked for a function by its number it has none: then it is asked for all.
echo "$*" >>"$ASKED"
case "$*" in *-fun=*) exit 1 ;; "-ndf -c -gi -hex "*.cubin) cat "$SASS" ;; esac
END
chmod +x "$work/bin/nvdisasm"
SASS=$tree/tests/data/sass/null_kernel.sass
ASKED=$work/asked
PATH=$work/bin:$PATH
export SASS ASKED PATH
explains 0 "$work/run" null/tiny ok slower --where
prints "LDG.E R6, desc[UR4][R2.64] scale.c:14 long_scoreboard"
prints "waited for at scale.c:14 FMUL R7, R6, R8"
prints "ok: 7540 samples"
head -n 1 "$work/run/pc_samples.csv" | grep -qx family,case,variant,kernel,code,pc,instruction,charged_to,reason,samples ||
    fail "pc_samples.csv has another header"

[ "$(grep -c -e -fun=0 "$work/asked")" = 1 ] || fail "code of one kernel was read more than once: $(cat "$work/asked")"

# Code of the module that is the sampled code, byte for byte, was printed while samples were taken.
code=$(sed -n '2s/[^,]*,[^,]*,[^,]*,[^,]*,\([^:]*\):.*/\1/p' "$work/run/pc_samples.csv")
printf '#!/bin/sh\n[ "$2" != ok. ] || { echo code >ok.cubin; echo code >../%s.cubin; }\n' "$code" >"$work/bin/cuobjdump"
chmod +x "$work/bin/cuobjdump"
rm "$work/run/pc_samples.csv" "$work/asked"
explains 0 "$work/run" null/tiny ok slower --where
prints "LDG.E R6, desc[UR4][R2.64] scale.c:14"
[ "$(cat "$work/asked")" = "-ndf -c -gi -hex ok.cubin" ] || fail "the code was printed again: $(cat "$work/asked")"

awk -F , -v limit=0.1 -f "$tree/tests/shares.awk" "$work/run/run.csv" "$work/run/pc_samples.csv" >"$work/differ"
[ ! -s "$work/differ" ] || fail "shares of samples are not those of the counters: $(cat "$work/differ")"

# What is there is not taken again, and needs no module.
cp -R "$work/run" "$work/copy"
sed -i 's/^\(command,.*\)/\1 --module=nowhere.so/; /^digest/d' "$work/copy/env.csv"
explains 0 "$work/copy" null/tiny/slower --where
prints "slower: 9520 samples"
grep -q difference "$work/stdout" && fail "one variant has a difference"

# Samples of another build are refused, and none are made up of what failed.
rm "$work/copy/pc_samples.csv"
explains 4 "$work/copy" null/tiny/slower --where
sed -i 's/^code\.null,.*/code.null,0123456789abcdef/; s/ --module=nowhere.so//' "$work/copy/env.csv"
explains 3 "$work/copy" null/tiny/slower --where
says 'another build (code.null "0123456789abcdef"): run it again'
[ ! -e "$work/copy/pc_samples.csv" ] || fail "samples of another build were kept"
printf 'family,case\n' >"$work/run/pc_samples.csv"
explains 4 "$work/run" null/tiny/ok --where
says "pc_samples.csv:1"
explains 4 "$work/run" null/tiny/ok --where --against="$work/copy"

[ "$failures" = 0 ]
