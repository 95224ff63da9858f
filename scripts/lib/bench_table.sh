# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # missed is used, and here, work, width and most_exit are set, by
# who sources this bench_table.sh - a table of commands with their time and memory against targets,
# for the bench scripts that source it.
#
# Needs: here, the folder of tables.c; work, a folder for files; width, of the
# names; most_exit, the last exit code that is no failure. Sets: missed, 1 once a
# target is missed; and builds $work/bench.
${CC:-cc} -std=c17 -O2 -D_DEFAULT_SOURCE -o "$work/bench" "$here/tables.c"
missed=0

table_head() {
  printf "| %-${width}s | %6s | %6s | %6s | %-3s |\n" "command" "s" "cpu s" "MB" "met"
  printf "|%$((width + 2))s|%s|%s|%s|%s|\n" "" "-------:" "-------:" "-------:" "-----" | tr ' ' '-'
}

# row NAME SECONDS MB COMMAND...
row() {
  name=$1
  most_s=$2
  most_mb=$3
  shift 3
  "$work/bench" measure "$@" >"$work/figures" 2>"$work/err"
  # What the command prints is before the figures.
  figures=$(tail -n 1 "$work/figures")
  # shellcheck disable=SC2086 # four words
  set -- $figures
  ok=$(awk -v s="$1" -v m="$3" -v most_s="$most_s" -v most_mb="$most_mb" 'BEGIN { print (s <= most_s && m <= most_mb) ? "yes" : "no" }')
  [ "$4" -le "$most_exit" ] || { echo "$name: exit $4: $(cat "$work/err")" >&2; ok=no; }
  [ "$ok" = yes ] || missed=1
  printf "| %-${width}s | %6s | %6s | %6s | %-3s |\n" "$name" "$1" "$2" "$3" "$ok"
}
