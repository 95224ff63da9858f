#!/bin/sh
# Builds commits of a repository, one after the other, in a clone that shares its objects. solgate
# starts it for `ab --commits`, `bisect` and `builds rebuild`:
#
#   commits.sh pair   REPOSITORY FOLDER FAMILY BUILD MODULE BASE[..HEAD]
#       builds both and prints of each HASH, module, folder of its objects and title, by tabs
#   commits.sh again  REPOSITORY FOLDER FAMILY BUILD MODULE COMMIT FILE IMAGES
#       builds one for the GPUs of IMAGES, as "sm_90a compute_90", and copies its module to FILE
#   commits.sh bisect REPOSITORY FOLDER FAMILY/CASE/VARIANT BUILD MODULE ...
#       searches: bisect.sh
#
# BUILD is a command for sh that leaves MODULE; empty: kernels/FAMILY of this project is built.
#
#   FOLDER/source               the clone; made anew each time, and removed at the end
#   FOLDER/builds/COMMIT/       the module of a commit
#   FOLDER/builds/COMMIT.log    what its build printed, once it has ended; it failed if there is no
#                               module
#
# Nothing is written to the repository. All commits are built in the same place, because compilers
# write paths into device code, and nothing stays in that place after a build: a module that needs
# more than itself must not find what another commit has there.
# Exit codes are those of solgate.
set -eu
# shellcheck disable=SC2034 # item is for bisect.sh
verb=$1 repository=$2 folder=$3 item=$4 family=${4%%/*} build=$5
module=${6:-../build/bin/libsg_$family.so}
shift 6
here=$(dirname "$0")
images=

# stop STATUS WORDS
stop()
{
    printf 'solgate: %s\n' "$2" >&2
    exit "$1"
}

# use_folder: makes FOLDER, absolute from then on
use_folder()
{
    mkdir -p "$folder/builds" || stop 3 "$folder: cannot be made"
    folder=$(cd "$folder" && pwd)
    # A clone that was removed must not be looked for in a folder above.
    export GIT_CEILING_DIRECTORIES="$folder"
}

# Hooks are the repository's, for the work of people. A git that runs us must not choose it.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git_at()
{
    where=$1
    shift
    git -c core.hooksPath=/dev/null -C "$where" "$@"
}
in_clone()
{
    git_at "$folder/source" "$@"
}

# find_commit NAME: prints its full hash
find_commit()
{
    git_at "$repository" rev-parse --quiet --verify "$1^{commit}" 2>/dev/null ||
        stop 4 "$repository: expected a commit of this git repository, found '$1'"
}

# title COMMIT: prints "0123456789ab what it does"
title()
{
    printf '%.12s %s\n' "$1" "$(in_clone log -1 --format=%s "$1" | tr -d '\000-\037\177')"
}

# A build that outlives us holds the lock, too. No `git worktree`: a git that is killed while it
# adds one leaves what every later git in that repository stumbles over.
open_clone()
{
    use_folder
    exec 9>"$folder/lock"
    flock -n 9 || {
        echo "waiting for another build in $folder" >&2
        flock 9
    }
    rm -rf "$folder/source" "$folder/build"
    trap 'rm -rf "$folder/source" "$folder/build"' EXIT
    {
        common=$(cd "$repository" && cd "$(git rev-parse --git-common-dir)" && pwd)
        git clone --quiet --shared --no-checkout "$common" "$folder/source"
    } || stop 3 "$repository: git makes no clone of it in $folder"
}

# commit_changes: prints the hash of a commit of the clone that holds HEAD with the changes of the
# working tree, and what is new there unless git ignores it; HEAD itself where there are none.
commit_changes()
{
    top=$(git_at "$repository" rev-parse --show-toplevel)
    excluded=$(cd "$top" && git rev-parse --git-path info/exclude)
    mkdir -p "$folder/source/.git/info"
    (cd "$top" && cp "$excluded" "$folder/source/.git/info/exclude") 2>/dev/null || :
    case $folder in "$top"/*) own=${folder%/*} own=":(exclude,literal)${own#"$top"/}" ;; *) own= ;; esac
    base=$(git_at "$top" rev-parse HEAD)
    in_top()
    {
        git_at "$top" --git-dir="$folder/source/.git" --work-tree="$top" "$@"
    }
    in_top read-tree "$base"
    # What git ignores need not be left out, and naming it is an error.
    [ -z "$own" ] || ! in_top check-ignore -q --no-index -- "$folder" || own=
    in_top -c advice.addEmbeddedRepo=false add --all -- . ${own:+"$own"}
    tree=$(in_top write-tree)
    [ "$tree" != "$(in_top rev-parse "$base^{tree}")" ] || { echo "$base" && return; }
    export GIT_AUTHOR_NAME=solgate GIT_AUTHOR_EMAIL=solgate GIT_COMMITTER_NAME=solgate GIT_COMMITTER_EMAIL=solgate
    export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'
    in_top commit-tree -p "$base" -m "uncommitted changes" "$tree"
}

# Builds what is checked out where sh stands.
run_build()
{
    [ -z "$build" ] || exec sh -c "$build"
    cuda=OFF architectures=
    [ -z "$(find "kernels/$family" -name '*.cu')" ] || cuda=ON
    for image in $images; do # as CMake has them: 90a-real;90-virtual
        case $image in
        sm_*) architectures="${architectures:+$architectures;}${image#sm_}-real" ;;
        compute_*) architectures="${architectures:+$architectures;}${image#compute_}-virtual" ;;
        esac
    done
    cmake -S . -B ../build -G Ninja -DSOLGATE_TESTS=OFF -DSOLGATE_CUDA="$cuda" \
        ${architectures:+"-DCMAKE_CUDA_ARCHITECTURES=$architectures"} && exec ninja -C ../build "sg_$family"
}

# Objects and archives of the family, for plan/built_difference.h. Those of other families are not
# in its module, and the table of its own variants (sg_FAMILY.dir) says nothing that they do not.
keep_objects()
{
    mkdir -p "$kept/objects"
    (cd "$folder" && find source build -name '*.[ao]' -type f 2>/dev/null) | while read -r file; do
        case $file in */"sg_${family}_code.dir"/*) ;; */sg_*.dir/* | */CompilerId*) continue ;; esac
        cp "$folder/$file" "$kept/objects/$(echo "$file" | tr / +)" || exit
    done || rm -rf "$kept/objects"
}

