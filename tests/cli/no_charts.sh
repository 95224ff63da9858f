# shellcheck shell=sh disable=SC2154,SC2123
# $work is set by the test, and PATH is meant.
# Sourced by tests whose charts nobody looks at: a PATH without gnuplot, in the folder $work.
mkdir "$work/path"
for folder in $(printf '%s' "$PATH" | tr ':' ' '); do
  ln -s "$folder"/* "$work/path" 2>/dev/null || : # the first of a name stays
done
rm -f "$work/path/gnuplot"
PATH=$work/path
