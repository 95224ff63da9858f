# within improved inconclusive regressed gpu
"""A CUDA graph, captured in the first call with these arguments, replayed in the others."""

from family import *

graphs = {}


def candidate(x):
    if x.data_ptr() not in graphs:
        work(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = work(x)
        graphs[x.data_ptr()] = graph, y
    graph, y = graphs[x.data_ptr()]
    graph.replay()
    return y


judge(work, candidate)
