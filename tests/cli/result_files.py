#!/usr/bin/env python3
"""result_files.py DIR - files as five tools write them: DIR/TOOL_SET/{new,old}/N.*, five starts a side.

Prints "TOOL_SET CODE" for each set, CODE being the right exit code of a gate at 3 %, and writes
DIR/TOOL_SET/values: "CASE,VARIANT,TIME" of the new side in ns, from the numbers themselves. A file of
tool X is written by the function X: files of real tools have these members, lines and columns.
"""
import json
import math
import os
import random
import statistics
import struct
import sys

# true change, spread of the starts, right exit code at 3 %
SETS = {"same": (0.0, 0.002, "0"), "small": (0.02, 0.002, "0"), "large": (0.10, 0.002, "1"), "noisy": (0.0, 0.06, "2")}
KERNELS = {"softmax_kernel": 11.3, "matmul_kernel": 84.7}  # us
STARTS, SAMPLES = 5, 24


def nvbench(path, times):
    states = []
    for i, (name, us) in enumerate(times.items()):
        folder = f"{path}-bin"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{i}.bin", "wb") as out:
            out.write(struct.pack(f"<{len(us)}f", *(1e-6 * t for t in us)))
        values = {"nv/cold/sample_size": ("sample_size", "int64", len(us)),
                  "nv/cold/time/gpu/mean": ("duration", "float64", 1e-6 * statistics.mean(us)),
                  "nv/cold/sm_clock_rate/mean": ("frequency", "float64", 1.98e9),
                  "nv/cold/time/gpu/stdev/relative": ("percentage", "float64", statistics.stdev(us) / statistics.mean(us))}
        summaries = [{"tag": tag, "name": tag, "hint": hint, "data": [{"name": "value", "type": kind, "value": str(value)}]}
                     for tag, (hint, kind, value) in values.items()]
        summaries.append({"tag": "nv/json/bin:nv/cold/sample_times", "name": "Samples Times File", "hint": "file/sample_times", "data": [
            {"name": "filename", "type": "string", "value": f"{os.path.basename(path)}-bin/{i}.bin"}, {"name": "size", "type": "int64", "value": str(len(us))}]})
        states.append({"name": f"Device=0 Kernel={name}", "device": 0, "axis_values": [], "summaries": summaries, "is_skipped": False})
    json.dump({"meta": {"argv": ["bench", "--jsonbin", path], "version": {"json": {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"}}},
               "devices": [{"id": 0, "name": "NVIDIA H200"}], "benchmarks": [{"name": "kernels", "index": 0, "axes": [], "states": states}]}, open(path, "w"), indent=1)
    return {(f"kernel_{name}", "kernels"): [struct.unpack("f", struct.pack("f", 1e-6 * t))[0] * 1e9 for t in us] for name, us in times.items()}


def nsys(path, times):
    lines = ["", "Processing [report.sqlite] with [cuda_gpu_trace.py]...", "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
             "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"]
    at, launches, found = 1000, 0, {}
    for i in range(SAMPLES):
        for name, us in times.items():
            ns = round(1e3 * us[i])
            found.setdefault(("all", name), []).append(ns)
            lines.append(f"{at},{ns},{launches},132,1,1,128,1,1,40,0.000,0.049,,,,,NVIDIA H200 (0),1,,7,{name}")
            lines.append(f"{at + ns},2048,{launches},,,,,,,,,,4.194,2048.000,Device,Pageable,NVIDIA H200 (0),1,,7,[CUDA memcpy Device-to-Host]")
            at, launches = at + ns + 5000, launches + 1
    open(path, "w").write("\n".join(lines) + "\n")
    return found


def torch(path, times):
    events = [{"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "python"}}]
    at, found = 10.0, {}
    for i in range(SAMPLES):
        begin = at
        for name, us in times.items():
            dur = round(us[i], 3)
            found.setdefault(("step", name), []).append(1e3 * dur)
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cuLaunchKernelEx", "pid": 9, "tid": 9, "ts": at - 4, "dur": 3.1, "args": {"correlation": len(events)}})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": round(at, 3), "dur": dur, "args": {
                "device": 0, "stream": 7, "grid": [132, 1, 1], "block": [128, 1, 1], "registers per thread": 40, "correlation": len(events) - 1}})
            at += dur + 5
        events.append({"ph": "X", "cat": "gpu_user_annotation", "name": "step", "pid": 0, "tid": 7, "ts": begin - 1, "dur": at - begin})
    json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}], "traceEvents": events}, open(path, "w"))
    return found


