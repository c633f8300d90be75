"""Nearest rows by distances that are exact, with many equal ones."""

import random

import numpy as np

from . import pools
from .case import Input


def distances(q, b, metric):
    q, b = q.astype(np.float64), b.astype(np.float64)
    if metric == "dot":
        return q @ b.T
    return np.sqrt(((q[:, None, :] - b[None, :, :]) ** 2).sum(-1))


def knn(queries, base, k, metric="l2"):
    if k > len(base) or k < 0:
        raise ValueError("k")
    d = distances(queries, base, metric)
    return np.argsort(-d if metric == "dot" else d, axis=1, kind="stable")[:, :k]


def knn_distances(queries, base, k, metric="l2"):
    return np.take_along_axis(distances(queries, base, metric), knn(queries, base, k, metric), 1)


FUNCTIONS = {"knn": knn, "knn_distances": knn_distances}


def write(writer):
    for name in ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS:
        rng = random.Random(f"knn {name}")
        for n, m, d in ((3, 20, 4), (1, 5, 1), (6, 61, 7), (2, 1300, 3)):
            q, b = Input(rng, "q", name, "small", (n, d)), Input(rng, "b", name, "small", (m, d))
            for function in FUNCTIONS:
                metric = rng.choice(["", ", metric='l2'", ", metric='dot'"])
                writer.numpy("0", f"{function}(q, b, {rng.randint(0, min(m, 12))}{metric})", [q, b], errors=False)
    rng = random.Random("knn errors")
    q, b, c = Input(rng, "q", "float32", "small", (2, 3)), Input(rng, "b", "float32", "small", (5, 4)), Input(rng, "c", "float32", "small", (5, 3))
    for text in ("knn(q, b, 1)", "knn(q, c, 6)", "knn(q, c, -1)", "knn(q, c, 1, metric='l3')", "knn(q[0], c, 1)"):
        writer.error(text, [q, b, c])
