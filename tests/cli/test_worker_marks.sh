#!/bin/sh
# A worker marks its pass, case and variant as NVTX ranges of the domain solgate, for a tool around
# it; without one it opens nothing. Here the tool is a library that prints them.
set -eu

bin=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
grep -q InitializeInjectionNvtx2 "$bin/solgate-worker" || {
  echo "built without the header of NVTX"
  exit 77
}
cd "$work"
cat >tool.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static FILE *out;
static int depth;
struct event { uint16_t version, size; uint32_t a[3]; int32_t b[2]; uint64_t c; int32_t kind; const char *text; };
static const void *create(const char *name) { fprintf(out, "domain %s\n", name); return out; }
static int push(const void *domain, const struct event *e) { fprintf(out, "%d %s%s\n", depth, domain == out ? "" : "other ", e->text); fflush(out); return depth++; }
static int pop(const void *domain) { return domain == out ? --depth : 0; }
int InitializeInjectionNvtx2(const void *(*table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*table)(uint32_t))
{
    const struct { size_t size; int (*module)(uint32_t, void ***, uint32_t *); } *callbacks = table(1);
    void **core;
    uint32_t count;
    out = fopen(getenv("MARKS"), "a");
    if (!callbacks->module(5, &core, &count) || count < 14)
        return 0;
    *(const void *(**)(const char *))core[12] = create;
    *(int (**)(const void *, const struct event *))core[4] = push;
    *(int (**)(const void *))core[5] = pop;
    return 1;
}
C
"${CC:-cc}" -shared -fPIC -o tool.so tool.c
MARKS=$work/marks NVTX_INJECTION64_PATH=$work/tool.so "$bin/solgate-worker" --pass=time --module="$bin/libsg_null.so" --item=null/tiny/slower --set=blocks=2 --set=launches=4 \
  3>/dev/null >out 2>&1 || {
  cat out
  exit 1
}
sort -u marks >found
cat >expected <<'X'
0 time
1 tiny
2 ok
2 slower
domain solgate
X
diff expected found
