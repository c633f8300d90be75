"""Convolutions and correlations: NumPy's of one axis, and SciPy's of two, which is written here again."""

import random

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from . import pools
from .case import Input

PAD = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}


def wide(t):
    """The type that sums are exact in: for elements of the pool of small ones."""
    return np.dtype(t if np.dtype(t).kind in "iub" else {"c": "complex128"}.get(np.dtype(t).kind, "float64"))


def convolve(a, v, mode="full", method="auto"):
    return line(np.convolve, a, v, mode, method)


def correlate(a, v, mode="valid", method="auto"):
    return line(np.correlate, a, v, mode, method)


def line(function, a, v, mode, method):
    t = np.result_type(np.asarray(a), np.asarray(v))
    check(t, mode, method)
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    return function(a.astype(wide(t)), v.astype(wide(t)), mode).astype(t)


def check(t, mode, method):
    if mode not in ("full", "same", "valid") or method not in ("auto", "direct", "fft") or method == "fft" and t.kind in "iub":
        raise ValueError("mode or method")


def plane(x, v, mode, boundary, fillvalue, convolves):
    """Pads x, and sums up the products with the windows of it."""
    if boundary not in PAD or x.ndim != 2 or v.ndim != 2 or 0 in x.shape + v.shape:
        raise ValueError("boundary or shape")
    t = np.result_type(x, v)
    swapped = mode == "valid" and any(n > m for n, m in zip(v.shape, x.shape))
    if swapped:
        if any(n < m for n, m in zip(v.shape, x.shape)):
            raise ValueError("shapes")
        x, v = v, x  # SciPy takes the conjugate of what is the kernel then
    x, v = x.astype(wide(t)), v.astype(wide(t))
    v = v[::-1, ::-1] if convolves else v.conj()
    options = {"constant_values": np.array(fillvalue).astype(t).astype(wide(t))} if boundary == "fill" else {}
    before = [{"full": n - 1, "same": n // 2 if convolves else (n - 1) // 2, "valid": 0}[mode] for n in v.shape]
    more = [{"full": 2 * n - 2, "same": n - 1, "valid": 0}[mode] for n in v.shape]
    x = np.pad(x, [(b, m - b) for b, m in zip(before, more)], mode=PAD[boundary], **options)
    products = sliding_window_view(x, v.shape) * v
    made = products.any((-2, -1)) if t.kind == "b" else products.sum((-2, -1), dtype=wide(t))
    if swapped and not convolves:
        made = made[::-1, ::-1]
    return made.astype(t)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, method="auto"):
    check(np.result_type(in1, in2), mode, method)
    return plane(in1, in2, mode, boundary, fillvalue, True)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, method="auto"):
    check(np.result_type(in1, in2), mode, method)
    return plane(in1, in2, mode, boundary, fillvalue, False)


FUNCTIONS = {f.__name__: f for f in (convolve, correlate, convolve2d, correlate2d)}
MODES = ("full", "same", "valid")
LINES = [(1, 1), (5, 1), (5, 2), (5, 3), (4, 4), (3, 7), (2, 5), (61, 8), (61, 9), (17, 40), (2000, 100)]
PLANES = [((1, 1), (1, 1)), ((4, 5), (2, 3)), ((3, 3), (3, 3)), ((6, 4), (1, 2)), ((5, 7), (4, 1)), ((2, 3), (5, 4)), ((9, 8), (3, 5)),
          ((1, 9), (1, 4)), ((60, 50), (7, 6))]
MIXED = [("int8", "uint8"), ("int32", "float32"), ("uint64", "int64"), ("float16", "complex64"), ("bool", "int16"), ("float32", "float64"), ("uint32", "int32")]


