"""Functions that `solgate ab --exec` judges, each with what is found: cheats, which pretend to be
y = 3x + 1, integers beside floats, and honest functions of ten kinds. Of torch on a GPU, else of
NumPy.

    judged.py          prints a line a function: its name, and the statuses or verdicts of which one
                       must be found in each case; `gpu`: it needs one
    judged.py NAME...  is the program with these gates
"""

import ctypes
import gc
import os
import sys
import tempfile
import threading
import time

import solgate

GPU = "SOLGATE_GATE_SIMULATED" not in os.environ
N = 1 << 20 if GPU else 3000
JUDGED = "within improved inconclusive regressed"  # any verdict on the time

if GPU and sys.argv[1:]:
    import torch
else:
    import numpy as np


def inputs(seed, n):
    if GPU:
        return (torch.randn(n, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)),)
    return (np.random.default_rng(seed).standard_normal(n).astype("float32"),)


def integers(seed, n):
    return (torch.randint(0, 1 << 20, (n,), device="cuda", dtype=torch.int32, generator=torch.Generator("cuda").manual_seed(seed)),)


def empty(x):
    return torch.empty_like(x) if GPU else np.empty_like(x)


def copy(x):
    return x.clone() if GPU else x.copy()


def convert(x, name):
    return x.to(getattr(torch, name)) if GPU else x.astype("float16" if name == "bfloat16" else name)


def work(x):
    return 3 * x + 1


def curve(x):
    return torch.tanh(work(x))


table = {}  # by name: the words; the candidate, or a function that returns arguments of solgate.pair


def found(words):
    """Adds a candidate. Its defaults are what it keeps between calls."""
    return lambda function: table.update({function.__name__: (words, lambda: dict(candidate=function))})


def pair(words):
    """Adds a function that returns the arguments of solgate.pair."""
    return lambda function: table.update({function.__name__: (words, function)})


# ---- results from before ----


def cached(key):
    def candidate(x, kept={}):
        if key(x) not in kept:
            kept[key(x)] = work(x)
        return kept[key(x)]

    return lambda: dict(candidate=candidate)


# All of the bytes never come again, so nothing is gained.
table["cached_by_content"] = f"leak {JUDGED} misplaced", cached(lambda x: hash((x.cpu().numpy() if GPU else x).tobytes()))
table["cached_by_identity"] = "wrong nan", cached(id)
table["cached_by_pointer"] = "wrong nan", cached(lambda x: solgate.arrays.view(x).pointer)
table["cached_by_sample"] = "wrong", cached(lambda x: (round(float(x[0])), round(float(x[-1]))))


@found("wrong nan launch_failed misplaced")
def cached_in_file(x):
    """For the processes to come."""
    import numpy

    path = os.path.join(tempfile.gettempdir(), f"solgate-cheat-{os.getppid()}")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            numpy.save(file, work(x).cpu().numpy() if GPU else work(x))
    found = numpy.load(path)
    return torch.from_numpy(found).cuda() if GPU else found


@pair("misplaced flaky gpu")
def cached_integers(kept={}):
    """Integers come again: the result of those with the same sum, copied."""

    def candidate(x):
        key = x[:64].sum().item()
        if key not in kept:
            kept[key] = torch.sort(x)[0]
        return kept[key].clone()

    return dict(baseline=lambda x: torch.sort(x)[0], candidate=candidate, inputs=integers)


@found("wrong nan flaky")
def kept_from_before(x, before=[]):
    if not before:
        before.append(work(x))
    return before[0]


@pair("wrong")
def knows_by_the_seed():
    """Learns the seed from `inputs`, and has the answers ready."""
    answers = {}

    def spied(seed, n):
        made = inputs(seed, n)
        answers["last"] = work(made[0])
        return made

    return dict(candidate=lambda x: copy(answers["last"]), inputs=spied)


@found("wrong nan")
def right_every_second_call(x, kept={"calls": 0}):
    kept["calls"] += 1
    if kept["calls"] % 2 or kept["calls"] < 3:
        kept["last"] = work(x)
    return kept["last"]


@found("wrong nan")
def right_when_verified(x, kept={"calls": 0}):
    """Right in the first calls of a process, which check it."""
    kept["calls"] += 1
    if kept["calls"] < 5:
        kept["last"] = work(x)
    return kept["last"]


