"""Reductions over axes, with keepdims, masks and ddof; running sums, differences, histograms."""

import itertools
import math
import random

import numpy as np

from . import pools
from .case import Input, evaluate
from .special import LONG

SHAPES = [(), (7,), (0,), (1,), (3, 4), (4, 1, 3), (2, 3, 4), (3, 0), (0, 3), (2, 0, 3), (2, 3, 2, 2), (1500,), (7, 300), (300, 7), (64, 33), (3, 33, 20), (70000,)]
EXACT = ["min", "max", "ptp", "argmin", "argmax", "any", "all", "count_nonzero"]
ROUNDED = ["sum", "prod", "mean", "var", "std"]
REALS = pools.INTS + pools.UINTS + pools.FLOATS


def arguments(rng, shape, function):
    """Text of the arguments after the operand, and the axes that they mean."""
    rank = len(shape)
    several = function not in ("argmin", "argmax")
    choices = [None] + list(range(rank)) + ([-1] if rank else [])
    if several and rank > 1:
        choices += list(itertools.combinations(range(rank), 2)) + [tuple(range(rank))]
    axis = rng.choice(choices)
    parts = [] if axis is None else [f"axis={axis}"]
    if rng.random() < 0.35:
        parts.append("keepdims=True")
    axes = tuple(range(rank)) if axis is None else tuple(a % rank for a in (axis if isinstance(axis, tuple) else (axis,)))
    return parts, axes


def write(writer):
    write_exact(writer)
    write_arguments(writer)
    write_norms(writer)
    write_rounded(writer)
    write_other(writer)
    write_nan_places(writer)
    write_running(writer)
    write_counting(writer)
    write_generated(writer)


def operand(rng, name, pool):
    shape = rng.choice(SHAPES)
    return Input(rng, "a", name, pool, shape, plain=math.prod(shape) > 20000)


def write_exact(writer):
    for function in EXACT:
        for name in pools.ALL:
            if name in pools.SMALL + pools.COMPLEX and function not in ("any", "all", "count_nonzero"):
                continue
            rng = random.Random(f"{function} {name}")
            for turn in range(7):
                a = operand(rng, name, "any" if turn % 2 else "small")
                parts, _ = arguments(rng, a.shape, function)
                if function == "count_nonzero":
                    parts = [p for p in parts if not p.startswith("keep")] or parts
                inputs = [a]
                if function in ("min", "max", "any", "all") and rng.random() < 0.2:
                    inputs.append(Input(rng, "m", "bool", "any", a.shape))
                    parts.append("where=m")
                    if function in ("min", "max"):
                        continue  # NumPy wants an initial value
                writer.numpy("0" if function in ("min", "max", "ptp") else "=", f"{function}({', '.join(['a'] + parts)})", inputs)


def write_arguments(writer):
    """initial, dtype, and masks of smallest and largest elements."""
    texts = ["sum(a, initial=5)", "sum(a, axis=0, initial=3, where=m)", "prod(a, initial=2)", "min(a, initial=3)", "max(a, axis=-1, initial=0, where=m)",
             "min(a, where=m, initial=100)", "sum(a, dtype=int64)", "sum(a, axis=0, dtype=int8)", "sum(a, dtype=float64)", "prod(a, axis=-1, dtype=int32)",
             "cumsum(a, axis=0, dtype=int16)", "cumsum(a)", "max(a, axis=0, keepdims=True, initial=-3)", "sum(a*m)", "count_nonzero(a*m, axis=0)", "sum(m, axis=-1)",
             "any(a, axis=0, where=m)", "all(a, where=m)", "mean(a, dtype=float64, axis=0)", "min(a, initial=4, axis=0)"]
    for text in texts:
        for name in ("int8", "int32", "uint8", "int64"):
            rng = random.Random(f"{text} {name}")
            shape = rng.choice([(3, 4), (2, 3, 4), (7,), (0, 3)])
            inputs = [Input(rng, "a", name, "small", shape), Input(rng, "m", "bool", "any", shape)]
            if not (text.startswith("mean") and 0 in shape):
                writer.numpy("u1" if text.startswith("mean") else "=", text, inputs, errors=False)


