#!/bin/sh
# What gate.sh and night.sh share: which families there are, and one closing line for all of them.
# The exit code is the worst one: 5, then 1, then those without a verdict (4, 77), then 3, then 2.
told='' worst=0 failed=3

# families FOLDER BUILD: prints the names of those that CMake adds; fails where CMake does
families() {
  mkdir -p "$2"
  cmake -S "$1" -B "$2" >"$2/configured.txt" || {
    cat "$2/configured.txt" >&2
    return 1
  }
  sed -n 's/^-- family \([a-z0-9_]*\): .*/\1/p' "$2/configured.txt"
}

# has NAME LIST
has() {
  case " $(echo $2) " in *" $1 "*) ;; *) return 1 ;; esac
}

rank() {
  case $1 in 0) echo 0 ;; 2) echo 1 ;; 3) echo 2 ;; 1) echo 4 ;; 5) echo 5 ;; *) echo 3 ;; esac
}

# tell WORDS: for the closing line
tell() {
  told="$told${told:+, }$1"
}

# count EXIT WORDS: the same, and the exit code counts
count() {
  tell "$2"
  [ "$(rank "$1")" -le "$(rank "$worst")" ] || worst=$1
}

# judged EXIT FAMILY: how solgate ended
judged() {
  case $1 in
    0) count 0 "$2 passed" ;;
    1) count 1 "$2 regressed" ;;
    2) count 2 "$2 inconclusive" ;;
    3) count 3 "$2 not measured" ;;
    5) count 5 "$2 wrong" ;;
    77) count 77 "$2 without a GPU" ;;
    *) count "$1" "$2 stopped with exit $1" ;;
  esac
}

# close TITLE MARK: the last line, also where a command failed before the end
close() {
  [ -z "$failed" ] || count "$failed" 'it did not get to its end'
  case $worst in 0) word=PASS ;; 1 | 5) word=FAIL ;; *) word=OPEN ;; esac
  printf '\n%s%s (exit %s): %s: %s%s\n' "$2" "$word" "$worst" "$1" "$told" "$2"
  trap - EXIT
  exit "$worst"
}
