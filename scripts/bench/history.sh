#!/bin/sh
# Time and memory of a long history, over made-up nights: check, and show of one series.
#
#     scripts/bench/history.sh [BIN] [NIGHTS] [KERNELS] [METRICS]   BIN: folder of solgate
#         (default build-release/bin);
#                                                                   365 nights of 200 kernels with
#                                                                   40 metrics each
#
# Of the metrics of a kernel three are its time and ratios, the others exact counters; a hundredth
# of the kernels change one of them each night. Nights are paired with an accepted build, another
# one every 60 nights. Targets on an idle core: check 2 s, show 0.2 s, each 300 MB. Prints a
# table, exits 1 if a target is missed.
set -eu

bin=$(cd "${1:-build-release/bin}" && pwd)
nights=${2:-365}
kernels=${3:-200}
metrics=${4:-40}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
width=20 most_exit=2
# shellcheck source=scripts/lib/bench_table.sh
. "$here/../lib/bench_table.sh"

mkdir "$work/run"
awk -v nights="$nights" -v kernels="$kernels" -v metrics="$metrics" -v folder="$work/run" '
  function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.28318530718 * rand()) }
  BEGIN {
    srand(1)
    for (night = 0; night < nights; night++) {
      date = strftime("%Y-%m-%dT02:00:00Z", 1767225600 + 86400 * night, 1)
      run = folder "/" night
      accepted = night < 60 ? 1 : 60 * int(night / 60)
      system("mkdir " run)
      print "family,case,variant,metric,unit,value,low,high,n,status,message,se,sd" > (run "/run.csv")
      for (k = 0; k < kernels; k++) {
        name = sprintf("family,case%04d,variant", k)
        if (rand() < 0.01) moved[k]++
        for (m = 0; m < metrics - 3; m++)
          printf "%s,counter_%02d,1,%d,,,1,ok,,,\n", name, m, 1000 * m + k + (m == 7) * moved[k] > (run "/run.csv")
        print name ",status,,,,,,ok,,," > (run "/run.csv")
        time = 40000 * exp(0.003 * gauss()); ratio = 1.2 * exp(0.0014 * gauss())
        printf "%s,time,ns,%.9g,%.9g,%.9g,5,ok,,0.001,0.002\n", name, time, time * 0.99, time * 1.01 > (run "/run.csv")
        printf "%s,build_ratio,1,%.9g,,,10,ok,against the accepted build %016x,0.0003,0.0009\n", name, exp(0.0004 * gauss()), accepted > (run "/run.csv")
        printf "%s,time_ratio,1,%.9g,%.9g,%.9g,5,ok,against baseline,0.0005,0.001\n", name, ratio, ratio * 0.99, ratio * 1.01 > (run "/run.csv")
      }
      printf "key,value\nschema,2\nstate,finished\nsuite,nightly\ngpu,h200\ndate,%s\nseed,%d\ncommit,%08x\ncode.family,%016x\ngpu_uuid_hash,%s\ndriver,%s\n",
        date, night, 3000000 + night, night + 1, night % 3 ? "2eb3df26fe7e2f59" : "9ad9f523182d704e", night < 200 ? "580.1" : "590.2" > (run "/env.csv")
      close(run "/run.csv"); close(run "/env.csv")
    }
  }'
"$bin/solgate" history add "$work"/run/* --history="$work/history" >"$work/added"
grep -c ': added' "$work/added" | sed "s/\$/ nights of $kernels kernels with $metrics metrics, $(du -sm "$work/history" | cut -f1) MB/"

table_head
row "history check" 2 300 "$bin/solgate" history check --history="$work/history"
row "history show SERIES" 0.2 300 "$bin/solgate" history show family/case0007/variant --history="$work/history"
exit $missed