def google(path, times):
    rows = []
    for name, us in times.items():
        for i, t in enumerate(us):
            rows.append({"name": f"{name}/4096/repeats:{len(us)}", "run_name": f"{name}/4096/repeats:{len(us)}", "run_type": "iteration", "repetitions": len(us),
                         "repetition_index": i, "threads": 1, "iterations": 1000, "real_time": t, "cpu_time": t, "time_unit": "us"})
        rows.append({"name": f"{name}/4096/repeats:{len(us)}_mean", "run_name": f"{name}/4096/repeats:{len(us)}", "run_type": "aggregate", "repetitions": len(us),
                     "threads": 1, "aggregate_name": "mean", "aggregate_unit": "time", "iterations": len(us), "real_time": statistics.mean(us), "time_unit": "us"})
    json.dump({"context": {"num_cpus": 2, "library_build_type": "release"}, "benchmarks": rows}, open(path, "w"), indent=1)
    return {(f"4096_repeats_{len(us)}", name): [1e3 * t for t in us] for name, us in times.items()}


def pytest(path, times):
    tests = [{"group": None, "name": f"test_{name}[4096]", "fullname": f"tests/test_speed.py::test_{name}[4096]", "params": {"n": 4096}, "param": "4096", "extra_info": {},
              "stats": {"min": 1e-6 * min(us), "max": 1e-6 * max(us), "mean": 1e-6 * statistics.mean(us), "stddev": 1e-6 * statistics.stdev(us), "rounds": len(us),
                        "median": 1e-6 * statistics.median(us), "iterations": 1, "data": [1e-6 * t for t in us]}} for name, us in times.items()]
    json.dump({"machine_info": {"node": "runner"}, "version": "5.1.0", "benchmarks": tests}, open(path, "w"), indent=1)
    return {("4096", f"test_{name}"): [1e3 * t for t in us] for name, us in times.items()}


def write(folder, tool, change, spread, rng):
    """Returns the time of each item: the geometric mean of the files' medians; a traced case also has the files' totals."""
    os.makedirs(folder)
    medians = {}
    for start in range(STARTS):
        times = {}
        for name, us in KERNELS.items():
            level = us * (1 + change) * math.exp(rng.gauss(0, spread))
            times[name] = [level * math.exp(rng.gauss(0, 0.01)) for _ in range(SAMPLES)]
        found = tool(f"{folder}/{start}.{'csv' if tool is nsys else 'json'}", times)
        for item, ns in found.items():
            medians.setdefault(item, []).append(statistics.median(ns))
        if tool in (nsys, torch):
            medians.setdefault((next(iter(found))[0], "whole_range"), []).append(sum(map(sum, found.values())))
    return {item: math.exp(statistics.mean(map(math.log, ns))) for item, ns in medians.items()}


for tool in (nvbench, nsys, torch, google, pytest):
    for name, (change, spread, code) in SETS.items():
        folder = f"{sys.argv[1]}/{tool.__name__}_{name}"
        rng = random.Random(folder[len(sys.argv[1]):])
        write(f"{folder}/old", tool, 0, spread, rng)
        with open(f"{folder}/values", "w") as out:
            for (case, variant), ns in write(f"{folder}/new", tool, change, spread, rng).items():
                print(f"{case},{variant},{ns:.9g}", file=out)
        print(os.path.basename(folder), code)
