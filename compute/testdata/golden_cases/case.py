"""Operands, the evaluation of texts by NumPy, and the file of cases."""

import gzip
import hashlib
import itertools
import re

import ml_dtypes
import numpy as np

from . import pools, special

SHAPES = [(), (), (0,), (1,), (5,), (7,), (13,), (1, 1), (3, 4), (4, 3), (3, 0), (0, 2), (1, 5), (5, 1), (2, 3, 4),
          (2, 1, 3), (1, 4, 1), (2, 0, 3), (2, 3, 2, 2), (1, 2, 1, 3, 1, 2)]
LARGE = [(1500,), (7, 300), (130, 17), (3, 33, 20), (5000,), (64, 64)]
SPREAD = 256  # results with more elements are written as a hash
SAVERS = ["max=", "min=", "+=", "-=", "*=", "/=", "="]


class Input:
    """An operand: elements of a pool in a storage, and a layout over it."""

    def __init__(self, rng, name, dtype, pool, shape, plain=False, writable=False):
        self.name, self.dtype, self.pool, self.shape = name, dtype, pool, tuple(shape)
        self.start, self.step = rng.randrange(pools.SIZE), rng.randrange(1, pools.SIZE)
        self.lay_out(rng, plain, writable)
        values = pools.POOLS[dtype, pool]
        self.base = values[(self.start + np.arange(self.span) * self.step) % len(values)]

    def lay_out(self, rng, plain, writable):
        order = list(range(len(self.shape)))
        if not plain and rng.random() < 0.4:
            rng.shuffle(order)
        self.strides, size = [0] * len(self.shape), 1
        self.offset = 0 if plain else rng.choice([0, 0, 1, 3])
        for axis in reversed(order):
            n = self.shape[axis]
            gap = 1 if plain else rng.choice([1, 1, 1, 2, 3])
            if not plain and not writable and n > 1 and rng.random() < 0.08:
                continue  # a stride of 0
            self.strides[axis] = size * gap
            size *= gap * max(n, 1)
            if not plain and rng.random() < 0.25:
                self.offset += max(n - 1, 0) * self.strides[axis]
                self.strides[axis] *= -1
        self.span = self.offset + 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides) if s > 0 and n > 0)

    def view(self, base=None):
        """The operand as an array. as_strided does not know the types of ml_dtypes."""
        base = self.base if base is None else base
        size = base.itemsize
        return np.ndarray(self.shape, base.dtype, base.view(np.uint8), self.offset * size, [s * size for s in self.strides])

    def spec(self):
        numbers = (",".join(map(str, part)) for part in (self.shape, self.strides))
        return f"{self.name}={self.dtype}:{self.pool}:{self.start}:{self.step}:{self.span}:{':'.join(numbers)}:{self.offset}"

    def __str__(self):
        return self.spec()


NAMESPACE = {name: getattr(np, name) for name in """
    abs absolute sign square reciprocal floor ceil rint trunc round sqrt cbrt exp exp2 expm1 log log2 log10 log1p
    sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh arctan2 asin acos atan asinh acosh atanh atan2
    hypot copysign nextafter fmod fabs deg2rad rad2deg degrees radians
    minimum maximum fmin fmax clip where isnan isinf isfinite signbit logical_and logical_or logical_not logical_xor
    real imag conj angle logaddexp power mod floor_divide nan inf pi newaxis
    median nanmedian quantile nanquantile percentile nanpercentile
    cov corrcoef
    sum prod mean var std min max ptp argmin argmax any all count_nonzero cumsum cumprod diff bincount
    nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin nanargmax nancumsum nancumprod arange linspace zeros ones full zeros_like ones_like full_like array
    add subtract multiply divide negative positive less less_equal greater greater_equal equal not_equal
    matmul trace dot inner outer vdot vecdot tensordot einsum
    bitwise_and bitwise_or bitwise_xor invert left_shift right_shift power""".split()}
NAMESPACE.update(histogram=lambda *a, **k: np.histogram(*a, **k)[0], histogram_bin_edges=np.histogram_bin_edges)
NAMESPACE.update({name: pools.dtype(name) for name in pools.ALL})
NAMESPACE.update(special.FUNCTIONS)


def with_sorting(names):
    from . import convolutions, joins, moving, neighbours, sets, sorting  # which need this module

    return {**names, **sorting.FUNCTIONS, **sets.FUNCTIONS, **moving.FUNCTIONS, **neighbours.FUNCTIONS, **convolutions.FUNCTIONS, **joins.FUNCTIONS}


