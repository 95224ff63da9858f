# within improved inconclusive regressed gpu
"""Four kernels against their CUDA graph, which widens the gaps between the eager ones."""

from family import *

graphs = {}


def eager(x):
    y = torch.tanh(x * 2 + 1)
    return y * y


def replayed(x):
    if x.data_ptr() not in graphs:
        eager(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = eager(x)
        graphs[x.data_ptr()] = graph, y
    graph, y = graphs[x.data_ptr()]
    graph.replay()
    return y


judge(eager, replayed, cases=[{"n": 1 << 16}])