def write_norms(writer):
    rng = random.Random("norms")
    for name in ("float32", "float64"):
        for order, axis in (("1", None), ("-1", None), ("inf", None), ("-inf", None), ("'fro'", None), ("None", None), ("2", 0), ("0", 1), ("-inf", 0), ("3", 1), ("inf", (1, 0))):
            a = Input(rng, "a", name, "positive", rng.choice([(3, 4), (5, 2)]))
            result = np.linalg.norm(a.view().astype(np.float64), eval(order, {"inf": np.inf}), axis).astype(name)
            more = "" if axis is None else f", axis={axis}"
            writer.result("u2" if name == "float32" else "u4", f"norm(a, {order}{more})", [a], np.asarray(result))


def write_rounded(writer):
    for function in ROUNDED:
        for name in ["bool"] + REALS + ["bfloat16"] + pools.COMPLEX:
            rng = random.Random(f"{function} {name}")
            for turn in range(12):
                a = operand(rng, name, ["small", "any", "wide"][turn % 3] if name in pools.FLOATS + ["bfloat16"] else ["small", "any"][turn % 2])
                if name in pools.COMPLEX:
                    a = operand(rng, name, "small")
                add_rounded(writer, rng, function, a)


def add_rounded(writer, rng, function, a):
    parts, axes = arguments(rng, a.shape, function)
    inputs, mask, ddof = [a], None, 0
    if rng.random() < 0.25 and a.dtype != "bfloat16":
        shape = a.shape[rng.randint(0, len(a.shape)):]
        mask = Input(rng, "m", "bool", "any", shape)
        inputs.append(mask)
        parts.append("where=m")
    if function in ("var", "std") and rng.random() < 0.4:
        ddof = rng.choice([1, 1, 2, 0.5])
        parts.append(f"ddof={ddof}")
    text = f"{function}({', '.join(['a'] + parts)})"
    whole = function in ("sum", "prod") and a.dtype not in pools.FLOATS + pools.COMPLEX + ["bfloat16"]
    if whole:
        writer.numpy("=", text, inputs)
        return
    if a.dtype == "bfloat16":
        to, keep = pools.dtype("bfloat16"), any("keepdims" in p for p in parts)
        shape = np.sum(np.zeros(a.shape), axis=axes, keepdims=keep).shape
    else:
        like = evaluate(text, {i.name: i.view() for i in inputs})
        to, shape = like.dtype, like.shape
    if math.prod(shape) > 256:
        return
    columns, chosen = cells(a.view(), None if mask is None else mask.view(), axes)
    if function in ("var", "std") and any(0 < np.count_nonzero(m) <= ddof or not m.any() and ddof for m in chosen):
        return  # a division by zero or less, whose sign is nobody's business
    with np.errstate(all="ignore"):
        values = [FUNCTIONS[function](column[m], ddof) for column, m in zip(columns, chosen)]
    if to.kind == "c" and not np.isfinite(np.array(values, np.complex128)).all():
        return  # which part overflows first is nobody's business
    result = np.array(values, np.clongdouble if to.kind == "c" else LONG).reshape(shape)
    with np.errstate(all="ignore"):
        result = result.astype(np.float64).astype(np.float32).astype(to) if to.itemsize == 2 else result.astype(to)
    worst = max((np.count_nonzero(m) for m in chosen), default=0)
    writer.result(tolerance(function, to.name, worst, a), text, inputs, result)


def tolerance(function, to, count, a):
    """In units in the last place; products are rounded at each step."""
    wide = to in ("float64", "complex128")
    if function == "prod":
        return f"u{count + 1}" if wide else "u2"
    return "u1"


def cells(x, mask, axes):
    """The reduced elements of each element of the result, and which of them count."""
    mask = np.broadcast_to(True if mask is None else mask, x.shape)
    rest = [i for i in range(x.ndim) if i not in axes]
    count = math.prod(x.shape[i] for i in axes)
    order = rest + sorted(axes)
    flat = [y.transpose(order).reshape(-1 if count else math.prod(x.shape[i] for i in rest), count) for y in (x, mask)]
    return flat