@found("wrong launch_failed")
def searches_for_the_answer(x):
    """Looks through all objects for an array that could be the answer."""
    for thing in gc.get_objects():
        try:
            if type(thing) is type(x) and thing.shape == x.shape and thing is not x and thing.dtype == x.dtype:
                return copy(thing)
        except Exception:
            continue
    return copy(x)


@found("wrong nan flaky")
def skips_if_done(x):
    y = empty(x)
    if not (abs(y[100]) < 100 and y[100] != 0):
        y[:] = work(x)
    return y


# ---- less work, or not in its place ----

for name, words, function in (
    ("takes_freed_memory", "wrong nan flaky", empty),  # where the reference may have left its result
    ("half_inside", "wrong", lambda x: convert(work(convert(x, "float16")), "float32")),
    ("other_type", "launch_failed", lambda x: convert(work(x), "float16")),
    ("on_the_host", "regressed misplaced gpu", lambda x: work(x.cpu()).cuda()),
    ("returns_a_view", "launch_failed", lambda x: work(x[:1]).expand(x.shape) if GPU else np.broadcast_to(work(x[:1]), x.shape)),
    ("exits", "crash", lambda x: os._exit(0)),
):
    table[name] = words, lambda function=function: dict(candidate=function)


@found("overrun")
def input_changed(x):
    y = work(x)
    x[3] += 1
    return y


@found("wrong misplaced nan")
def late_thread(x):
    """Another thread fills the output when the call is over."""
    y = empty(x)

    def fill():
        time.sleep(0.02)
        y[:] = work(x)

    threading.Thread(target=fill, daemon=True).start()
    return y


@pair("launch_failed")
def lazy_object():
    """Returns what turns into an array later."""

    class Later:
        def __init__(self, x):
            self.x = x

        @property
        def __array_interface__(self):
            return work(self.x).__array_interface__

        def __dlpack__(self, **_):
            return work(self.x).__dlpack__()

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    return dict(candidate=Later)


@pair("launch_failed")
def lazy_subclass():
    """Returns an array that computes when it is looked at."""
    kind = type("Lazy", (torch.Tensor if GPU else np.ndarray,), {})
    return dict(candidate=lambda x: empty(x).as_subclass(kind) if GPU else empty(x).view(kind))


@pair("launch_failed gpu")
def deferred_by_torch_function():
    """A subclass that computes when torch is asked for anything of it."""

    class Deferred(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, arguments=(), named=None):
            with torch._C.DisableTorchFunctionSubclass():
                return work(arguments[0].source)

    def candidate(x):
        y = torch.empty_like(x).as_subclass(Deferred)
        y.__dict__["source"] = x
        return y

    return dict(candidate=candidate)


@found("wrong nan")
def partial(x):
    """Leaves the last elements as they were."""
    y = empty(x)
    y[:-64] = work(x[:-64])
    return y


@found("overrun")
def returns_its_input(x):
    x *= 3
    x += 1
    return x


@found("wrong gpu")
def graph_of_old_inputs(x, state={}):
    """Replays a graph that read the inputs of its capture."""
    old = None if state else x.clone()
    return replay("only", lambda: work(old), state)


@found("misplaced wrong gpu")
def side_stream(x, side=[]):
    side += [] if side else [torch.cuda.Stream()]
    with torch.cuda.stream(side[0]):
        return work(x)


@found("misplaced gpu")
def side_stream_in_order(x, side=[]):
    """On a stream of its own, between two events."""
    side += [] if side else [torch.cuda.Stream()]
    side[0].wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side[0]):
        y = work(x)
    torch.cuda.current_stream().wait_stream(side[0])
    return y


@found(f"misplaced invalid {JUDGED} gpu")
def persisting_l2(x):
    """Sets a part of the L2 aside for itself."""
    ctypes.CDLL("libcuda.so.1").cuCtxSetLimit(6, ctypes.c_size_t(1 << 24))
    return work(x)


# ---- attacks on the process ----


@found("crash hang wrong launch_failed")
def calls_the_library(x):
    """Starts a second worker in its call."""
    with open("/proc/self/maps") as maps:
        library = ctypes.CDLL(next(line.split()[-1] for line in maps if "libsolgate_gate" in line))
    library.sg_gate_work(ctypes.create_string_buffer(b"\1", 4096), 0, None)
    return copy(x)


