"""Sorted elements, the indexes that sort them, the largest ones."""

import math
import random

import numpy as np

from . import pools
from .case import Input

SHAPES = [(7,), (1,), (0,), (61,), (3, 4), (4, 1, 3), (2, 3, 4), (0, 3), (3, 0), (2, 3, 2, 2), (7, 30), (300, 7), (5000,)]
TYPES = ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS


def order(a, axis=-1, descending=False):
    """A stable argsort, also in descending order, where NaNs come first."""
    if axis is None:
        a, axis = a.reshape(-1), 0
    if not descending:
        return np.argsort(a, axis=axis, kind="stable")
    return np.flip(a.shape[axis] - 1 - np.argsort(np.flip(a, axis), axis=axis, kind="stable"), axis)


def ordered(a, axis=-1, descending=False):
    indexes = order(a, axis, descending)
    return np.take_along_axis(a.reshape(-1) if axis is None else a, indexes, 0 if axis is None else axis)


def partition(a, kth, axis=-1):
    np.partition(a, kth, axis)  # for its errors
    return ordered(a, axis)


def argpartition(a, kth, axis=-1):
    np.partition(a, kth, axis)
    return order(a, axis)


def head(a, k, axis):
    axis = 0 if axis is None else axis
    if not 0 <= k <= a.shape[axis]:
        raise ValueError("k")
    return np.take(a, np.arange(k), axis)


FUNCTIONS = {"sort": ordered, "argsort": order, "partition": partition, "argpartition": argpartition,
             "topk": lambda a, k, axis=-1, largest=True: head(ordered(a, axis, largest), k, axis),
             "argtopk": lambda a, k, axis=-1, largest=True: head(order(a, axis, largest), k, axis)}


def write(writer):
    for function in FUNCTIONS:
        for name in TYPES + pools.COMPLEX:
            rng = random.Random(f"{function} {name}")
            for _ in range(10):
                shape = rng.choice(SHAPES)
                a = Input(rng, "a", name, rng.choice(["wide" if name in pools.COMPLEX else "small", "any"]), shape)
                axis = rng.choice([None, "None"] + list(range(-len(shape), len(shape))))
                parts = ["a"]
                size = math.prod(shape) if axis == "None" else shape[-1 if axis is None else axis]
                if "partition" in function:
                    if size == 0:
                        continue
                    parts.append(str(rng.choice([0, size - 1, -1, size // 2, (0, size // 3)])))
                if "top" in function:
                    parts.append(str(rng.randint(0, min(size, 9))))
                if axis is not None:
                    parts.append(f"axis={axis}")
                if function.endswith("sort") and rng.random() < 0.3:
                    parts.append("descending=True")
                if "top" in function and rng.random() < 0.5:
                    parts.append("largest=False")
                writer.numpy("0", f"{function}({', '.join(parts)})", [a], errors=False)
    rng = random.Random("sorting errors")
    a, none = Input(rng, "a", "float32", "small", (3, 4)), Input(rng, "a", "int16", "small", ())
    for text, x in (("sort(a, axis=2)", a), ("sort(a)", none), ("partition(a, 4)", a), ("partition(a, -5)", a),
                    ("argpartition(a, 3, axis=0)", a), ("topk(a, 5)", a), ("topk(a, -1)", a), ("sort(a, axis=-3)", a)):
        writer.numpy("=", text, [x])
    writer.numpy("0", "sort(a, axis=None)", [none])
    b = Input(rng, "a", "float32", "small", (5, 6))
    for text in ("sort(a + 1)[0]", "sort(a, axis=0).T", "sort(-a) + a", "argsort(a*a, axis=None)", "sort(a[::2, ::-1])[:, 1]", "sum(topk(a, 2), axis=-1)",
                 "sort(sort(a), axis=0)", "a[argsort(a[:, 0])]", "median(sort(a)[:, :3], axis=1)", "b = sort(a); a[1:] += b[1:]"):
        writer.numpy("0", text, [Input(rng, "a", "float32", "small", (5, 6), writable=True) if ";" in text else b], errors=False)
