#!/bin/sh
# Which toolkits are refused, which GPUs kernels are built for where some are and where none is, and
# which images a module then declares. Not under sanitizers: it runs no program of this tree.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# check SENTENCE FUNCTION ARGUMENTS PATTERN
check() {
  # shellcheck disable=SC2016 # CMake expands it
  printf 'cmake_policy(VERSION 3.25)\ninclude("%s")\nset(CMAKE_CUDA_ARCHITECTURES_NATIVE 89-real)\n%s(found %s)\nmessage("${found}")\n' \
    "$tree/cmake/SolgateCuda.cmake" "$2" "$3" >"$work/check.cmake"
  found=$(cd "$work" && cmake -P check.cmake 2>&1) || found=$(echo "$found" | tr -s '\n ' ' ')
  # shellcheck disable=SC2254 # it is a pattern
  case $found in
    $4) ;;
    *)
      echo "$1: expected '$4', found '$found'"
      failures=$((failures + 1))
      ;;
  esac
}

known='"75;80;86;87;88;89;90;100;110;103;120;121"' # of CUDA 13.0
older='"70;75;80;86;87;89;90"'                       # of CUDA 12.6
choose=solgate_choose_architectures
check "without a GPU: the list, and PTX of the last" $choose "$known \"\"" '80-real;89-real;90-real;100-real;120'
check "an older compiler has a shorter list" $choose "$older \"\"" '80-real;89-real;90'
check "with a GPU: machine code for it alone" $choose "$known \"90\"" '90-real'
check "for each kind of GPU" $choose "$known \"80;120\"" '80-real;120-real'
check "for a GPU newer than the compiler: PTX" $choose "$older \"120\"" '90'
check "for one between two that it knows" $choose '"80;89;90;100;120" "103"' '100'
check "a GPU too old for the kernels is left out" $choose "$known \"75;90\"" '90-real'
check "and alone it counts as none" $choose "$known \"75\"" '80-real;89-real;90-real;100-real;120'

images=solgate_images
check "a number is machine code and PTX" $images '80-real 89-virtual 120' 'sm_80 compute_89 sm_120 compute_120'
check "a letter stays" $images 90a-real sm_90a
check "the GPUs here are what CMake found" $images native sm_89
check "flags of the user's own are not known" $images OFF ''

printf '#!/bin/sh\nprintf "9.0\\n12.0\\n9.0\\n"\n' >"$work/nvidia-smi"
chmod +x "$work/nvidia-smi"
PATH=$work:$PATH
check "GPUs are named once" solgate_find_gpus '' '90;120'
printf '#!/bin/sh\necho "NVIDIA-SMI has failed"\nexit 9\n' >"$work/nvidia-smi"
check "without a driver there is none" solgate_find_gpus '' ''

# shellcheck disable=SC2016 # the stand-in expands it
printf '#!/bin/sh\necho "Cuda compilation tools, release $RELEASE, V$RELEASE.131"\n' >"$work/nvcc"
chmod +x "$work/nvcc"
toolkit="set(CMAKE_CUDA_COMPILER $work/nvcc)"
export RELEASE=12.4
check "an older toolkit is refused, with the reason" "$toolkit
solgate_check_cuda" '' "*needs CUDA 12.6 or newer, the first with CUPTI's range profiler; found 12.4*-DSOLGATE_CUDA=OFF*"
RELEASE=12.6
check "one without CUPTI is, too" "$toolkit
solgate_check_cuda" '' '*needs cuda.h and CUPTI*cupti_range_profiler.h beside*'
check "with both it is taken" "$toolkit
set(SOLGATE_CUDA_INCLUDE x)
set(SOLGATE_CUDA_H x)
solgate_check_cuda" '' ''

printf '#!/bin/sh\necho compute_80 compute_90 compute_120\n' >"$work/nvcc"
check "a project without a GPU is built for one" "$toolkit
solgate_cuda_architectures" 90-real 90-real
printf '#!/bin/sh\necho 12.0\n' >"$work/nvidia-smi"
check "with GPUs it is built for them" "$toolkit
solgate_cuda_architectures" 90-real 120-real

mkdir "$work/include"
printf '#include <stdint.h>\n#include <string>\ntypedef struct [[a;b]] @x@;\n' >"$work/include/cupti_profiler_host.h"
check "of CUPTI's header all is kept but C++" solgate_cupti_header "$work/include" ''
if [ "$(tr '\n' '|' <"$work/found")" != '#pragma GCC system_header|#include <stdint.h>||typedef struct [[a;b]] @x@;|' ]; then
  echo "expected the header without <string>, found:"
  cat "$work/found"
  failures=$((failures + 1))
fi

[ "$failures" = 0 ]
