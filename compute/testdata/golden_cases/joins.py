"""Arrays put together, padded and cut into triangles; places, slopes and means with weights."""

import random

import numpy as np

from . import pools
from .case import Input

TYPES = ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS + pools.COMPLEX
REALS = pools.INTS + pools.UINTS + pools.FLOATS
FUNCTIONS = {name: getattr(np, name) for name in """
    concatenate concat stack vstack hstack dstack column_stack tril triu tri eye identity flatnonzero argwhere isclose allclose isin
    average interp tile ravel kron""".split()}


def gradient(f, spacing=1.0, axis=None, edge_order=1):
    if axis is None and np.ndim(f) > 1:
        raise ValueError("name an axis")
    if np.asarray(f).dtype.kind in "bui":
        f = np.asarray(f).astype(np.float64)  # unsigned integers would wrap around
    return np.gradient(f, np.asarray(spacing) if np.ndim(spacing) else spacing, axis=axis, edge_order=edge_order)


def cross(a, b, axis=-1):
    if 3 != a.shape[axis] or 3 != b.shape[axis]:
        raise ValueError("vectors of 2 elements are deprecated")
    return np.cross(a, b, axis=axis)


def softmax(x, axis=None):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    m = np.max(x, axis=axis, keepdims=True)
    x = x - np.where(np.isfinite(m), m, False)
    return x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))


FUNCTIONS.update(nonzero=lambda a: np.array(np.nonzero(a)), gradient=gradient, cross=cross, softmax=softmax, log_softmax=log_softmax, pad=np.pad, row=np.atleast_2d)
JOINS = ["concatenate([a, b])", "concatenate([a, b, a], axis={axis})", "concatenate((a, b), axis=None)", "concat([a[::2], b[1:]], axis={axis})", "stack([a, b], axis={new})",
         "stack([a, a*2], axis={new})", "vstack([a, b])", "hstack([a, b])", "dstack([a, b])", "column_stack([a, b])", "concatenate([a, b], axis={axis}).T", "concatenate([a, b], axis={axis})[1:]",
         "concatenate([a, b], axis={axis})[..., ::-1]", "concatenate([a, b], axis={axis})[::2] > 1", "sum(concatenate([a > 0, b > 1], axis={axis}), axis={axis})",
         "concatenate([concatenate([a, b], axis={axis}), concatenate([b, a], axis={axis})], axis={other})", "max(stack([a, b, a], axis={new}), axis=0)", "concatenate([a, stack([b, a])[0]], axis={axis}).reshape(-1)[3:]",
         "concatenate(a)", "concatenate([a.T, b.T], axis={axis}).T", "concatenate([a, b], axis={axis}).astype(float32)", "stack([a, b], axis={new})[0]", "stack([a, b], axis={new})[..., 1]", "concatenate([a, b], dtype=float64)"]
MODES = ["constant", "edge", "linear_ramp", "maximum", "minimum", "reflect", "symmetric", "wrap"]
SHAPES = [(5,), (1,), (3, 4), (2, 3), (1, 4), (2, 3, 4), (0,), (0, 3), ()]


def write(writer):
    for write_some in (write_joins, write_pads, write_triangles, write_places, write_slopes, write_tensors, write_interp, write_large):
        write_some(writer)


def write_joins(writer):
    for text in JOINS:
        rng = random.Random(text)
        for _ in range(14):
            shape = rng.choice(SHAPES)
            name = rng.choice(TYPES)
            a = Input(rng, "a", name, "small", shape)
            other = list(shape)
            rank = max(len(shape), 1)
            axis = rng.randrange(-rank, rank)
            if rng.random() < 0.6 and shape:
                other[axis if "{axis}" in text else 0] = rng.choice([0, 1, 2, 7])
            b = Input(rng, "b", name if rng.random() < 0.5 else rng.choice(TYPES), "small", other)
            wanted = text.format(axis=axis, new=rng.randrange(-rank - 1, rank + 1), other=rng.randrange(rank))
            writer.numpy("=", wanted, [a, b], errors=rng.random() < 0.3)


def widths(rng, rank):
    kind = rng.randrange(4)
    if kind == 0:
        return str(rng.choice([0, 1, 2, 9]))
    if kind == 1:
        return str((rng.randrange(5), rng.randrange(12)))
    return str(tuple((rng.randrange(4), rng.randrange(8)) for _ in range(max(rank, 1))))