def evaluate(text, arrays):
    """What Python makes of a program: the value of its last statement, or the whole target of it."""
    with np.errstate(all="ignore"):
        names = dict(with_sorting(NAMESPACE), **arrays)
        for statement in text.split(";"):
            result = run(statement.strip(), names)
    return np.asarray(result)


def run(statement, names):
    match = re.match(r"(\w+)((?:\[[^\]]*\])?)\s*(max=|min=|[-+*/]?=)(?!=)\s*(.*)", statement)
    if not match:
        return eval(statement, names)
    target, chain, saver, text = match.groups()
    value = eval(text, names)
    if saver == "=" and not chain:
        names[target] = value
        return value
    whole = names[target]
    part = eval(f"target{chain or '[...]'}", {"target": whole})
    function = {"+=": np.add, "-=": np.subtract, "*=": np.multiply, "/=": np.true_divide, "max=": np.maximum, "min=": np.minimum}
    if saver == "=":
        np.copyto(part, value, casting="same_kind")
    else:
        function[saver](part, value, out=part)
    return whole


def canonical(result, zeros):
    """The elements as bytes, with one NaN, and one zero if asked."""
    result = np.array(result, order="C", copy=True)
    if result.dtype.kind == "c":
        part = np.dtype(f"f{result.dtype.itemsize // 2}")
        return canonical(result.reshape(-1).view(part), zeros)
    if result.dtype.kind == "f" or result.dtype.name in pools.SMALL:
        flat = result.reshape(-1)
        wide = flat.astype(np.float64)
        # 0x7f for a float8 of 4 exponent bits, else the quiet bit set
        flat[np.isnan(wide)] = np.array([np.nan], np.float32).astype(result.dtype) if result.dtype.name in pools.SMALL else np.nan
        if zeros:
            flat[wide == 0] = 0
    return result.tobytes()


def variants(inputs):
    """Arrays with the elements of the operands, laid out in other ways."""
    yield {i.name: i.view(i.base.copy()) for i in inputs}
    yield {i.name: i.view().copy() for i in inputs}
    yield {i.name: spread(i.view()) for i in inputs}


def spread(a):
    """A copy whose elements lie apart, for which NumPy has other loops."""
    room = np.zeros((*a.shape, 2), a.dtype)
    room[..., 0] = a
    return room[..., 0]


class Writer:
    def __init__(self):
        self.lines, self.cases, self.seen = [f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}"], 0, set()

    def add(self, *fields):
        line = "\t".join(fields)
        if line not in self.seen:
            self.seen.add(line)
            self.lines.append(line)
            self.cases += 1

    def error(self, text, inputs):
        self.add("error", text, " ".join(map(str, inputs)))

    def result(self, tolerance, text, inputs, result):
        data = canonical(result, tolerance == "0")
        if result.size > SPREAD:
            if tolerance[0] == "u":
                raise ValueError(f"{text}: too many elements for a tolerance")
            elements = "sha256:" + hashlib.sha256(data).hexdigest()
        else:
            elements = data.hex()
        shape = ",".join(map(str, result.shape))
        self.add(tolerance, text, " ".join(map(str, inputs)), result.dtype.name, shape, elements)

    def numpy(self, tolerance, text, inputs, errors=True):
        """Adds what NumPy makes of a text, if it makes one thing of it. Says whether it did."""
        results = []
        try:
            for arrays in itertools.islice(variants(inputs), 1 if ";" in text or "=" in text.replace("==", "") else 3):
                results.append(evaluate(text, arrays))
        except (TypeError, OverflowError, ValueError, IndexError, ZeroDivisionError) as error:
            if errors and not refusal_of_library(error):
                self.error(text, inputs)
            return False
        first = results[0]
        if first.dtype.name not in pools.ALL:
            return False
        if any(r.dtype != first.dtype or canonical(r, tolerance == "0") != canonical(first, tolerance == "0") for r in results):
            return False
        self.result(tolerance, text, inputs, first)
        return True

    def save(self, path, committed):
        """Writes the text; where the committed file holds the same, with the same bytes: those of gzip depend on the version of zlib."""
        text = ("\n".join(self.lines) + "\n").encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        if committed.exists() and gzip.decompress(committed.read_bytes()) == text:
            packed = committed.read_bytes()
        else:
            packed = gzip.compress(text, 9, mtime=0)
        path.write_bytes(packed)


def refusal_of_library(error):
    """Whether an error says what ml_dtypes lacks rather than what is wrong."""
    return any(name in str(error) for name in ("bfloat16", "float8", "object"))
