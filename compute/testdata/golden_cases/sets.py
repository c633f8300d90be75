"""Elements that differ, places among sorted elements, bins."""

import random

import numpy as np

from . import pools
from .case import Input

SHAPES = [(7,), (1,), (0,), (61,), (), (3, 4), (2, 3, 4), (0, 3), (7, 30), (3000,)]
TYPES = ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS
FUNCTIONS = {"unique_counts": lambda a: np.unique(a, return_counts=True)[1], "unique_index": lambda a: np.unique(a, return_index=True)[1],
             "unique_inverse": lambda a: np.unique(a, return_inverse=True)[1].reshape(a.shape), "unique": np.unique,
             "searchsorted": np.searchsorted, "digitize": np.digitize}


def write(writer):
    for function in ("unique", "unique_counts", "unique_index", "unique_inverse"):
        for name in TYPES + pools.COMPLEX:
            rng = random.Random(f"{function} {name}")
            for _ in range(4):
                a = Input(rng, "a", name, rng.choice(["small", "any"]), rng.choice(SHAPES))
                writer.numpy("0", f"{function}(a)", [a], errors=False)
    for name in TYPES + pools.COMPLEX:
        rng = random.Random(f"searchsorted {name}")
        for _ in range(8):
            pool = "small" if name in pools.COMPLEX else rng.choice(["small", "any"])
            a = Input(rng, "a", name, pool, (rng.choice([0, 1, 7, 40]),))
            v = Input(rng, "v", name if rng.random() < 0.7 or name in pools.COMPLEX else rng.choice(TYPES), pool if name in pools.COMPLEX else "small", rng.choice(SHAPES))
            side = rng.choice(["", ", side='right'", ", side='left'"])
            writer.numpy("=", f"searchsorted(sort(a), v{side})", [a, v], errors=False)
    for name, part in zip(pools.COMPLEX, ("float32", "float64")):
        rng = random.Random(f"searchsorted {name} and others")
        for other in TYPES:
            for a, v in ((name, other), (other, name)):
                side = rng.choice(["", ", side='right'"])
                a, v = Input(rng, "a", a, "small", (40,)), Input(rng, "v", v, "small", rng.choice(SHAPES))
                writer.numpy("=", f"searchsorted(sort(a), v{side})", [a, v], errors=False)
        for side in ("", ", side='right'"):
            for _ in range(4):
                # NaNs, infinities and zeros of both signs
                a, v = Input(rng, "a", part, "any", (160,)), Input(rng, "v", part, "any", (120,))
                writer.numpy("=", f"searchsorted(sort((a / 1).view({name})), (v / 1).view({name}){side})", [a, v])
    for name in TYPES:
        rng = random.Random(f"digitize {name}")
        for _ in range(6):
            x = Input(rng, "x", name, rng.choice(["small", "any"]), rng.choice(SHAPES))
            bins = rng.choice(["[-3, 0, 2, 5]", "[-2.5, 0.0, 0.0, 7.5]", "[4, 4, 1, -2]", "[3]", "[2.5, 2.5]", "[9.0, 0.5, -1.0]"])
            writer.numpy("=", f"digitize(x, {bins}{rng.choice(['', ', right=True'])})", [x], errors=False)
    rng = random.Random("set errors")
    x, m, c = Input(rng, "x", "float32", "small", (5,)), Input(rng, "x", "float32", "small", (2, 3)), Input(rng, "x", "complex64", "small", (3,))
    for text, a in (("digitize(x, [1, 3, 2])", x), ("searchsorted(x, 1)", m), ("searchsorted(x, 1, side='middle')", x), ("digitize(x, [1, 2])", c), ("digitize(x, x)", m)):
        writer.numpy("=", text, [a])
    for text in ("searchsorted(unique(x), x)", "searchsorted([1, 3, 5], 3)", "searchsorted([1.5, 2.5], x[0], side='right')", "unique(x)[unique_inverse(x)]", "sum(unique_counts(x))"):
        writer.numpy("0", text, [x])