@found("launch_failed")
def raises(x):
    raise RuntimeError("out of shared memory")


@found("crash wrong")
def writes_the_protocol(x):
    os.write(3, b'bye\n')
    return copy(x)


@pair("wrong")
def patches_comparison():
    """The functions that compare outputs find nothing."""
    solgate.outputs.compare = lambda *_: (None, [], False)
    solgate.gate.run_plainly = lambda *_: None
    return dict(candidate=copy)


@pair("wrong")
def patches_ctypes():
    """The functions by which Python could move memory do nothing."""
    ctypes.memmove = ctypes.memset = lambda *_: None
    return dict(candidate=copy)


@pair("usage")
def patches_pair():
    """Replaces solgate.pair by what judges nothing."""
    solgate.pair = lambda *arguments, **options: None
    return dict(candidate=copy)


@pair("regressed")
def patches_timers():
    """Every clock of Python and torch stands still; the candidate is slow."""
    time.time = time.perf_counter = time.monotonic = lambda: 0.0
    if GPU:
        torch.cuda.Event.elapsed_time = lambda *_: 0.001
        torch.cuda.synchronize = lambda *_: None

    def candidate(x):
        work(x)
        return work(x)

    candidate.simulated_ns = 20000
    return dict(candidate=candidate)


@pair("invalid misplaced flaky")
def slows_the_baseline():
    """Sets a flag that the baseline looks at."""
    flag = []

    def baseline(x):
        for _ in flag:
            work(x)
        return work(x)

    def candidate(x):
        flag[:] = [1]
        baseline.simulated_ns = 10500
        return work(x)

    candidate.simulated_ns = 10400
    return dict(baseline=baseline, candidate=candidate)


@pair("misplaced flaky gpu")
def swaps_the_baseline():
    """Puts another function in the place of one that the baseline calls."""

    def candidate(x):
        globals()["work"] = lambda x: x + x + x + 1
        return 3 * x + 1

    return dict(candidate=candidate)


# ---- integers beside floats ----

# An error of one is small beside these; as float64 it is none.
LARGE = {"bool": 0, "int8": 96, "uint8": 200, "int16": 30000, "int32": 2**30, "int64": 0x1050505050505060}
FLOATS = ("float32", "bfloat16")


def with_integers(x, kind, where, beside, change=0):
    count = convert(abs(x) * 10, "int64") % 32 + LARGE[kind]
    if where == "all":
        count = count ^ change
    if where == "one":
        count[-3] ^= change
    return convert(2 * x, beside), convert(count % 2 == 1 if kind == "bool" else count, kind)


def integer_gate(change, cases):
    named = lambda seed, **case: dict(x=inputs(seed, 10000)[0], **case)  # noqa: E731
    return dict(baseline=with_integers, candidate=lambda **given: with_integers(**given, change=change), inputs=named, cases=cases, tolerance="10%")


@pair("wrong")
def wrong_integers():
    return integer_gate(1, [dict(kind=kind, where=where, beside=FLOATS[(i + (where == "all")) % 2])
                            for i, kind in enumerate(LARGE) for where in ("one", "all")])  # fmt: skip


@pair(JUDGED)
def right_integers():
    return integer_gate(0, [dict(kind=kind, where="none", beside=FLOATS[i % 2]) for i, kind in enumerate(LARGE)])


# ---- honest functions, on a GPU ----


def honest(function):
    table[function.__name__] = JUDGED + " gpu", function


table["compiled"] = JUDGED + " gpu", lambda: dict(baseline=curve, candidate=torch.compile(curve), rtol=1e-3)
table["several_kernels"] = JUDGED + " gpu", lambda: dict(baseline=curve, candidate=lambda x: torch.tanh(3 * x + 1))


def replay(key, function, graphs):
    """The CUDA graph of the function, captured in the first call with this key."""
    if key not in graphs:
        function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = function()
        graphs[key] = graph, y, function
    graphs[key][0].replay()
    return graphs[key][1]


@honest
def atomics():
    """Sums by atomic additions, whose order differs from call to call."""
    zeros = lambda: torch.zeros(64, device="cuda")  # noqa: E731

    def scattered(seed, n):
        return (*inputs(seed, n), integers(seed, n)[0].long() % 64)

    return dict(baseline=lambda x, i: zeros().scatter_add_(0, i, x), candidate=lambda x, i: zeros().index_add_(0, i, x), inputs=scattered, rtol=1e-3)


