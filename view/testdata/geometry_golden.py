"""Writes the golden cases of geometry: methods as text, as NumPy decides them.

    python3 geometry_golden.py        # needs NumPy >= 2.1; writes golden/geometry.txt, or into
                                      # the folder that is its argument

Each line is one case, its fields separated by tabs: the type
and layout of an array, the text, and what it makes or the kind of error. A
layout is written shape;strides;offset in elements. Strides along which no step
is taken are written 0, offsets of empty results "-", because nothing depends on
them. Methods that only PyTorch has are spelled out in NumPy below.
"""

import random
import sys
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

rng = random.Random(20251121)
BUF = np.zeros(1 << 16, np.uint8)
BASE = BUF.__array_interface__["data"][0]

LAYOUTS = [
    ((), (), 7),
    ((10,), (1,), 0),
    ((10,), (-1,), 9),
    ((4,), (0,), 3),
    ((0,), (1,), 0),
    ((1,), (1,), 4),
    ((3, 4), (4, 1), 0),
    ((3, 4), (1, 3), 8),
    ((4, 3), (-8, 2), 64),
    ((1, 6), (8, 1), 8),
    ((3, 1), (2, 1), 2),
    ((3, 0), (1, 1), 4),
    ((8, 8), (16, 1), 16),
    ((2, 3, 4), (12, 4, 1), 0),
    ((2, 3, 4), (-24, 8, 1), 40),
    ((1, 3, 1), (3, 1, 1), 0),
    ((2, 0, 3), (3, 3, 1), 0),
    ((3, 1, 8), (16, 7, 1), 0),
    ((2, 3, 2, 4), (24, 8, 4, 1), 0),
    ((2, 1, 2, 2, 2), (16, 16, 4, 2, 1), 0),
]
TYPES = ["uint8", "int16", "float16", "float32", "int64", "complex64", "complex128"]


class Methods:
    """An array with the methods of both libraries."""

    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        if name in ("T", "mT"):
            return Methods(getattr(self.a, name))
        if name in ("real", "imag"):
            if name == "imag" and self.a.dtype.kind != "c":
                raise TypeError("no view: NumPy makes an array of zeros")
            return Methods(getattr(self.a, name))
        if hasattr(Extra, name):
            f = getattr(Extra, name)
            return lambda *args, **named: Methods(f(self.a, *args, **named))
        f = getattr(self.a, name)
        return lambda *args, **named: Methods(f(*args, **named))

    def __getitem__(self, index):
        return Methods(self.a[(index if isinstance(index, tuple) else (index,)) + (() if has_ellipsis(index) else (...,))])


def has_ellipsis(index):
    return any(i is ... for i in (index if isinstance(index, tuple) else (index,)))


def many(args):
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else tuple(args)


def axis_of(a, axis):
    if not -a.ndim <= axis < a.ndim:
        raise np.exceptions.AxisError(axis, a.ndim)
    return axis % a.ndim


class Extra:
    def reshape(a, *shape):
        return a.reshape(*shape, copy=False)

    def ravel(a):
        return a.reshape(-1, copy=False) if a.size else a.reshape(0)

    def view(a, *args):
        if args and isinstance(args[0], type):
            return a.view(args[0])
        return a.reshape(*args, copy=False)

    def transpose(a, *axes):
        if len(many(axes)) == a.ndim:  # NumPy looks for repeated axes at the same time
            for axis in many(axes):
                axis_of(a, axis)
        return a.transpose(*axes)

    def permute(a, *dims):
        return Extra.transpose(a, many(dims))

    def moveaxis(a, s, d):
        return np.moveaxis(a, s, d)

    def squeeze(a, *axes):
        if a.ndim == 0 and many(axes):  # NumPy lets 0 and -1 pass
            raise np.exceptions.AxisError(0, 0)
        return a.squeeze() if not axes else a.squeeze(many(axes))

    def expand_dims(a, axis):
        return np.expand_dims(a, axis)

    def unsqueeze(a, dim):
        return np.expand_dims(a, dim)

    def broadcast_to(a, *shape):
        return np.broadcast_to(a, many(shape))

    def expand(a, *shape):
        shape = many(shape)
        lead = len(shape) - a.ndim
        sizes = [n if n != -1 else (a.shape[i - lead] if i >= lead >= 0 else None) for i, n in enumerate(shape)]
        if None in sizes:
            raise ValueError("-1 for a new axis")
        return np.broadcast_to(a, sizes)

    def flip(a, *axes):
        if a.ndim == 0 and not many(axes):  # of which NumPy makes a copy
            return a
        return np.flip(a) if not axes else np.flip(a, many(axes))

    def flipud(a):
        return np.flipud(a)

    def fliplr(a):
        return np.fliplr(a)

    def rot90(a, k=1, axes=(0, 1)):
        for axis in axes:
            axis_of(a, axis)
        return np.rot90(a, k, axes)

    def narrow(a, dim, start, length):
        dim = axis_of(a, dim)
        n = a.shape[dim]
        if not -n <= start <= n:
            raise IndexError("start")
        start %= n + 1 if start >= 0 else max(n, 1)
        if length < 0 or start + length > n:
            raise ValueError("length")
        return a[(slice(None),) * dim + (slice(start, start + length),)]

    def select(a, dim, index):
        return a[(slice(None),) * axis_of(a, dim) + (index, ...)]

    def unfold(a, dim, size, step):
        dim = axis_of(a, dim)
        if step <= 0:
            raise ValueError("step")
        if a.size == 0 and size == 0:
            raise Skip
        windows = sliding_window_view(a, size, dim)
        return windows[(slice(None),) * dim + (slice(None, None, step),)]


