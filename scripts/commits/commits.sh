#!/bin/sh
# Builds commits of a repository, one after the other, in a clone that shares its objects. solgate
# starts this script for `ab --commits` and `builds rebuild`:
#
#   commits.sh pair   REPOSITORY FOLDER FAMILY BUILD MODULE BASE[..HEAD]
#       builds both and prints for each, tab-separated: HASH, module, folder of objects, title
#   commits.sh again  REPOSITORY FOLDER FAMILY BUILD MODULE COMMIT FILE
#       builds COMMIT in a temporary folder and copies its module to FILE
#
# BUILD is a command for sh that makes MODULE; empty: builds kernels/FAMILY of this project.
#
#   FOLDER/source               the clone; made each time, and removed at the end
#   FOLDER/builds/COMMIT/       the module of a commit
#   FOLDER/builds/COMMIT.log    output of the finished build, which failed if there is no module
#
# Nothing is written to the repository. All commits are built in the same folder, because compilers
# write paths into device code. The folder is emptied after a build, so that a module which needs
# other files does not find those of another commit.
# Exit codes are those of solgate.
set -eu
verb=$1 repository=$2 folder=$3 family=$4 build=$5
module=${6:-build/bin/libsg_$family.so}
shift 6

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
    # If the clone is gone, git must not find a repository in a parent folder.
    export GIT_CEILING_DIRECTORIES="$folder"
}

# The repository's hooks are meant for people. A git that runs us must not select the repository.
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
    git_at "$repository" rev-parse --quiet --verify "$1^{commit}" 2>/dev/null && return
    hint=
    case $(git_at "$repository" rev-parse --is-shallow-repository 2>/dev/null),$1,$(git_at "$repository" remote 2>/dev/null) in
    ,*) stop 4 "$repository: expected a git repository with the commit $1, found no repository; --repo=DIR names one" ;;
    true,*) hint="; this clone is shallow: git fetch --unshallow" ;;
    *,*/*,) hint="; the repository has no remote: name a local branch, such as main" ;;
    esac
    stop 4 "$repository: expected a commit of this git repository, found '$1'$hint"
}

# title COMMIT: prints "0123456789ab SUBJECT"
title()
{
    printf '%.12s %s\n' "$1" "$(in_clone log -1 --format=%s "$1" | tr -d '\000-\037\177')"
}

# A build that outlives us still holds the lock. Not `git worktree`: if git is killed while adding
# one, the leftovers break later git commands in that repository.
open_clone()
{
    use_folder
    exec 9>"$folder/lock"
    flock -n 9 || {
        echo "waiting for another build in $folder" >&2
        flock 9
    }
    rm -rf "$folder/source"
    trap 'rm -rf "$folder/source"' EXIT
    {
        common=$(cd "$repository" && cd "$(git rev-parse --git-common-dir)" && pwd)
        git clone --quiet --shared --no-checkout "$common" "$folder/source"
    } || stop 3 "$repository: git makes no clone of it in $folder"
}

# commit_changes: prints the hash of a commit in the clone with HEAD, the changes of the working
# tree, and its new files unless git ignores them; the hash of HEAD if nothing changed.
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
    # Naming a folder that git ignores anyway would be an error.
    [ -z "$own" ] || ! in_top check-ignore -q --no-index -- "$folder" || own=
    in_top -c advice.addEmbeddedRepo=false add --all -- . ${own:+"$own"}
    tree=$(in_top write-tree)
    [ "$tree" != "$(in_top rev-parse "$base^{tree}")" ] || { echo "$base" && return; }
    export GIT_AUTHOR_NAME=solgate GIT_AUTHOR_EMAIL=solgate GIT_COMMITTER_NAME=solgate GIT_COMMITTER_EMAIL=solgate
    export GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000'
    in_top commit-tree -p "$base" -m "uncommitted changes" "$tree"
}

# run_build: builds the commit that is checked out in the current folder
run_build()
{
    [ -z "$build" ] || exec sh -c "$build"
    cuda=OFF
    [ -z "$(find "kernels/$family" -name '*.cu')" ] || cuda=ON
    [ "$cuda${CUDACXX-}${CUDA_HOME-}${CUDA_PATH-}" != ON ] || [ -x /usr/local/cuda/bin/nvcc ] || command -v nvcc ||
        { echo "kernels/$family needs a CUDA compiler: put nvcc on PATH" && exit 1; }
    cmake -S . -B build -G Ninja -DSOLGATE_TESTS=OFF -DSOLGATE_CUDA="$cuda" &&
        exec ninja -C build "sg_$family"
}

# keep_objects: keeps the family's objects and archives, for plan/built_difference.h. Objects of
# other families are not in the module. The table of variants (sg_FAMILY.dir) adds no information.
keep_objects()
{
    mkdir -p "$kept/objects"
    (cd "$folder" && find source -name '*.[ao]' -type f 2>/dev/null) | while read -r file; do
        case $file in */"sg_${family}_code.dir"/*) ;; */sg_*.dir/* | */CompilerId*) continue ;; esac
        cp "$folder/$file" "$kept/objects/$(echo "$file" | tr / +)" || exit
    done || rm -rf "$kept/objects"
}

