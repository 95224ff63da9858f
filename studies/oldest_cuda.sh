#!/bin/sh
# oldest_cuda.sh BUILD FOLDER - compiles what BUILD, a configured build with CUDA, compiles, against
# the oldest CUDA toolkit that solgate takes: 12.6. Its headers and its assembler are packages of
# pip (450 MB, for cuBLAS comes whole); nvcc itself comes with Debian 13, and is of 12.4, so that
# what it compiles 12.6 does too. Nothing is linked or installed: FOLDER holds the toolkit, and is
# used again. Exit 0 if all compiles, 3 if the packages cannot be had.
set -eu

if [ $# != 2 ] || ! grep -q 'nvcc' "$1/compile_commands.json"; then
  echo "usage: oldest_cuda.sh BUILD FOLDER; BUILD has compile commands of CUDA" >&2
  exit 4
fi
root=$(cd "$(dirname "$0")/.." && pwd)
commands=$1/compile_commands.json
mkdir -p "$2"
folder=$(cd "$2" && pwd)
toolkit=$folder/toolkit

cannot() {
  echo "oldest_cuda.sh: $1" >&2
  exit 3
}

# nvcc of Debian 13, by a list of packages of its own, from where this machine gets its packages.
fetch_nvcc() {
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1)
  [ -n "$mirror" ] || cannot "expected a Debian mirror among the sources of apt, found none"
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  : >"$folder/apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie non-free" >"$folder/apt/sources.list"
  set -- -q -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt/cache" -o Dir::State::status="$folder/apt/status"
  (cd "$folder/apt" && apt-get "$@" update && apt-get "$@" download nvidia-cuda-toolkit) >"$folder/apt/log" 2>&1 ||
    cannot "apt has no nvidia-cuda-toolkit of Debian 13: $(tail -n 1 "$folder/apt/log")"
  dpkg-deb -x "$folder"/apt/nvidia-cuda-toolkit_*.deb "$folder/debian"
}

fetch_headers() {
  python3 -m pip download -q --no-deps -d "$folder/wheels" nvidia-cuda-runtime-cu12==12.6.77 nvidia-cuda-cupti-cu12==12.6.80 \
    nvidia-cuda-cccl-cu12==12.6.77 nvidia-cuda-nvcc-cu12==12.6.85 nvidia-cublas-cu12==12.6.4.1 ||
    cannot "pip cannot download the headers of CUDA 12.6"
  for wheel in "$folder"/wheels/*.whl; do
    python3 -c 'import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wheel.extractall(sys.argv[2], [name for name in wheel.namelist() if not name.endswith((".so.12", ".a"))])' "$wheel" "$folder/unpacked"
  done
  rm -r "$folder/wheels"
}

assemble() {
  mkdir -p "$toolkit/bin" "$toolkit/nvvm/bin" "$toolkit/include"
  cp -R "$folder"/debian/usr/lib/nvidia-cuda-toolkit/bin/crt "$folder"/debian/usr/lib/nvidia-cuda-toolkit/bin/nvcc "$toolkit/bin"
  cp "$folder"/debian/usr/lib/nvidia-cuda-toolkit/bin/cicc "$toolkit/nvvm/bin"
  cp "$folder"/debian/usr/bin/cudafe++ "$folder"/debian/usr/bin/fatbinary "$toolkit/bin"
  for part in "$folder"/unpacked/nvidia/*/include; do
    cp -R "$part/." "$toolkit/include"
  done
  cp "$folder"/unpacked/nvidia/cuda_nvcc/bin/ptxas "$toolkit/bin"
  cp -R "$folder"/unpacked/nvidia/cuda_nvcc/nvvm/libdevice "$toolkit/nvvm"
  chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/*
  # shellcheck disable=SC2016 # nvcc expands it
  printf '%s\n' 'TOP = $(_HERE_)/..' 'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' 'PATH += $(TOP)/nvvm/bin:$(_HERE_):' \
    'INCLUDES += "-I$(TOP)/include" $(_SPACE_)' >"$toolkit/bin/nvcc.profile"
}

if [ ! -e "$toolkit/bin/nvcc.profile" ]; then
  fetch_nvcc
  fetch_headers
  assemble
fi
# CUPTI's header without C++, of this toolkit.
mkdir -p "$folder/generated"
printf 'cmake_policy(VERSION 3.25)\ninclude("%s/cmake/SolgateCuda.cmake")\nsolgate_cupti_header("%s/generated/cupti_profiler_host_c.h" "%s/include")\n' \
  "$root" "$folder" "$toolkit" >"$folder/header.cmake"
cmake -P "$folder/header.cmake"

# Kernels, and C files that read CUDA's headers, with the flags of BUILD. This nvcc
# knows no architecture after sm_90.
sed -n '/"command": /{
  /nvcc \|metrics\/cupti\|harness\/device\/cuda\|harness\/worker/!d
  /tests\//d
  s/^ *"command": "//
  s/",*$//
  s/\\"/"/g
  s/\\\\/\\/g
  s/^[^ ]*ccache //
  s/ -o [^ ]*/ -o \/dev\/null/
  s/--generate-code=arch=compute_1[0-9]*,code=[^ ]* //g
  p
}' "$commands" | sed "s|^[^ ]*/nvcc |$toolkit/bin/nvcc |; s|-isystem [^ ]* -isystem [^ ]*/generated/cupti|-isystem $folder/generated -isystem $toolkit/include|" \
  >"$folder/commands"
[ -s "$folder/commands" ] || cannot "expected commands of nvcc in $commands, found none"
echo "oldest_cuda.sh: compiling $(wc -l <"$folder/commands") files by $("$toolkit/bin/nvcc" --version | sed -n 's/.*, V//p') with headers of 12.6"
cd "$1"
# shellcheck disable=SC2016 # the inner shell expands it: $1 is a command with its quotes
tr '\n' '\0' <"$folder/commands" |
  xargs -0 -n 1 -P "$(nproc)" sh -c 'sh -c "$1" >"$0.$$" 2>&1 || { cat "$0.$$"; exit 1; }; rm "$0.$$"' "$folder/log"