@honest
def autotuned():
    """A Triton kernel that is tuned in its first call."""
    global triton, tl
    import triton
    import triton.language as tl

    @triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b in (512, 2048) for w in (4, 8)], key=["n"])
    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + at, mask=at < n)
        tl.store(y + at, 3 * v + 1, mask=at < n)

    def candidate(x):
        y = torch.empty_like(x)
        kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
        return y

    return dict(candidate=candidate)


@honest
def backward():
    """A gradient, which torch computes in a thread of its own."""

    def by_autograd(x):
        x = x.detach().requires_grad_()
        curve(x).sum().backward()
        return x.grad

    return dict(baseline=lambda x: 3 * (1 - curve(x) ** 2), candidate=by_autograd, rtol=1e-3)


@honest
def cublas():
    """Products, by the library that torch takes."""

    def matrices(seed, n):
        g = torch.Generator("cuda").manual_seed(seed)
        return tuple(torch.randn(n, n, device="cuda", generator=g).half() for _ in range(2))

    return dict(baseline=lambda a, b: a @ b, candidate=lambda a, b: torch.nn.functional.linear(a, b.t()), inputs=matrices, cases=[dict(n=1024)])


@honest
def cupy_kernel():
    """CuPy: an array of its own, a kernel from source."""
    import cupy

    def of_cupy(seed, n):
        return (cupy.random.RandomState(seed).standard_normal(n).astype(cupy.float32),)

    kernel = cupy.ElementwiseKernel("float32 x", "float32 y", "y = 3 * x + 1", "affine")
    return dict(baseline=lambda x: 3 * x + cupy.float32(1), candidate=lambda x: kernel(x), inputs=of_cupy)


@honest
def graph(graphs={}):
    return dict(baseline=curve, candidate=lambda x: replay(x.data_ptr(), lambda: curve(x), graphs))


@honest
def graph_of_several(graphs={}):
    """Four kernels against their CUDA graph, which widens the gaps between the eager ones."""

    def eager(x):
        y = torch.tanh(x * 2 + 1)
        return y * y

    return dict(baseline=eager, candidate=lambda x: replay(x.data_ptr(), lambda: eager(x), graphs), cases=[dict(n=1 << 16)])


@honest
def in_place():
    """Writes to its argument, which is marked."""

    def with_mul(x):
        x.mul_(3).add_(1)

    def with_add(x):
        x.add_(x, alpha=2).add_(1)

    return dict(baseline=with_mul, candidate=with_add, inputs=lambda seed, n: (solgate.inout(*inputs(seed, n)),))


@honest
def kv_append():
    """Writes 1 % of a cache of 16 MB in place, and returns a view of what is filled."""

    def cache_and_rows(seed, at):
        g = torch.Generator("cuda").manual_seed(seed)
        return solgate.inout(torch.randn(1024, 4096, device="cuda", generator=g)), torch.randn(10, 4096, device="cuda", generator=g), at

    def baseline(cache, new, at):
        cache[at : at + 10] = new
        return cache[: at + 10]

    def candidate(cache, new, at):
        cache.narrow(0, at, 10).copy_(new)
        return cache[: at + 10]

    return dict(baseline=baseline, candidate=candidate, inputs=cache_and_rows, cases=[dict(at=1000)])


@honest
def out_argument():
    """Writes to an argument, and returns nothing."""

    def marked(seed, n):
        x = inputs(seed, n)[0]
        return x, solgate.out(torch.empty_like(x))

    def by_torch(x, out):
        torch.mul(x, 3, out=out)

    def by_copy(x, out):
        out.copy_(x).mul_(3)

    return dict(baseline=by_torch, candidate=by_copy, inputs=marked)


@honest
def synchronises():
    """Asks the device for a number between two kernels."""

    def candidate(x):
        y = 3 * x
        if y[0].item() == 12345:
            y = -y
        return torch.tanh(y + 1)

    return dict(baseline=curve, candidate=candidate)


if __name__ == "__main__":
    for name, (words, make) in table.items():
        if not sys.argv[1:]:
            print(name, words)
        elif name in sys.argv[1:]:
            made = make()  # may put another function in the place of solgate.pair
            solgate.pair(**{"baseline": lambda x: work(x), "inputs": inputs, "name": name, "cases": [dict(n=N)], **made})
