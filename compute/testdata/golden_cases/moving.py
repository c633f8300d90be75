"""Windows that move along an axis, as sliding_window_view makes them."""

import random

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from . import pools
from .case import Input

SHAPES = [(7,), (1,), (61,), (3, 4), (4, 1, 3), (2, 3, 4), (7, 30), (30, 7), (5000,)]


def function(reduce):
    def move(a, window, axis=-1):
        axis = axis % a.ndim
        t = a.dtype if a.dtype.kind == "f" else np.dtype("float64")
        wide = a.astype(np.float64)
        with np.errstate(all="ignore"):
            made = reduce(sliding_window_view(wide, window, axis), -1)
        if window > a.shape[axis]:
            raise ValueError("window")
        start = np.full([window - 1 if i == axis else n for i, n in enumerate(a.shape)], np.nan)
        return np.concatenate([start, made], axis).astype(t)

    return move


FUNCTIONS = {f"move_{f.__name__.replace('amin', 'min').replace('amax', 'max')}": function(f) for f in (np.sum, np.mean, np.var, np.std, np.min, np.max, np.median)}


def write(writer):
    for name in FUNCTIONS:
        exact = name in ("move_sum", "move_mean", "move_min", "move_max", "move_median")
        for t in ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS:
            rng = random.Random(f"{name} {t}")
            for turn in range(4):
                shape = rng.choice(SHAPES)
                if not exact:
                    shape = rng.choice([s for s in SHAPES if np.prod(s) < 250])
                a = Input(rng, "a", t, "any" if turn == 3 and name in ("move_min", "move_max") or t == "bool" else "small", shape)
                axis = rng.choice(range(-len(shape), len(shape)))
                window = rng.randint(1, min(shape[axis], 20))
                # quarters add up without rounding; of float16 sums of 20 do not overflow
                writer.numpy("0" if exact else "u4", f"{name}(a, {window}, axis={axis})", [a], errors=False)
        rng = random.Random(f"{name} more")
        a, c = Input(rng, "a", "float32", "small", (5, 6)), Input(rng, "a", "float32", "small", ())
        for text in (f"{name}(a, 0)", f"{name}(a, 7)", f"{name}(a, 2, axis=2)"):
            writer.error(text, [a])
        writer.error(f"{name}(a, 1)", [c])
        for text in (f"{name}(a[::2].T + 1, 2)", f"{name}(a, 3, axis=0)[2:]", f"{name}(a, 3) * 0"):
            writer.numpy("0" if exact else "u4", text, [a], errors=False)
