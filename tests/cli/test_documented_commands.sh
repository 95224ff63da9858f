#!/bin/sh
# Each command line of README.md and of the guides, as it stands there, does what it is for: what
# needs no GPU runs, on runs of the null family; the rest must be a command line that solgate takes.
# Not under sanitizers: each command runs there in tests of its own.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
unset SOLGATE_HOME SOLGATE_BASELINES
export SOLGATE_BUILDS="$scratch/builds" XDG_CACHE_HOME="$scratch/cache"

# What the lines name: runs R, mon, tue, ..., accepted numbers, two builds of a module, a sweep's
# file, commits (of which none builds).
mkdir "$scratch/here" "$scratch/new"
cd "$scratch/here"
cp -R "$tree/baselines" .
ln -s "$tree/tests" "$tree/kernels" .
cp "$bin/libsg_null.so" "$scratch/new"
PATH=$bin:$PATH
seed=0
for run in R night mon tue wed gpu0 gpu1 gpu2 gpu3 gpu4 gpu5 gpu6 gpu7; do
  seed=$((seed + 1))
  solgate run null --case=tiny --variant=slower --variant=tuned --seed=$seed --out=$run >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
  }
done
printf '[suite]\ntitle = one\n\n[null]\ncase = tiny\nvariant = ok\n' >one.suite
for run in mon tue wed; do # of a GPU that has a name
  echo gpu_uuid_hash,a1 >>$run/env.csv
  solgate baseline seal $run --reason="of one GPU" >"$scratch/log"
done
git init --quiet --initial-branch=main .
for commit in v1 v1.0 HEAD; do
  git -c user.name=n -c user.email=e commit --quiet --allow-empty -m $commit
  [ $commit = HEAD ] || git tag $commit
done
printf '[null/tuned]\ntiny = width=4 depth=3\n' >tuned.config

# commands FILE: its indented lines that begin with solgate, without what is
# said about them behind two blanks
commands()
{
  sed -n 's/^    \(build-release\/bin\/\)\{0,1\}\(solgate [a-z].*\)/\2/p' "$tree/$1" | sed -e 's/  .*//' -e 's/ #.*//'
}

# filled: words that stand for something become that; runs are small
filled()
{
  sed -e 's/ nightly SUITE/ nightly one.suite/' -e 's/ run SUITE --out/ run null --out/' -e 's/ run null \(--out\|--config\)/ run null --case=tiny --variant=tuned \1/' \
    -e 's/ run SUITE --sweep/ run null --sweep=null\/tuned --case=tiny/' -e 's/--out=R$/--out=NEW/' -e 's/--out=S$/--out=NEW/' \
    -e 's/--out=R\/report/--out=NEW/' -e 's/S\/null.config/tuned.config/' -e 's/ run \.\/my.suite --module=[^ ]*/ run null --case=tiny --variant=ok/' \
    -e 's/FAMILY\/CASE BASE CAND[IDATE]*/null\/tiny ok slower/' -e 's/FAMILY\/BASE FAMILY\/CAND/null\/ok null\/slower/' \
    -e 's/old.so:matvec\/vec16_rows new.so:matvec\/vec16_rows/..\/new\/libsg_null.so:null\/ok '"$(echo "$bin" | sed 's/\//\\\//g')"'\/libsg_null.so:null\/ok/' \
    -e 's/ ab \.\.\./ ab null\/ok null\/faster/' -e 's/--case=r4096_c4096_f32/--case=tiny/' -e 's/null\/ok null\/tuned/null\/ok null\/tuned --case=tiny/' \
    -e 's/RUN_OF_GPU_1 RUN_OF_GPU_2 \.\.\./mon tue/' -e 's/ FILE / baselines\/null\/null.csv /' -e 's/TEXT/"a test"/' -e 's/ >.*//' -e "s/'matvec\*'/'null*'/" \
    -e 's/GOOD BAD FAMILY\/CASE\/VAR[IANT]*/v1 HEAD null\/tiny\/ok/' -e "s/ night\// mon/; s/'r64\*' --variant=vec16_rows/'t*' --variant=slower/" \
    -e 's/=BASE..HEAD FAMILY/=v1..HEAD matvec/' -e 's/=BASE /=v1 /' \
    -e '/--case/!s/^solgate ab .*null\/.*/& --case=tiny/'
}

# takes COMMAND: it ends with the exit code of a verdict, or for want of a GPU
takes()
{
  code=0
  rm -rf NEW out
  (eval "$1") >"$scratch/log" 2>&1 </dev/null || code=$?
  case $code in
    0 | 1 | 2 | 3 | 77) return ;;
    4) if grep -q 'built only where its toolkit is found\|needs the module\|no module holds\|has no family kernels/' "$scratch/log"; then return; fi ;;
  esac
  echo "FAILED: '$1' of $2 ends with $code:"
  sed 's/^/    /' "$scratch/log"
  failures=$((failures + 1))
}

for page in README.md docs/guide.md docs/adding.md; do
  commands $page >"$scratch/found"
  [ -s "$scratch/found" ] || { echo "FAILED: no command in $page" && failures=$((failures + 1)); }
  filled <"$scratch/found" | sort -u >"$scratch/filled"
  while read -r line; do
    case $line in
      *--resume) ;; # of a run that is not finished: test_run_resume.sh
      *) takes "$line" "$page" ;;
    esac
  done <"$scratch/filled"
done
[ "$failures" = 0 ]
