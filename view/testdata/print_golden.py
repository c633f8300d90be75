"""Writes the golden cases of printing, as NumPy decides them.

    python3 print_golden.py        # needs NumPy >= 2.3

One case a line, fields separated by tabs: dtype, shape, print options, the
elements in hexadecimal (repeated to fill the shape), and str(array) quoted.
"""

import json
import random

import numpy as np

rng = random.Random(20240608)
nprng = np.random.default_rng(20240608)

FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

SHAPES = [(1,), (2,), (5,), (17,), (40,), (3, 4), (2, 3, 4), (1, 1, 3), (2, 1, 2, 2), (4, 1)]
LONG = [(1001,), (2000,), (40, 50), (1, 1500), (1500, 1), (3, 400), (12, 11, 10), (2, 3, 500), (2, 5, 11, 13), (500, 7), (6, 7, 8, 9)]

OPTIONS = [
    {},
    {"precision": 0},
    {"precision": 2},
    {"precision": 3},
    {"precision": 12},
    {"precision": 17},
    {"suppress": True},
    {"suppress": True, "precision": 3},
    {"linewidth": 40},
    {"linewidth": 10},
    {"linewidth": 132},
    {"threshold": 5},
    {"threshold": 0, "edgeitems": 1},
    {"threshold": 10, "edgeitems": 2},
    {"threshold": 0, "edgeitems": 2, "linewidth": 30, "precision": 4},
]


def fill(pattern, shape):
    return np.resize(pattern, shape)


def line(pattern, shape, options):
    a = fill(pattern, shape)
    with np.printoptions(**options):
        text = str(a)
    fields = [
        a.dtype.name,
        ",".join(map(str, shape)),
        " ".join(f"{k}={int(v)}" for k, v in options.items()),
        pattern.tobytes().hex(),
        json.dumps(text),
    ]
    return "\t".join(fields)


def float_patterns(dtype):
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        yield "zeros", [0.0, -0.0]
        yield "ones", [1.0]
        yield "halves", [0.5, 1.25, -3.75]
        yield "whole", [1, 2, 3, 10, 100, -7]
        yield "999", [999, 1]
        yield "1000", [1000, 1]
        yield "1001", [1001, 1]
        yield "1e6", [999999, 1e3, 1e6]
        yield "near 1e8", [99999999, 12345678]
        yield "1e8", [1e8, 1e5]
        yield "1e-4", [0.0001, 0.001]
        yield "below 1e-4", [0.00009999, 0.001]
        yield "mixed", [1e-3, 1.5, 22.25]
        yield "wide", [1e-5, 1.0, 1e5]
        yield "tiny", [float(info.smallest_subnormal), float(info.tiny)]
        yield "huge", [float(info.max), -float(info.max)]
        yield "eps", [1 + float(info.eps), 1 - float(info.epsneg)]
        yield "nan", [np.nan]
        yield "inf", [np.inf]
        yield "-inf", [-np.inf, np.inf]
        yield "nan and small", [np.nan, 1.0, 2.0]
        yield "inf and small", [np.inf, 0.5, -np.inf, 100.125]
        yield "nan and scientific", [np.nan, 1e-30, 1e30, -np.inf]
        yield "negative nan", [-np.nan, 1]
        yield "thirds", [1 / 3, 2 / 3, -1 / 3]
        yield "ties", [0.5, 1.5, 2.5, 0.125, 0.375, 0.000000005, 0.123456785]
        yield "nines", [0.999999999, 9.999999999, 99.99999999]
        yield "negative zero", [-0.0, 1.5]
        for scale in [1, 10, 1000, 1e-3, 1e7, 1e-6]:
            yield "normal", nprng.normal(size=7) * scale
        yield "uniform", nprng.random(11)
        yield "log", 10 ** nprng.uniform(-8, 8, 9)
        yield "close", 10 ** nprng.uniform(-1, 1, 9)
        yield "bits", np.frombuffer(nprng.bytes(8 * dtype.itemsize), dtype)


def patterns():
    for name in FLOATS:
        dtype = np.dtype(name)
        for _, values in float_patterns(dtype):
            with np.errstate(all="ignore"):
                yield np.array(values, dtype)
    for name in COMPLEX:
        dtype = np.dtype(name)
        part = np.dtype("float32" if name == "complex64" else "float64")
        with np.errstate(all="ignore"):
            values = [np.array(v, part) for _, v in float_patterns(part)]
        for re in values:
            im = rng.choice(values)
            n = max(len(re), len(im))
            c = np.zeros(n, dtype)
            c.real, c.imag = np.resize(re, n), np.resize(im, n)
            yield c
    for name in INTS:
        dtype = np.dtype(name)
        info = np.iinfo(dtype)
        yield np.array([0], dtype)
        yield np.array([info.min, info.max], dtype)
        yield np.array([1, 10, 100], dtype)
        if info.min < 0:
            yield np.array([-1, 5, -100], dtype)
            yield np.array([-5, 1000 % (info.max + 1)], dtype)
        yield np.frombuffer(nprng.bytes(9 * dtype.itemsize), dtype)
    yield np.array([True])
    yield np.array([True, False, False])


def cases():
    for pattern in patterns():
        yield line(pattern, (len(pattern),), {})
        yield line(pattern, rng.choice(SHAPES), rng.choice(OPTIONS))
        if rng.random() < 0.4:
            yield line(pattern, rng.choice(LONG), rng.choice(OPTIONS))
    for shape in LONG:
        yield line(np.arange(13, dtype=np.int32) - 5, shape, {})
        yield line(np.linspace(-1, 1, 17), shape, {"precision": 3})
    for pattern in (np.array([1.5]), np.array([3], np.int8), np.array([True])):
        for shape in [(0,), (3, 0), (0, 3), (2, 0, 2)]:
            yield line(pattern, shape, {})
    for pattern in patterns():
        if rng.random() < 0.25:
            yield line(pattern[:1], (), {})


if __name__ == "__main__":
    with open("print_golden.txt", "w") as f:
        f.write(f"# Made by print_golden.py with NumPy {np.__version__}.\n")
        for case in cases():
            f.write(case + "\n")