def write_pads(writer):
    for mode in MODES + ["mean", "median", "none"]:
        rng = random.Random(f"pad {mode}")
        for _ in range(60):
            # Sums are more exact than NumPy's, and unsigned edges wrap around in ramps.
            types = pools.INTS if mode in ("mean", "median", "linear_ramp") else REALS
            shape = rng.choice(SHAPES)
            a = Input(rng, "a", rng.choice(types), "small", shape)
            more = {"constant": ["", ", constant_values=3", ", constant_values=(1, 2)"], "linear_ramp": ["", ", end_values=-2", ", end_values=(5, -3)"],
                    "maximum": ["", ", stat_length=2", ", stat_length=(1, 2)"], "reflect": ["", ", reflect_type='odd'"], "symmetric": ["", ", reflect_type='odd'"]}.get(mode, [""])
            writer.numpy("=", f"pad(a, {widths(rng, len(shape))}, mode='{mode}'{rng.choice(more)})", [a], errors=mode != "none" or rng.random() < 0.1)
    a = Input(random.Random("pads"), "a", "float32", "small", (3, 4))
    for text in ("pad(a, 1)", "sum(pad(a > 0, 1))", "pad(a, -1)", "pad(a, (1, 2, 3))", "pad(a + 1, ((1, 2), (3, 4)), 'edge').T[::2]", "pad(a, ((2,),), 'wrap')"):
        writer.numpy("=", text, [a])


def write_triangles(writer):
    rng = random.Random("triangles")
    for _ in range(60):
        a = Input(rng, "a", rng.choice(TYPES), "small", rng.choice(SHAPES + [(4, 4), (2, 5, 5)]))
        writer.numpy("=", f"{rng.choice(['tril', 'triu'])}(a{rng.choice(['', ', 1', ', -2', ', k=9'])})", [a])
    one = Input(rng, "a", "int32", "small", (3,))
    for text in ("eye(3)", "eye(3, 5)", "eye(4, 2, -1, dtype=int8)", "eye(0)", "eye(3, k=1) * a", "identity(4)", "identity(2, dtype=bool)", "tri(3)", "tri(3, 5, 1)", "tri(4, 2, -1, dtype=int32)", "eye(3, dtype=complex64)"):
        writer.numpy("=", text, [one])


def write_places(writer):
    rng = random.Random("places")
    for _ in range(80):
        a = Input(rng, "a", rng.choice(TYPES), "small", rng.choice(SHAPES + [(7, 30)]))
        writer.numpy("=", rng.choice(["nonzero(a)", "argwhere(a)", "flatnonzero(a)", "nonzero(a > 2)", "argwhere(a == 1)", "nonzero(a)[0]"]), [a], errors=rng.random() < 0.1)
    for _ in range(120):
        name = rng.choice(pools.FLOATS + pools.INTS + pools.UINTS + ["bool"])
        pool = rng.choice(["small", "any"]) if name in pools.FLOATS else "small"
        a, b = Input(rng, "a", name, pool, rng.choice(SHAPES)), Input(rng, "b", name if rng.random() < 0.6 else rng.choice(REALS), pool if name in pools.FLOATS else "small", rng.choice([(), (5,), (4,)]))
        if b.dtype != name and pool == "any":
            continue
        writer.numpy("=", rng.choice(["isclose(a, b)", "isclose(a, b, rtol=0.5)", "isclose(a, b, atol=1, equal_nan=True)", "allclose(a, b)", "isclose(a, a)"]), [a, b], errors=False)
        writer.numpy("=", rng.choice(["isin(a, b)", "isin(a, b, invert=True)", "isin(a, [1, 2, 5])", "isin(a > 1, b)"]), [a, b], errors=False)


