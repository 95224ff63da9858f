# shellcheck shell=sh
# shellcheck disable=SC2034 # what is set here is used by those who source it
# What the tests of `solgate history` share; sourced with $1, the folder of the
# programs. Sets: solgate, tree, work (a folder of this test, which is the working
# folder), failures, to be 0 at the end.
solgate=$(cd "$1" && pwd)/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cd "$work" || exit

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' "$work/out" "$work/err" 2>/dev/null | tail -15
  failures=$((failures + 1))
}

# expect SENTENCE CODE WORDS ARGUMENTS...: solgate history ARGUMENTS ends with CODE and prints
# WORDS; output in $work/out and $work/err
expect() {
  sentence=$1 wanted=$2 words=$3
  shift 3
  code=0
  "$solgate" history "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$wanted" ] || fail "$sentence: exit $code instead of $wanted"
  cat "$work/out" "$work/err" | tr -s ' \n' '  ' | grep -q -F -e "$words" || fail "$sentence: does not print '$words'"
}

# nights FOLDER COUNT [AWK-ASSIGNMENT...]: runs FOLDER/0 .. FOLDER/COUNT-1 of three variants, one a
# day from 2026-01-01 on. step: ln, of `moved` from night `at` on; last: ln, of `moved` on the last
# night; spread: of its processes there; registers: of `moved` on the last night; status: of `still`
# there; gpus: how many there are, in place of two; all: ln, of every variant from night `at` on.
# builds: nights are paired with the accepted build; code: a new module from that night on, by whose
# commit `moved` is slower; accept: from then on it is the accepted build.
nights() {
  folder=$1 count=$2
  shift 2
  assignments=
  for assignment in "$@"; do assignments="$assignments -v $assignment"; done
  mkdir -p "$folder"
  # shellcheck disable=SC2086 # words
  awk -v folder="$folder" -v count="$count" $assignments '
    function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand()) }
    function digest(is_new) { return sprintf("%016x", is_new ? 2 : 1) }
    function item(name, ratio, registers, status) {
      printf "f,c,%s,registers,register,%d,,,1,ok,,,\n", name, registers > run "/run.csv"
      printf "f,c,%s,status,,,,,,%s,,,\n", name, status > run "/run.csv"
      if (status != "ok") return
      printf "f,c,%s,time,ns,%.9g,%.9g,%.9g,5,ok,,0.001,0.002\n", name, 40000 * ratio, 39000 * ratio, 41000 * ratio > run "/run.csv"
      if (builds)
        printf "f,c,%s,build_ratio,1,%.9g,,,10,ok,against the accepted build %s,0.0003,0.0006\n", name, exp(0.0004 * gauss()) * (name == "moved" ? pair : 1), digest(night >= accept) > run "/run.csv"
      if (name != "base")
        printf "f,c,%s,time_ratio,1,%.9g,%.9g,%.9g,5,ok,base,0.0003,%g\n", name, ratio, ratio * 0.99, ratio * 1.01, is_last && spread && name == "moved" ? spread : 0.0006 > run "/run.csv"
    }
    BEGIN {
      srand(2)
      for (night = 0; night < count; night++) {
        run = folder "/" night
        system("mkdir -p " run)
        is_last = night == count - 1
        pair = (night >= code ? exp(step) : 1) / (night >= accept ? exp(step) : 1)
        print "family,case,variant,metric,unit,value,low,high,n,status,message,se,sd" > run "/run.csv"
        shared = all && night >= at ? exp(all) : 1
        item("base", exp(0.001 * gauss()) * shared, 32, "ok")
        item("moved", 1.2 * exp(0.001 * gauss() + (night >= at) * step + is_last * last) * shared, is_last && registers ? registers : 40, "ok")
        item("still", 1.5 * exp(0.001 * gauss()) * shared, 40, is_last && status ? status : "ok")
        printf "key,value\nschema,2\nstate,finished\nsuite,s\ngpu,h200\ndate,2026-%02d-%02dT02:00:00Z\nseed,%d\n", 1 + int(night / 28), 1 + night % 28, night > run "/env.csv"
        printf "commit,%s\ngpu_uuid_hash,%s\ndriver,580.1\n", sprintf("%07d", night), gpus ? "gpu" night % gpus : night % 2 ? "aaaa" : "bbbb" > run "/env.csv"
        if (builds) printf "tolerance,0.005\ncode.f,%s\naccepted_code.f,%s\n", digest(night >= code), digest(night >= accept) > run "/env.csv"
        close(run "/run.csv"); close(run "/env.csv")
      }
    }'
}
