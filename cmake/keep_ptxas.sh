#!/bin/sh
# keep_ptxas.sh SOURCES OBJECT COMMAND...: runs a compiler. Its messages go to OBJECT.ptxas, for
# build_facts.sh; all of it but what ptxas prints of every kernel when it is asked to (-v) is
# printed as well, so that a build shows what it always did.
# Compilers write paths and dates of files into line tables, and paths into names of static
# functions. Where ninja builds in the folder SOURCES/BUILD, paths become relative to BUILD, PWD
# hides the rest, and each date becomes that of 2000-01-01. Then any checkout of a commit gives the
# same bytes: its kernels are identical to the accepted ones, and `builds rebuild` makes them again.
top=$1 object=$2
shift 2
is_movable=no
case $PWD in
"$top"/*/*) ;;
"$top"/*) [ ! -e build.ninja ] || is_movable=yes ;;
esac
if [ "$is_movable" = yes ]; then
  for word; do
    shift
    case $word in *"$top"/*) word=${word%%"$top"/*}../${word#*"$top"/} ;; esac
    set -- "$@" "$word"
    case $word in ../*.cu) set -- "$@" -Xcudafe --orig_src_path_name="${word#../}" ;; esac
  done
  export PWD=/proc/self/cwd
fi
code=0
"$@" 2>"$object.ptxas" || code=$?
export LC_ALL=C
grep -vE '^ptxas info +: *([^( ]|$)|^ +[0-9]+ bytes stack frame' "$object.ptxas" >&2

# A line table has the name of each file, a zero byte, the number of its folder, and the date: five
# bytes of seven bits each.
if [ "$is_movable" = yes ] && [ "$code" = 0 ] && [ -s "$object.ptxas" ] && [ -e "$object.d" ]; then
  tr ' \\' '\n\n' <"$object.d" | sed -n '/[^:]$/ {
    s,.*/,,
    s/[^A-Za-z0-9_]/[&]/g
    s/.*/s=\\(&\\x00.\\)[\\x80-\\xff]\\{4\\}[\\x01-\\x0f]=\\1\\x80\\x87\\xb5\\xc3\\x03=g/
    p
  }' | sort -u >"$object.dates"
  sed -i -f "$object.dates" "$object" && rm "$object.dates"
fi
exit "$code"