class Skip(Exception):
    """A case in which NumPy has no opinion."""


def pos(a):
    return a.__array_interface__["data"][0] - BASE


def layout(a):
    """The layout in elements, or None if it has none."""
    size = a.dtype.itemsize
    moving = [s if n > 1 and a.size else 0 for n, s in zip(a.shape, a.strides)]
    offset = pos(a) if a.size else 0
    if any(s % size for s in moving) or offset % size:
        return None
    at = offset // size if a.size else "-"
    return f"{list(a.shape)};{[s // size for s in moving]};{at}".replace(" ", "")


def make(shape, strides, offset, dtype):
    a = BUF.view(dtype)
    return as_strided(a[offset:], shape, [s * a.itemsize for s in strides])


def evaluate(a, text):
    env = {t: np.dtype(t).type for t in TYPES + ["bool", "int8", "uint32", "float64"]}
    try:
        got = eval("x" + text, env | {"x": Methods(a), "newaxis": None}).a
    except np.exceptions.AxisError:
        return "axis"
    except IndexError:
        return "index"
    except (ValueError, TypeError) as e:
        return "copy" if "copy" in str(e) else "error"
    made = layout(got)
    return f"{got.dtype.name};{made}" if made else "copy"


def axis(n):
    return rng.choice([0, 1, -1, n - 1, -n, rng.randint(-n - 1, n)])


def axes(n, count):
    if rng.random() < 0.8 and n >= count:
        return [x - n if rng.random() < 0.3 else x for x in rng.sample(range(n), count)]
    return [axis(n) for _ in range(count)]


def tuple_text(values):
    return "(" + "".join(f"{v}, " for v in values).rstrip(" ") + ")"


def args_text(values):
    return rng.choice([tuple_text(values), ", ".join(map(str, values))]) if values else "()"


def factors(n):
    out = []
    while n > 1:
        d = rng.choice([k for k in range(2, n + 1) if n % k == 0])
        out.append(d)
        n //= d
    rng.shuffle(out)
    for _ in range(rng.randint(0, 2)):
        out.insert(rng.randint(0, len(out)), 1)
    if out and rng.random() < 0.3:
        out[rng.randrange(len(out))] = -1
    if rng.random() < 0.1:
        out.append(rng.choice([2, 3]))
    return out


def stretched(shape):
    out = [rng.choice([2, 3]) if n == 1 and rng.random() < 0.7 else n for n in shape]
    out = [rng.randint(0, 3) for _ in range(rng.randint(0, 2))] + out
    if rng.random() < 0.15:
        out.append(2)
    if out and rng.random() < 0.15:
        out[rng.randrange(len(out))] = rng.choice([0, 5, -1])
    return out


