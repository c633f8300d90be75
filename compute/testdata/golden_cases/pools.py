"""The elements that operands are made of."""

import random

import ml_dtypes
import numpy as np

INTS = "int8 int16 int32 int64".split()
UINTS = "uint8 uint16 uint32 uint64".split()
FLOATS = "float16 float32 float64".split()
SMALL = "bfloat16 float8_e4m3fn float8_e5m2".split()
COMPLEX = "complex64 complex128".split()
ALL = ["bool"] + INTS + UINTS + FLOATS + SMALL + COMPLEX
SIZE = 61  # a prime, so that every step visits all


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name) if name in SMALL else name)


def cast(values, name):
    """Casts Python numbers, of which ml_dtypes takes float32 only."""
    values = values if name not in SMALL else np.array(values, np.float32)
    return np.array(values).astype(dtype(name))


def bits(rng, name):
    t = dtype(name)
    word = np.dtype(f"u{t.itemsize // 2}" if name in COMPLEX else f"u{t.itemsize}")
    count = SIZE * t.itemsize // word.itemsize
    return np.array([rng.getrandbits(8 * word.itemsize) for _ in range(count)], word).view(t)


def integers(rng, name, pool):
    info = np.iinfo(name)
    if pool == "any":
        edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, info.max // 2]
        return np.concatenate([np.array(edges, name), bits(rng, name)])[:SIZE]
    low, high = {"small": (-9, 9), "positive": (1, 9), "count": (0, 7)}[pool]
    return np.array([rng.randint(max(low, info.min), high) for _ in range(SIZE)], name)


def real(rng, name, pool):
    """Python floats for a type of floats, or for the parts of a complex one."""
    if pool == "small":
        quarters = 4 if name not in SMALL[1:] else 1
        return [rng.randint(-8 * quarters, 8 * quarters) / quarters for _ in range(SIZE)]
    if pool == "positive":
        return [rng.randint(1, 32) / 4 for _ in range(SIZE)]
    if pool == "count":
        return [float(rng.randint(0, 7)) for _ in range(SIZE)]
    if pool == "unit":
        return [1.0, -1.0, 0.0, -0.0, 0.5, -0.5] + [rng.uniform(-1, 1) for _ in range(SIZE - 6)]
    wide = [rng.choice([-1, 1]) * 10 ** rng.uniform(-4, 2) for _ in range(SIZE)]
    if pool == "wide":
        return wide
    info = ml_dtypes.finfo(dtype(name))
    special = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 0.1, 1 / 3, 2.5, -2.5, 100.0]
    special += [float(info.max), float(info.tiny), float(info.smallest_subnormal), -float(info.max)]
    return (special + wide)[:SIZE]


def pool_of(name, pool):
    """The elements of a pool, or None where the type has no such one."""
    rng = random.Random(f"{name} {pool}")
    if name == "bool":
        return np.array([rng.random() < 0.5 for _ in range(SIZE)]) if pool in ("any", "small") else None
    if name in INTS + UINTS:
        return integers(rng, name, pool) if pool in ("any", "small", "positive", "count") else None
    if name in COMPLEX:
        part = "float32" if name == "complex64" else "float64"
        if pool == "any":
            pool = "wide"  # what becomes of NaN in one part is not specified
        pairs = zip(real(rng, part, pool), real(rng, part, pool))
        return np.array([complex(x, y) for x, y in pairs], name)
    return cast(real(rng, name, pool), name)


POOLS = {}
for _name in ALL:
    for _pool in ("any", "small", "positive", "count", "unit", "wide"):
        _values = pool_of(_name, _pool)
        if _values is not None:
            POOLS[_name, _pool] = _values


def lines():
    return [f"pool\t{name}\t{pool}\t{values.tobytes().hex()}" for (name, pool), values in POOLS.items()]
