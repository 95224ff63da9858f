#!/bin/sh
# The dependency rule: what decides and reports must build and run without CUDA, so no include of it leads, by however many headers, to a
# header of CUDA or of the worker. Which files are the worker's is read from CMakeLists.txt.
# Not under sanitizers: it runs no program of this tree.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)

# Headers of the worker: of the same name as a source of its lists (names and patterns), and the interface between its halves.
worker_headers() {
  echo device.h
  (
    cd "$1"
    for source in $(sed -n '/(\(GLOB \)\{0,1\}SOLGATE_\(WORKER\|CUDA\|CUPTI\)_SOURCES/,/)/p' CMakeLists.txt | tr -s ' )' '\n' | grep '\.c$'); do
      basename "$source" .c
    done | sed 's/$/.h/'
  )
}

# forbidden TREE FILE...: a line "file -> header -> header" for each way to a forbidden header.
forbidden() {
  (
    cd "$1"
    worker=$(worker_headers "$1" | tr '\n' ' ')
    shift
    awk -v worker="$worker" '
      function resolve(name, from,   i, path, line) {
        sub(/[^\/]*$/, "", from)
        folders[1] = from; folders[2] = "harness/"; folders[3] = "kernels/"; folders[4] = "metrics/"; folders[5] = "reports/"
        for (i = 1; i <= 5; i++) {
          path = folders[i] name
          if ((getline line < path) >= 0) { close(path); return path }
        }
        return ""
      }
      function visit(path, chain,   line, name, quoted, below, lines, count, i) {
        if (path in seen) return
        seen[path] = 1
        while ((getline line < path) > 0)
          if (line ~ /^[ \t]*#[ \t]*include/) lines[++count] = line
        close(path)
        for (i = 1; i <= count; i++) {
          name = lines[i]; quoted = name ~ /"/
          sub(/^[^<"]*[<"]/, "", name); sub(/[>"].*$/, "", name)
          if (name in is_worker || name ~ /^(cuda|cupti|cublas|nv|device_launch|driver_types)/) print chain " -> " name
          else if (quoted && (below = resolve(name, path)) != "") visit(below, chain " -> " name)
        }
      }
      BEGIN {
        count = split(worker, words, " ")
        for (i = 1; i <= count; i++) is_worker[words[i]] = 1
        for (i = 1; i < ARGC; i++) { split("", seen); visit(ARGV[i], ARGV[i]) }
      }' "$@"
  )
}

pure_files() {
  (
    cd "$tree"
    for file in harness/duet*.[ch] harness/stats*.[ch] harness/compare*.[ch] harness/history*.[ch] harness/record*.[ch] \
      harness/suite*.[ch] harness/cover*.[ch] harness/baseline*.[ch] harness/events*.[ch] harness/processes*.[ch] harness/conditions*.[ch] harness/refusals*.[ch] metrics/sol*.[ch] metrics/physics*.[ch] metrics/diagnose*.[ch] metrics/catalogue*.[ch] \
      metrics/scaling*.[ch] metrics/series*.[ch] reports/*.[ch]; do
      if [ -f "$file" ]; then echo "$file"; fi
    done
  )
}

# The scanner must see what it looks for: one direct include of CUDA, and one of the worker's behind another header.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
mkdir "$planted/harness"
printf 'set(SOLGATE_WORKER_SOURCES harness/verify.c)\n' >"$planted/CMakeLists.txt"
printf '#include <cuda.h>\n#include "between.h"\n' >"$planted/harness/compare.c"
printf '#include "verify.h"\n' >"$planted/harness/between.h"
touch "$planted/harness/verify.h"
expected='harness/compare.c -> cuda.h
harness/compare.c -> between.h -> verify.h'
found=$(forbidden "$planted" harness/compare.c)
if [ "$found" != "$expected" ]; then
  printf 'the scanner misses what was planted; expected:\n%s\nfound:\n%s\n' "$expected" "$found"
  exit 1
fi

files=$(pure_files)
for file in harness/duet.c harness/stats.h harness/compare.h harness/record.h metrics/sol.h reports/report.h; do
  if ! printf '%s\n' "$files" | grep -qx "$file"; then
    echo "$file is not among the files looked at"
    exit 1
  fi
done
# shellcheck disable=SC2086 # one word a file; names of this tree have no blanks
found=$(forbidden "$tree" $files)
if [ -n "$found" ]; then
  printf 'these must not lead to a header of CUDA or of the worker:\n%s\n' "$found"
  exit 1
fi
