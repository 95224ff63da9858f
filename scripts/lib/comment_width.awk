# comment_width.awk - lists comment lines and prose lines of .md files over 100 columns; exit 1 if
# any are found.
#
# awk -f comment_width.awk FILE...: checks comments on separate lines. Not checked are comments
# after code, code (clang-format's task), lines that end in a backslash, and tables and examples
# of .md files.
FNR == 1 { inside = 0; kind = FILENAME ~ /\.md$/ ? "prose" : FILENAME ~ /\.(c|h|cu|cuh|cpp)$/ ? "c" : "hash" }

function check(is_comment) {
    if (!is_comment || length($0) <= 100 || /\\$/)
        return
    printf "%s:%d: %d columns: at most 100 in a comment\n", FILENAME, FNR, length($0)
    found = 1
}

kind == "c" {
    starts = !inside && /^ *\/\*/
    check(inside || starts || /^ *\/\//)
    if (starts)
        inside = 1
    else if (!inside && match($0, /\/\*[^"]*$/) && !index(substr($0, RSTART), "*/"))
        inside = 1
    if (inside && /\*\//)
        inside = 0
}
kind == "hash" { check(/^ *# /) }
kind == "prose" {
    if (/^```/)
        inside = !inside
    check(!inside && !/^(\||    |<!--|!?\[)/)
}

END { exit found + 0 }