def parts_apart(function):
    """Applies a function of real numbers to the parts of complex ones."""
    def apply(v, ddof):
        if v.dtype.kind == "c":
            return np.clongdouble(function(v.real, ddof)) + np.clongdouble(1j) * function(v.imag, ddof)
        return function(v.astype(np.float64) if v.dtype.itemsize < 8 or v.dtype.kind != "f" and v.dtype.itemsize < 8 else v, ddof)

    return apply


def exact_sum(v):
    if v.dtype.kind in "iub":
        return LONG(sum(int(x) for x in v.tolist()))
    return LONG(math.fsum(v.tolist())) if np.isfinite(v).all() else LONG(v.astype(LONG).sum())


@parts_apart
def sum_of(v, ddof):
    return exact_sum(v)


@parts_apart
def mean_of(v, ddof):
    return exact_sum(v) / v.size if v.size else LONG(np.nan)


def prod_of(v, ddof):
    return np.prod(v.astype(np.clongdouble if v.dtype.kind == "c" else LONG))


def var_of(v, ddof):
    if v.dtype.kind == "c":
        return var_of(v.real, ddof) + var_of(v.imag, ddof)
    v = v.astype(LONG)
    if v.size == 0:
        return LONG(np.nan)
    return np.square(v - v.sum() / v.size).sum() / (v.size - ddof)


FUNCTIONS = {"sum": sum_of, "mean": mean_of, "prod": prod_of, "var": var_of, "std": lambda v, ddof: np.sqrt(var_of(v, ddof))}


def write_other(writer):
    """norm, logsumexp and the functions that ignore NaN."""
    for name in pools.FLOATS:
        rng = random.Random(f"other {name}")
        for function in ("norm", "norm 1", "norm inf", "logsumexp", "nansum", "nanprod", "nanmean", "nanvar", "nanmin", "nanmax", "nanstd"):
            for _ in range(4):
                a = operand(rng, name, "any" if function.startswith("nan") and name != "float16" else "small")
                axis = rng.choice([None] + list(range(len(a.shape))))
                add_other(writer, rng, function, a, axis)


def add_other(writer, rng, function, a, axis):
    x = a.view()
    axes = tuple(range(x.ndim)) if axis is None else (axis,)
    shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    if function in ("nanstd", "nanvar", "nanprod") and np.nanmax(np.abs(x), initial=0) > (1e100 if function != "nanprod" else 3):
        return
    if math.prod(shape) > 256 or function.startswith("norm") and x.ndim == 0 or x.size == 0:
        return
    columns = cells(x, None, axes)[0].astype(LONG)
    with np.errstate(all="ignore"):
        result = np.array([OTHER[function](column) for column in columns], LONG).reshape(shape)
        result = result.astype(np.float64).astype(np.float32).astype(a.dtype) if a.dtype == "float16" else result.astype(a.dtype)
    name, _, order = function.partition(" ")
    parts = ["a"] + ([order] if order else []) + ([] if axis is None else [f"axis={axis}"])
    if name == "norm" and order and axis is None and x.ndim > 1:
        return  # of a matrix, another norm
    writer.result("0" if name in ("nanmin", "nanmax") else "u8" if a.dtype == "float64" else "u2", f"{name}({', '.join(parts)})", [a], result)


def write_nan_places(writer):
    """Indexes and running sums of elements some of which are NaN."""
    for name in pools.FLOATS + pools.COMPLEX + ["int16", "uint8", "bool"]:
        rng = random.Random(f"nan places {name}")
        for function in ("nanargmin", "nanargmax", "nancumsum", "nancumprod"):
            for shape in ((9,), (4, 5), (2, 3, 4), (40, 70)):
                few = "prod" in function or "sum" in function and name in ("float16", "complex64")
                a = Input(rng, "a", name, "small" if "cum" in function else "any", (5,) if few else shape)
                axis = rng.choice([None] + list(range(len(a.shape))))
                masked = "where(a > 2, nan, a)" if name in pools.FLOATS else "a"
                writer.numpy("=", f"{function}({masked}{'' if axis is None else f', axis={axis}'})", [a], errors=False)


def numbers(v):
    return v[~np.isnan(v)]


def nan_mean(v):
    return numbers(v).sum() / len(numbers(v)) if len(numbers(v)) else LONG(np.nan)