def write_slopes(writer):
    rng = random.Random("slopes")
    for _ in range(120):
        shape = rng.choice([(5,), (2,), (3,), (3, 4), (4, 3), (2, 3, 4), (1,), (0,)])
        a = Input(rng, "a", rng.choice(TYPES), "small", shape)
        axis = rng.randrange(-len(shape), len(shape))
        n = shape[axis]
        spacing = rng.choice(["", ", 2", ", 0.5", f", {[i * i + i / 2 for i in range(n)]}", f", {[3 * i for i in range(n)]}", f", array({[float(i * i) for i in range(n)]}, dtype=float32)"])
        if "float32" in spacing:
            spacing = ""
        named = f", axis={axis}" if len(shape) > 1 or rng.random() < 0.3 else ""
        writer.numpy("=", f"gradient(a{spacing}{named}{rng.choice(['', ', edge_order=2'])})", [a], errors=False)
    for name in ("float64", "float32"):
        for shape, axis in (((5,), ""), ((3, 4), ", axis=1"), ((3, 4), ", axis=0"), ((2, 3, 4), ", axis=-1"), ((3, 4), "")):
            a = Input(rng, "a", name, "small", shape)
            for function in ("softmax", "log_softmax"):
                writer.numpy("u16" if function == "softmax" else "u200", f"{function}(a{axis})", [a])
    for _ in range(60):
        shape = rng.choice([(5,), (3, 4), (2, 3, 4)])
        a, w = Input(rng, "a", rng.choice(pools.INTS + pools.UINTS), "small", shape), Input(rng, "w", rng.choice(["int8", "int32", "float64"]), "small", shape)
        axis = rng.choice(["", ", axis=0", ", axis=-1"])
        writer.numpy("0", rng.choice([f"average(a{axis}, weights=w)", f"average(a{axis}, weights=w, keepdims=True)", f"average(a{axis})", "average(a, axis=0, weights=w[..., 0])", "average(a, weights=[1, 2, 3, 4, 5])", "average(a, axis=-1, weights=[1, 2, 3, 5])"]), [a, w], errors=False)


def write_tensors(writer):
    rng = random.Random("tensors")
    for _ in range(80):
        name = rng.choice(TYPES)
        a, b = Input(rng, "a", name, "small", rng.choice([(3,), (2, 3), (4, 3), (1, 3), (2, 2, 2), (), (3, 4)])), Input(rng, "b", rng.choice([name, "int32"]), "small", rng.choice([(3,), (2, 3), (4, 3), (), (0, 3)]))
        writer.numpy("=", "kron(a, b)", [a, b], errors=False)
        if "bool" not in (a.dtype, b.dtype):
            writer.numpy("=", rng.choice(["cross(a, b)", "cross(a, a[..., ::-1])", "cross(a, b, axis=0)"]), [a, b], errors=rng.random() < 0.3)


def write_interp(writer):
    rng = random.Random("interp")
    for _ in range(80):
        name = rng.choice(REALS)
        x = Input(rng, "x", name, rng.choice(["small", "any"]), rng.choice(SHAPES + [(3000,)]))
        fp = Input(rng, "f", rng.choice(REALS), rng.choice(["small", "any"]), (5,))
        points = rng.choice(["[-3, 0, 2, 5, 9]", "[0.5, 1.5, 2.5, 2.5, 40.0]", "[-1.0, 0.0, 1.0, 2.0, inf]"])
        more = rng.choice(["", "", ", left=-1", ", right=nan", ", left=0, right=2.5", ", period=7"]) if "inf" not in points else ""
        writer.numpy("0", f"interp(x, {points}, f{more})", [x, fp], errors=False)
        writer.numpy("0", "interp(x, [2], [3])", [x], errors=False)


def write_large(writer):
    rng = random.Random("large joins")
    for name in ("int32", "float64", "uint8"):
        for text, shape in (("concatenate([a, b])", (3000,)), ("concatenate([a, b, a*2], axis=1)", (64, 64)), ("concatenate([a, b], axis=1).T", (7, 300)), ("stack([a, b, a], axis=-1)", (130, 17)),
                            ("pad(a, 50, mode='reflect')", (64, 64)), ("pad(a, ((3, 4), (500, 700)), mode='wrap')", (7, 300)), ("concatenate([a + b, a, b*3, a - 1], axis=0)[100:9000:3]", (3000,)),
                            ("sum(concatenate([a, b]) > 2)", (5000,)), ("gradient(a)", (5000,))):
            a, b = Input(rng, "a", name, "small", shape), Input(rng, "b", name, "small", shape)
            writer.numpy("=", text, [a, b])