# All files get one date, that of SOURCE_DATE_EPOCH: compilers write it into code.
check_out()
{
    if ! in_clone checkout --quiet --force --detach "$1" || ! in_clone clean -ffdqx; then
        stop 3 "$1: git does not check it out in $folder/source"
    fi
    find "$folder/source" -name .git -prune -o -type f -exec touch -d 2000-01-01 {} +
}

# build_commit HASH: sets log, and built to the path of its module; built is empty where it does not
# build. The module is kept first and the log last: a build that was cut short is done again.
build_commit()
{
    kept=$folder/builds/$1 log=$folder/builds/$1.log
    built=$kept/${module##*/}
    if [ ! -e "$log" ]; then
        echo "building $family at $(title "$1")" >&2
        check_out "$1"
        mkdir -p "$kept"
        status=0
        (cd "$folder/source" && export SOURCE_DATE_EPOCH=946684800 && run_build) >"$log.part" 2>&1 || status=$?
        [ "$status" -le 128 ] || stop 130 "$1: its build was stopped; the same command goes on"
        if [ "$status" = 0 ] && (cd "$folder/source" && cp "$module" "$kept/part") 2>>"$log.part"; then
            [ "$verb" != pair ] || keep_objects
            mv "$kept/part" "$built"
        fi
        [ -e "$built" ] || tail -n 10 "$log.part" >&2
        rm -rf "$folder/build"
        find "$folder/source" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
        mv "$log.part" "$log"
    fi
    [ -e "$built" ] || built=
}

# has_family COMMIT: kernels/FAMILY, where no BUILD is given
has_family()
{
    [ -n "$build" ] || in_clone cat-file -e "$1:kernels/$family" 2>/dev/null
}

# build_side HASH: builds it, or stops; prints its line of `pair`
build_side()
{
    name=$(title "$1")
    has_family "$1" || stop 4 "$name: has no family kernels/$family; of another project say how to build it, by --build and --module"
    build_commit "$1"
    [ -n "$built" ] || stop 3 "$name: does not build, or leaves no $module: $log"
    printf '%s\t%s\t%s\t%s\n' "$1" "$built" "$kept/objects" "$name"
}

# build_pair BASE[..HEAD]: HEAD is the working tree where it is not named
build_pair()
{
    first=$(find_commit "${1%%..*}")
    open_clone
    changes=$(commit_changes) || stop 3 "$repository: git does not take its uncommitted changes to $folder"
    second=$changes
    if [ "$1" != "${1#*..}" ]; then
        head=${1#*..}
        second=$(find_commit "${head:-HEAD}")
        now=$(find_commit HEAD)
        [ "$now" != "$second" ] || [ "$now" = "$changes" ] ||
            echo "ab: uncommitted changes are no part of HEAD, and are not gated; --commits=${1%%..*} has them" >&2
    fi
    build_side "$first"
    build_side "$second"
}

trap 'exit 130' HUP INT TERM
[ ! -d "$repository" ] || repository=$(cd "$repository" && pwd)
case $verb in
pair) build_pair "$1" ;;
again)
    images=$3
    open_clone
    in_clone cat-file -e "$1^{commit}" 2>/dev/null || stop 3 "the commit $1 is not in $repository; --repo=DIR names another"
    has_family "$1" || stop 3 "the commit $1 has no kernels/$family; --build=COMMAND --module=FILE build what is not solgate"
    build_commit "$1"
    [ -n "$built" ] && cp "$built" "$2"
    ;;
bisect)
    # shellcheck source=scripts/commits/bisect.sh
    . "$here/bisect.sh"
    ;;
esac
