#!/bin/sh
# `identical` on a GPU: kernels whose code a variant reads from a file at run time (PTX, by the
# driver's cuModuleLoad) are identical as long as that file is, and every kernel of an unchanged
# module is.
set -u
# shellcheck source=tests/gpu/gpu_lib.sh
. "$(dirname "$0")/gpu_lib.sh"

if ! command -v nvcc >/dev/null || ! command -v cmake >/dev/null; then
  echo "skipped: no nvcc or no cmake to build a family with"
  exit 77
fi
tree=$(cd "$(dirname "$0")/../.." && pwd)
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines" SOLGATE_TEST_PTX="$work/kernel.ptx"

# The example's family, and a variant more.
mkdir "$work/mine"
cp -R "$tree/examples/project/saxpy" "$work/mine"
cat >"$work/mine/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES C CUDA)
find_package(solgate REQUIRED)
add_subdirectory(saxpy)
CMAKE
cat >"$work/mine/saxpy/from_file.cu" <<'CUDA'
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>

#include "saxpy.h"

static CUfunction kernel;
static decltype(&cuLaunchKernel) launch_kernel;

static enum sg_status prepare(const struct sg_launch *, void **state, struct sg_reason *why)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const auto load = (decltype(&cuModuleLoad))dlsym(driver, "cuModuleLoad");
    const auto function = (decltype(&cuModuleGetFunction))dlsym(driver, "cuModuleGetFunction");
    launch_kernel = (decltype(&cuLaunchKernel))dlsym(driver, "cuLaunchKernel");
    CUmodule module;
    *state = nullptr;
    if (load(&module, getenv("SOLGATE_TEST_PTX")) == CUDA_SUCCESS && function(&kernel, module, "saxpy") == CUDA_SUCCESS)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "the file cannot be loaded");
    return SG_UNAVAILABLE;
}

static void launch(const struct sg_launch *l)
{
    int64_t n = l->c->dim[SAXPY_N];
    void *x = l->buffer[SAXPY_X], *y = l->buffer[SAXPY_Y], *z = l->buffer[SAXPY_Z];
    void *arguments[] = {&x, &y, &z, &n};
    launch_kernel(kernel, (unsigned)((n + 255) / 256), 1, 1, 256, 1, 1, 0, (CUstream)l->stream, arguments, nullptr);
}

SG_VARIANT(saxpy, from_file) = {.summary = "by a file", .role = SG_CANDIDATE, .prepare = prepare, .launch = launch};
CUDA
cat >"$work/kernel.cu" <<'CUDA'
#include <cstdint>
extern "C" __global__ void saxpy(const float *x, const float *y, float *z, int64_t n)
{
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (int k = 0; k < TIMES; k++)
        if (i < n)
            *(volatile float *)&z[i] = fmaf(2.5f, *(volatile const float *)&x[i], *(volatile const float *)&y[i]);
}
CUDA

# kernel TIMES: the file has a kernel that does its work so many times
kernel() {
  nvcc -ptx -arch=compute_80 -DTIMES="$1" -o "$SOLGATE_TEST_PTX" "$work/kernel.cu" || fail "no PTX"
}

# night NAME EXIT_STATUS: a run of the family against what is accepted, and its verdict
night() {
  "$bin/solgate" run "$work/mine/saxpy/saxpy.suite" --module="$work/mine/build/saxpy/libsg_saxpy.so" --case=n16777216 --against-accepted --out="$work/$1" \
    >"$work/$1.out" 2>&1 || fail "$1: $(cat "$work/$1.out")"
  code=0
  "$bin/solgate" compare "$work/$1" >"$work/$1.out" 2>&1 || code=$?
  [ "$code" = "$2" ] || fail "$1: exit status $code instead of $2"
  "$bin/solgate" compare "$work/$1" --format=csv | grep ratio, | cut -c 1-150
  grep ',identity,' "$work/$1/run.csv"
}

# finds NAME VARIANT METRIC VERDICT
finds() {
  "$bin/solgate" compare "$work/$1" --format=csv | grep -q "^saxpy,n16777216,$2,$3,.*,$4," || fail "$1: $2 $3 is not $4"
}

cmake -S "$work/mine" -B "$work/mine/build" -DCMAKE_PREFIX_PATH="$bin/.." -DCMAKE_CUDA_ARCHITECTURES=native >"$work/built" 2>&1 || fail "no build"
cmake --build "$work/mine/build" >>"$work/built" 2>&1 || fail "the family is not built: $(cat "$work/built")"
kernel 1
"$bin/solgate" run "$work/mine/saxpy/saxpy.suite" --module="$work/mine/build/saxpy/libsg_saxpy.so" --case=n16777216 --out="$work/first" || fail "first"
"$bin/solgate" accept "$work/first" --module="$work/mine/build/saxpy/libsg_saxpy.so" || fail "accept"
grep ',identity,' "$work/first/run.csv"
night same 0
for variant in from_file grid_stride one_each; do finds same $variant build_ratio identical; done
kernel 3
night changed 1
finds changed from_file time_ratio regressed
for variant in grid_stride one_each; do finds changed $variant build_ratio identical; done
"$bin/solgate" compare "$work/changed" --format=csv | grep -q 'from_file,build_ratio,' && fail "a pair of builds that read another file judges"
[ "$failures" = 0 ]