def step(a):
    n, shape = a.ndim, a.shape
    size = rng.choice(shape) if shape else 1
    kind = rng.choice(KINDS)
    if kind == "index":
        return "[" + rng.choice(["0", "-1", "::-1", "1:", "...,::2", "newaxis", "...,newaxis", "::-1,1:", f"{axis(size)}", ":,0"]) + "]"
    if kind in ("T", "mT", "real", "imag"):
        return "." + kind
    if kind in ("ravel", "flipud", "fliplr"):
        return f".{kind}()"
    if kind in ("reshape", "shaped"):
        shape = factors(a.size) if a.size else rng.choice([[0], [0, 3], [-1], [2, 0]])
        name = "reshape" if kind == "reshape" else "view"
        return f".{name}({args_text(shape) if shape else '()'})"
    if kind in ("view", "view2"):
        return f".view({rng.choice(TYPES + ['bool', 'int8', 'uint32', 'float64'])})"
    if kind in ("transpose", "permute"):
        order = axes(n, n) if rng.random() < 0.9 else axes(n, n + 1)
        return f".{kind}({args_text(order)})"
    if kind in ("swapaxes", "moveaxis"):
        return f".{kind}({axis(n)}, {axis(n)})"
    if kind == "moveaxes":
        count = rng.randint(0, max(n, 1))
        return f".moveaxis({tuple_text(axes(n, count))}, {tuple_text(axes(n, max(0, count - (rng.random() < 0.1))))})"
    if kind == "squeeze":
        ones = [i for i, k in enumerate(shape) if k == 1]
        pick = rng.sample(ones, rng.randint(0, len(ones))) if rng.random() < 0.7 else axes(n, 1)
        return f".squeeze({args_text(pick) if pick else rng.choice(['', '()'])})"
    if kind == "expand_dims":
        count = rng.randint(0, 3)
        return f".expand_dims({tuple_text(axes(n + count, count))})"
    if kind == "unsqueeze":
        return f".unsqueeze({axis(n + 1)})"
    if kind in ("broadcast_to", "expand"):
        sizes = stretched(shape)
        if kind == "expand":
            sizes = [-1 if rng.random() < 0.3 else k for k in sizes]
        return f".{kind}({args_text(sizes)})"
    if kind == "flip":
        pick = axes(n, rng.randint(0, max(n, 1)))
        return f".flip({args_text(pick) if pick else rng.choice(['', '()'])})"
    if kind == "rot90":
        return rng.choice([".rot90()", f".rot90({rng.randint(-5, 5)})", f".rot90({rng.randint(-5, 5)}, {tuple_text(axes(n, 2))})"])
    if kind == "diagonal":
        i, j = axes(n, 2)
        return rng.choice([".diagonal()", f".diagonal({rng.randint(-5, 5)})", f".diagonal({rng.randint(-4, 4)}, {i}, {j})", f".diagonal(axis1={i}, axis2={j})"])
    if kind == "narrow":
        start = rng.randint(-size - 1, size + 1)
        return f".narrow({axis(n)}, {start}, {rng.randint(-1, size) if rng.random() < 0.3 else rng.randint(0, max(1, size // 2))})"
    if kind == "select":
        return f".select({axis(n)}, {rng.randint(-size - 1, size)})"
    if kind == "unfold":
        return f".unfold({axis(n)}, {rng.randint(0, size + 1)}, {rng.choice([1, 1, 2, 3, 7, 0])})"
    raise AssertionError(kind)


KINDS = """index T mT real imag ravel reshape shaped view view2 transpose permute swapaxes moveaxis moveaxes squeeze expand_dims
unsqueeze broadcast_to expand flip flipud fliplr rot90 diagonal narrow select unfold""".split()


def cases():
    seen = set()
    for _ in range(9000):
        shape, strides, offset = rng.choice(LAYOUTS)
        dtype = rng.choice(TYPES)
        a = make(shape, strides, offset, dtype)
        text, got, cur = "", "", a
        for _ in range(rng.choice([1, 1, 2, 3])):
            text += step(cur)
            try:
                got = evaluate(a, text)
            except Skip:
                got = ""
            if ";" not in got:
                break
            cur = eval("x" + text, {t: np.dtype(t).type for t in TYPES + ["bool", "int8", "uint32", "float64"]} | {"x": Methods(a), "newaxis": None}).a
        key = (dtype, shape, strides, offset, text)
        if got == "" or key in seen:
            continue
        seen.add(key)
        yield f"{dtype}\t{list(shape)};{list(strides)};{offset}".replace(" ", "") + f"\t{text}\t{got}"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("golden")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "geometry.txt", "w") as f:
        f.write(f"# Made by geometry_golden.py with NumPy {np.__version__}.\n")
        f.writelines(line + "\n" for line in sorted(cases()))
