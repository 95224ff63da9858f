# shellcheck shell=sh disable=SC2154 # commits.sh assigns what is not assigned here
# Searches for `solgate bisect`; commits.sh sources this file with
#
#   SOLGATE GOOD BAD TOLERANCE [OPTION of solgate ab...]
#
# git bisect chooses commits, and `solgate ab` compares each with GOOD. Results stay in the folder
# of the search, so that the same command resumes after an interruption.
solgate=$1 good_name=$2 bad_name=$3 tolerance=$4
shift 4
variant=${item##*/} case_=${item#*/}
case_=${case_%/*}
good=$(find_commit "$good_name")
bad=$(find_commit "$bad_name")
[ "$good" != "$bad" ] || stop 4 "expected two commits, found that $good_name and $bad_name are one"
[ -n "$folder" ] || folder=${XDG_CACHE_HOME:-$HOME/.cache}/solgate/bisect
folder=$folder/$(printf '%s\n' "$repository" "$good" "$bad" "$item" "$build" "$module" "$tolerance" "$*" |
    git hash-object --stdin | cut -c 1-16)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 130' HUP INT TERM

# short COMMIT: prints 12 digits
short()
{
    printf '%.12s' "$1"
}

# percent CHANGE: prints a ratio as percent, +3.75
percent()
{
    awk -v change="$1" 'BEGIN { printf "%+.2f", 100 * change }'
}

# read_verdict FILE: reads the first row of a gate's csv; sets reading and change
read_verdict()
{
    metric='' change=''
    {
        read -r _
        IFS=, read -r _ _ of metric _ _ _ change low high _ _ _ verdict _ _ _ _ processes _ why
    } <"$1" || :
    reading="$of: $(printf '%s' "$why" | tr -d '"')"
    [ "$metric" != time_ratio ] ||
        reading="$(percent "$change") % [$(percent "$low"), $(percent "$high")] of $processes processes, $verdict"
}

# measure BASE HEAD NAME LIMIT: compares HEAD with BASE, in runs/NAME. Sets word (good, bad or
# skip), reading and change. A commit with an invalid A/B is skipped.
measure()
{
    build_commit "$1"
    [ -n "$built" ] || stop 3 "$1: does not build: $log"
    baseline=$built head=$2 run=$folder/runs/$3 limit=$4
    shift 4
    build_commit "$head"
    word=skip reading="does not build: $log"
    [ -n "$built" ] || return 0
    mkdir -p "$run"
    status=0
    # `wait` lets the shell handle a signal before the gate ends.
    # shellcheck disable=SC2086 # the options are words
    "$solgate" ab "$baseline:$family/$variant" "$built:$family/$variant" --case="$case_" --tolerance="wide:$limit%" --out="$run" --resume \
        --format=csv $ab_options >"$run.csv" &
    child=$!
    wait "$child" || status=$?
    child=
    [ ! -s "$run.csv" ] || read_verdict "$run.csv"
    case $status in
    0) word=good ;;
    1) word=bad ;;
    2 | 5) ;;
    4) reading="solgate ab refuses it" ;;
    3)
        rm -rf "$run"
        stop 3 "$head: its A/B is invalid; the same command measures it again"
        ;;
    *) exit "$status" ;;
    esac
}

# BAD is measured first. The limit for the others is half of BAD's slowdown: far enough from both
# ends that few processes decide.
open_clone
ab_options="$*"
measure "$good" "$bad" step "$tolerance"
[ "$word" = bad ] ||
    stop 3 "$item: expected $(short "$bad") to be slower than $(short "$good") by more than $tolerance %, found $reading"
step=$reading
limit=$(awk -v change="$change" 'BEGIN { half = 100 * (sqrt(1 + change) - 1); printf "%.4f", half < 99 ? half : 99 }')
most=$(printf '%.3g' "$limit")

# search: measures the commits that git bisect chooses. Sets first, the candidates for the first bad
# commit, and list, one line per measured commit.
search()
{
    list=$folder/measured
    : >"$list"
    going=yes
    in_clone bisect start --no-checkout "$bad" "$good" >/dev/null || going=
    while :; do
        in_clone bisect log >"$folder/bisect.log" || going=
        first=$(sed -n 's/^# \(possible \)\{0,1\}first bad commit: \[\([0-9a-f]*\)\].*/\2/p' "$folder/bisect.log")
        [ -z "$first" ] || return 0
        [ -n "$going" ] || stop 3 "$repository: git bisect does not go on"
        commit=$(in_clone rev-parse --verify BISECT_HEAD)
        measure "$good" "$commit" "$(short "$good")-$(short "$commit")" "$limit"
        echo "bisect: $(short "$commit"): $word: $reading" >&2
        printf '  %-5s %s\n        %s\n' "$word" "$(title "$commit")" "$reading" >>"$list"
        in_clone bisect "$word" "$commit" >/dev/null || going=
    done
}
search
measured=$(grep -c '^  [a-z]' "$list" || :)
skipped=$(grep -c '^  skip ' "$list" || :)

# Confirms the commit against its parent with a new A/B, because the search selected its own data.
code=2
count=$(echo "$first" | wc -l)
if [ "$count" -gt 1 ]; then
    echo "first bad commit: one of $count, as those between are skipped"
    for commit in $first; do
        echo "  $(title "$commit")"
    done
else
    measure "$(in_clone rev-parse --verify "$first^")" "$first" "$(short "$first")" "$limit"
    echo "first bad commit: $(title "$first")"
    echo "  against its parent: $reading"
    if [ "$word" = bad ]; then
        code=0
        echo "how sure: slower than its parent by more than $most %; that is false in at most 0.5 of 100 such A/Bs"
    else
        echo "how sure: not confirmed; against its parent it is not slower by more than $most %"
    fi
fi
echo "$item: measured against $(short "$good"), bad above +$most %, half of the step; $((measured + 1)) commits, of which $skipped skipped"
printf '  %-5s %s\n        %s\n' BAD "$(title "$bad")" "$step"
cat "$list"
echo "kept in $folder"
exit $code