def write(writer):
    for t in ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS + pools.COMPLEX:
        pool = "any" if t in ["bool"] + pools.INTS + pools.UINTS else "small"
        rng = random.Random(f"convolutions {t}")
        for name in ("convolve", "correlate"):
            for mode in MODES:
                for n, m in rng.sample(LINES, 4):
                    write_line(writer, rng, name, mode, (t, pool, n), (t, pool, m))
        for name in ("convolve2d", "correlate2d"):
            for mode in MODES:
                for x, v in rng.sample(PLANES, 4):
                    write_plane(writer, rng, name, mode, (t, pool, x), (t, pool, v))
    rng = random.Random("convolutions of two types")
    for t, u in MIXED:
        for name in ("convolve", "correlate"):
            write_line(writer, rng, name, rng.choice(MODES), (t, "small", 9), (u, "small", 4))
            write_line(writer, rng, name, rng.choice(MODES), (t, "small", 4), (u, "small", 9))
            write_plane(writer, rng, name + "2d", rng.choice(MODES), (t, "small", (5, 4)), (u, "small", (2, 2)))
    write_others(writer, rng)


def write_line(writer, rng, name, mode, a, v):
    a, v = Input(rng, "a", a[0], a[1], (a[2],)), Input(rng, "v", v[0], v[1], (v[2],))
    kind = np.result_type(a.base, v.base).kind
    method = rng.choice(["", ", method='direct'", ", method='auto'"])
    writer.numpy("=" if kind in "iub" else "0", f"{name}(a, v, '{mode}'{method})", [a, v], errors=False)


def write_plane(writer, rng, name, mode, x, v):
    x, v = Input(rng, "x", *x), Input(rng, "v", *v)
    kind = np.result_type(x.base, v.base).kind
    boundary = rng.choice(["fill", "fill", "wrap", "symm"])
    fill = rng.choice(["", ", fillvalue=1", ", fillvalue=True", f", fillvalue={rng.randint(2, 7)}"])
    writer.numpy("=" if kind in "iub" else "0", f"{name}(x, v, '{mode}', '{boundary}'{fill})", [x, v], errors=False)


def write_others(writer, rng):
    a, v, none = (Input(rng, name, "float32", "small", shape) for name, shape in (("a", (6,)), ("v", (3,)), ("none", (0,))))
    x, w, z = (Input(rng, name, "float64", "small", shape) for name, shape in (("x", (4, 5)), ("w", (5, 3)), ("z", (0, 3))))
    i = Input(rng, "i", "int16", "small", (6,))
    for text in ("convolve(a, 2)", "convolve(3, v)", "convolve(2, 3)", "convolve(a[::-2], v)", "convolve(a*2, v + 1)[1:3]", "convolve(a, [1, 2])",
                 "convolve(i, [0.5, 2])", "correlate(a, v[::-1]) - convolve(a, v, 'valid')", "convolve(convolve(a, v), v)"):
        writer.numpy("0", text, [a, v, i], errors=False)
    for text in ("convolve2d(x.T, w)", "convolve2d(x[::2, ::-1], w, 'same')", "correlate2d(x, w.T, 'same', 'symm') + 1", "convolve2d(x, w, boundary='wrap')",
                 "convolve2d(x, w, fillvalue=-1.5)", "correlate2d(x[:2, :2], x, 'valid')", "convolve2d(x[:2, :2], x, 'valid')"):
        writer.numpy("0", text, [x, w], errors=False)
    for text in ("convolve(none, v)", "convolve(a, none)", "correlate(none, none)", "convolve(x, v)", "convolve(a, w)", "convolve(a, v, 'none')", "convolve(a, v, mode=2)",
                 "convolve(a, v, method='fast')", "convolve(i, i, method='fft')", "correlate(a, v, 'full', 'direct', 1)", "convolve2d(a, v)", "convolve2d(x, z)",
                 "convolve2d(x, w, 'valid')", "correlate2d(x, w, boundary='edge')", "convolve2d(x, w, fillvalue=1j)", "convolve2d(x, w, fillvalue=a)", "convolve(a)"):
        writer.error(text, [a, v, none, x, w, z, i])