OTHER = {
    "norm": lambda v: np.sqrt(np.square(v).sum()), "norm 1": lambda v: np.abs(v).sum(), "norm inf": lambda v: np.abs(v).max(),
    "logsumexp": lambda v: np.log(np.exp(v - v.max()).sum()) + v.max(),
    "nansum": lambda v: numbers(v).sum(), "nanmean": nan_mean,
    "nanmin": lambda v: numbers(v).min() if len(numbers(v)) else LONG(np.nan),
    "nanmax": lambda v: numbers(v).max() if len(numbers(v)) else LONG(np.nan),
    "nanprod": lambda v: numbers(v).prod(), "nanvar": lambda v: var_of(numbers(v), 0),
    "nanstd": lambda v: np.sqrt(var_of(numbers(v), 0)),
}


def write_running(writer):
    for function in ("cumsum", "cumprod", "diff"):
        for name in ["bool"] + REALS + pools.COMPLEX:
            rng = random.Random(f"{function} {name}")
            for _ in range(4):
                shape = rng.choice([(7,), (3, 4), (2, 3, 4), (0,), (1,), (2, 0, 3), (1500,), (64, 33)])
                pool = "any" if name in pools.INTS + pools.UINTS + ["bool"] else "small"
                if function == "cumprod" and pool == "small":
                    shape = rng.choice([(4,), (2, 3)])  # few enough to be exact
                if name == "float16" and math.prod(shape) > 100:
                    shape = (7,)
                axis = rng.choice(list(range(len(shape))))
                more = f", n={rng.choice([1, 2])}" if function == "diff" and rng.random() < 0.4 else ""
                text = f"{function}(a{more}, axis={axis})"
                writer.numpy("=", text, [Input(rng, "a", name, pool, shape)])


def write_counting(writer):
    for name in REALS:
        rng = random.Random(f"counting {name}")
        for shape in ((40,), (3, 4), (0,), (1500,)):
            a = Input(rng, "a", name, "small", shape)
            bins, low, high = rng.choice([(4, -5, 5), (10, 0, 8), (7, -3, 11)])
            with np.errstate(all="ignore"):
                counts = np.histogram(a.view(), bins, (low, high))[0]
            writer.result("=", f"histogram(a, {bins}, range=({low}, {high}))", [a], counts)
            if name not in pools.FLOATS and len(shape) == 1:
                c = Input(rng, "a", name, "count", shape)
                w = Input(rng, "w", "float64", "small", shape)
                writer.numpy("=", f"histogram(a, {bins}, range=({low}, {high}), weights=w)", [a, w], errors=False)
                if name != "uint64":
                    if shape != (0,):  # NumPy makes integers then
                        writer.numpy("=", "bincount(a, weights=w)", [c, w], errors=False)
                    writer.numpy("=", "bincount(a)", [c])
                    writer.numpy("=", "bincount(a, minlength=12)", [c])


def write_generated(writer):
    rng = random.Random("generated")
    for text in ("zeros_like(a) + 1", "ones_like(a)", "full_like(a, 3)", "a + array([1, 2, 3])", "array([[1, 2, 3], [4, 5, 6]])[1]*a", "a*full(3, 2)", "arange(3)*a",
                 "histogram(a, 5)", "histogram_bin_edges(a, 4, range=(0, 8))", "zeros((2, 3), dtype=int16) + a"):
        for name in ("int8", "float32", "uint16", "float64"):
            if "histogram" not in text or name == "float64":
                writer.numpy("=", text, [Input(rng, "a", name, "small", (3,))], errors=False)
    for text in ("arange(10)", "arange(2, 11, 3)", "arange(5, 0, -2)", "arange(0)", "arange(3, 1)", "arange(0.5, 4)", "arange(0, 1, 0.125)", "arange(6)*2 + 1",
                 "linspace(0, 1, 5)", "linspace(-1, 1, 9)", "linspace(3, 0, 4)", "linspace(0, 8, 8, endpoint=False)", "arange(12).reshape(3, 4).T + 1",
                 "arange(4)[:, newaxis]*arange(3)", "sum(arange(1000))", "arange(5, dtype=float32)/2", "zeros((2, 3)) + arange(3)", "ones(4)*3", "full((2, 2), 7)"):
        writer.numpy("=", text, [])