# All files get the date SOURCE_DATE_EPOCH, because compilers write dates into code.
check_out()
{
    # cmake below builds none of solgate's tests, which are most of its files.
    printf '/*\n!/tests/\n!/docs/\n!/studies/\n!/baselines/\n' >"$folder/source/.git/info/sparse-checkout"
    sparse=$([ -n "$build" ] && echo false || echo true)
    if ! in_clone -c core.sparseCheckout="$sparse" -c core.sparseCheckoutCone=false checkout --quiet --force --detach "$1" ||
        ! in_clone clean -ffdqx; then
        stop 3 "$1: git does not check it out in $folder/source"
    fi
    find "$folder/source" -name .git -prune -o -type f -exec touch -d 2000-01-01 {} +
}

# build_commit HASH: sets log, and built to the path of the module; built is empty if the build
# fails. The module is kept first and the log last, so that an interrupted build is repeated.
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
        find "$folder/source" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
        mv "$log.part" "$log"
    fi
    [ -e "$built" ] || built=
}

# has_family COMMIT: true if BUILD is given or the commit has kernels/FAMILY
has_family()
{
    [ -n "$build" ] || in_clone cat-file -e "$1:kernels/$family" 2>/dev/null
}

# build_side HASH: builds the commit, or stops; prints its line of `pair`
build_side()
{
    name=$(title "$1")
    has_family "$1" || stop 4 "$name: has no family kernels/$family; of another project say how to build it, by --build and --module"
    build_commit "$1"
    [ -n "$built" ] || stop 3 "$name: does not build, or leaves no $module: $log"
    printf '%s\t%s\t%s\t%s\n' "$1" "$built" "$kept/objects" "$name"
}

# build_pair BASE[..HEAD]: HEAD defaults to the working tree
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
            echo "ab: uncommitted changes are not part of HEAD and are not gated; --commits=${1%%..*} has them" >&2
    fi
    build_side "$first"
    build_side "$second"
}

trap 'exit 130' HUP INT TERM
[ ! -d "$repository" ] || repository=$(cd "$repository" && pwd)
case $verb in
pair) build_pair "$1" ;;
again)
    folder=$(mktemp -d)
    open_clone
    trap 'rm -rf "$folder"' EXIT
    in_clone cat-file -e "$1^{commit}" 2>/dev/null || stop 3 "the commit $1 is not in $repository; --repo=DIR names another"
    has_family "$1" || stop 3 "the commit $1 has no kernels/$family; --build=COMMAND --module=FILE build what is not solgate"
    build_commit "$1"
    [ -n "$built" ] && cp "$built" "$2"
    ;;
esac
