"""Medians and quantiles, along axes, by all methods, with and without NaN."""

import itertools
import random

import numpy as np

from . import pools
from .case import Input

SHAPES = [(), (7,), (1,), (2,), (8,), (61,), (3, 4), (4, 1, 3), (2, 3, 4), (0, 3), (3, 0), (2, 3, 2, 2), (7, 30), (300, 7)]
PICKS = ["inverted_cdf", "closest_observation", "lower", "higher", "nearest"]
BETWEEN = ["averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "midpoint"]
TYPES = ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS
LEVELS = ["0.5", "0.25", "0.0", "1.0", "0.9", "[0.1, 0.5]", "[0.0, 1.0, 0.3]", "[[0.2, 0.4], [0.6, 0.8]]", "0.3333333"]


def arguments(rng, shape):
    rank = len(shape)
    choices = [None] + list(range(rank)) + ([-1] if rank else [])
    if rank > 1:
        choices += list(itertools.combinations(range(rank), 2))
    axis = rng.choice(choices)
    parts = [] if axis is None else [f"axis={axis}"]
    if rng.random() < 0.3:
        parts.append("keepdims=True")
    return parts


def pool(rng, name):
    # differences of any integers wrap around in NumPy
    return rng.choice(["small", "any"]) if name in pools.FLOATS + ["bool"] else "small"


def write(writer):
    for function in ("median", "nanmedian"):
        for name in TYPES + pools.COMPLEX:
            rng = random.Random(f"{function} {name}")
            for turn in range(12):
                shape = rng.choice(SHAPES)
                a = Input(rng, "a", name, "wide" if name in pools.COMPLEX else pool(rng, name), shape)
                writer.numpy("0", f"{function}({', '.join(['a'] + arguments(rng, shape))})", [a], errors=False)
    for function in ("quantile", "nanquantile", "percentile", "nanpercentile"):
        for name, method in itertools.product(TYPES, PICKS + BETWEEN):
            if name == "bool" and method in BETWEEN:
                continue
            rng = random.Random(f"{function} {name} {method}")
            for turn in range(3 if function == "quantile" else 1):
                shape = rng.choice(SHAPES)
                a = Input(rng, "a", name, pool(rng, name), shape)
                level = rng.choice(LEVELS)
                if function.endswith("percentile"):
                    level = rng.choice(["50", "12.5", "[10, 90]", "100", "0.0", "[33.3]"])
                parts = ["a", level] + arguments(rng, shape)
                if method != "linear" or rng.random() < 0.5:
                    parts.append(f"method={method!r}")
                text = f"{function}({', '.join(parts)})"
                if function.startswith("nan") and (0 in shape or "[[" in text):
                    continue  # NumPy loses or moves the axes of the levels
                writer.numpy("0", text, [a], errors=False)
    errors(writer)


def errors(writer):
    rng = random.Random("rank errors")
    a = Input(rng, "a", "float32", "small", (3, 4))
    empty = Input(rng, "a", "float32", "small", (0,))
    c = Input(rng, "a", "complex64", "wide", (3,))
    b = Input(rng, "a", "bool", "any", (5,))
    for text, x in (("quantile(a, 1.5)", a), ("quantile(a, -0.1)", a), ("percentile(a, 101)", a), ("quantile(a, nan)", a), ("quantile(a, 0.5, axis=2)", a),
                    ("median(a, axis=(0, 0))", a), ("quantile(a, 0.5, method='best')", a), ("quantile(a, 0.5)", empty), ("quantile(a, 0.5)", c),
                    ("quantile(a, 0.5)", b), ("quantile(a, [0.5, 2.0])", a)):
        writer.numpy("=", text, [x])
