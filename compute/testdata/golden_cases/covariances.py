"""Covariances and correlations of numbers whose means and products are exact."""

import random

from . import pools
from .case import Input


def write(writer):
    for name in ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS + ["complex64"]:
        rng = random.Random(f"cov {name}")
        for shape in ((3, 4), (1, 8), (8,), (5, 2), (4, 16)):
            a = Input(rng, "a", name, "small", shape)
            writer.numpy("0", f"cov(a{rng.choice(['', ', bias=True', ', ddof=0'])})", [a], errors=False)
        a = Input(rng, "a", name, "small", (8, 3))
        writer.numpy("0", "cov(a, rowvar=False)", [a], errors=False)
        if name != "complex64":
            for text, shape in (("corrcoef(a)", (3, 8)), ("corrcoef(a, rowvar=False)", (4, 3)), ("corrcoef(a)", (8,))):
                writer.numpy("u2", text, [Input(rng, "a", name, "small", shape)], errors=False)
    for name in pools.COMPLEX:
        rng = random.Random(f"corrcoef {name}")
        for text, shape in (("corrcoef(a)", (3, 8)), ("corrcoef(a)", (5, 16)), ("corrcoef(a, rowvar=False)", (4, 3)), ("corrcoef(a)", (8,)), ("corrcoef(a)", (2, 1))):
            writer.numpy("u2", text, [Input(rng, "a", name, "small", shape)], errors=False)
    a = Input(random.Random("cov errors"), "a", "float32", "small", (2, 3, 4))
    writer.numpy("0", "cov(a)", [a])
    writer.numpy("0", "corrcoef(a)", [a])
