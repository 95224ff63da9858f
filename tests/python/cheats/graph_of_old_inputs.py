# wrong gpu
"""Replays a graph that read the inputs of its capture."""

from family import *

state = {}


def candidate(x):
    if not state:
        state["x"] = x.clone()
        graph = torch.cuda.CUDAGraph()
        work(state["x"])
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            state["y"] = work(state["x"])
        state["graph"] = graph
    state["graph"].replay()
    return state["y"]


judge(candidate)
