#!/usr/bin/env python3
"""Writes golden/elementwise.txt.gz: what NumPy makes of the values at which element-wise operations differ.

usage: golden.py [FOLDER]

Columns: operation, type of the operands, operands a, operands b ("-" if there are none), type of the results, results;
elements are bytes in hexadecimal. Vector instructions that fuse a product with a sum are turned off, because which
processors have them must not show.
"""

import gzip
import os
import pathlib
import sys

os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"

import numpy as np

FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "golden"

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
BOOL = ["bool"]
REAL = BOOL + INTS + FLOATS
ALL = REAL + COMPLEX

UNARY = {
    "Neg": (np.negative, INTS + FLOATS + COMPLEX), "Abs": (np.absolute, ALL), "Sign": (np.sign, INTS + FLOATS + COMPLEX),
    "Square": (np.square, INTS + FLOATS + COMPLEX), "Reciprocal": (np.reciprocal, FLOATS + COMPLEX),
    "Floor": (np.floor, REAL), "Ceil": (np.ceil, REAL), "Trunc": (np.trunc, REAL), "Rint": (np.rint, FLOATS + COMPLEX),
    "Sqrt": (np.sqrt, FLOATS), "Not": (np.logical_not, ALL), "Invert": (np.invert, BOOL + INTS),
    "IsNaN": (np.isnan, ALL), "IsInf": (np.isinf, ALL), "IsFinite": (np.isfinite, ALL), "SignBit": (np.signbit, FLOATS),
    "Real": (np.real, COMPLEX), "Imag": (np.imag, COMPLEX), "Conj": (np.conjugate, COMPLEX),
}

BINARY = {
    "Add": (np.add, ALL), "Sub": (np.subtract, INTS + FLOATS + COMPLEX), "Mul": (np.multiply, ALL),
    "Div": (np.true_divide, FLOATS + COMPLEX), "FloorDiv": (np.floor_divide, INTS + FLOATS), "Mod": (np.remainder, INTS + FLOATS),
    "Fmod": (np.fmod, INTS + FLOATS), "Min": (np.minimum, ALL), "Max": (np.maximum, ALL), "FMin": (np.fmin, ALL),
    "FMax": (np.fmax, ALL), "CopySign": (np.copysign, FLOATS), "NextAfter": (np.nextafter, FLOATS),
    "And": (np.bitwise_and, BOOL + INTS), "Or": (np.bitwise_or, BOOL + INTS), "Xor": (np.bitwise_xor, BOOL + INTS),
    "Shl": (np.left_shift, INTS), "Shr": (np.right_shift, INTS), "Equal": (np.equal, ALL), "NotEqual": (np.not_equal, ALL),
    "Less": (np.less, ALL), "LessEqual": (np.less_equal, ALL), "Greater": (np.greater, ALL), "GreaterEqual": (np.greater_equal, ALL),
}

# Without exp2 of complex64 and log1p, which lose digits in NumPy.
COMPLEX_MATH = {
    "Sqrt": np.sqrt, "Exp": np.exp, "Expm1": np.expm1, "Log": np.log, "Log2": np.log2, "Log10": np.log10,
    "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Sinh": np.sinh, "Cosh": np.cosh, "Tanh": np.tanh,
    "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh,
    "Angle": np.angle,
}

ZERO_DIFFERS = {"Min", "Max", "FMin", "FMax"}  # NumPy leaves open which zero they return


def values(name):
    if name == "bool":
        return np.array([False, True])
    if name in INTS:
        info = np.iinfo(name)
        numbers = [0, 1, 2, 3, 7, 8, 31, 64, info.max - 1, info.max, info.min, info.min + 1, -1, -2, -3, -7]
        return np.unique(np.array([n for n in numbers if info.min <= n <= info.max], name))
    if name in FLOATS:
        info = np.finfo(name)
        numbers = [0.0, 1.0, 1.5, 2.5, 3.0, 0.1, 1e10, info.max, info.smallest_subnormal, info.tiny, np.inf]
        return np.array(numbers + [-n for n in numbers] + [np.nan], name)
    parts = np.array([0.0, -0.0, 1.5, -3.0, np.inf, np.nan], "float32" if name == "complex64" else "float64")
    pairs = np.empty(parts.size**2, name)
    pairs.real, pairs.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    return np.concatenate([pairs, np.array([3 + 4j, 1e30 - 1e30j, -1e-30 + 1e-30j, 0.1 + 0.2j], name)])


def more_complex(name):
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, 1e-5, -30.0, 1e-200, 1e200])
    pairs = np.empty(parts.size**2, "complex128")
    pairs.real, pairs.imag = np.repeat(parts, parts.size), np.tile(parts, parts.size)
    return np.concatenate([values(name), pairs.astype(name)])


def text(array):
    return np.ascontiguousarray(array).tobytes().hex()


def lines():
    for op, (function, types) in UNARY.items():
        for name in types:
            a = values(name)
            yield op, name, a, None, function(a)
    for op, (function, types) in BINARY.items():
        for name in types:
            v = values(name)
            a, b = np.repeat(v, v.size), np.tile(v, v.size)
            if op in ZERO_DIFFERS:
                keep = (a != b) | (a != 0)
                a, b = a[keep], b[keep]
            yield op, name, a, b, function(a, b)
    for op, function in COMPLEX_MATH.items():
        for name in COMPLEX:
            a = more_complex(name)
            yield op, name, a, None, function(a)
    for name in COMPLEX:
        v = np.array([0, 1, -1, 2, -3, 7, 0.5, 1 + 1j, -2.5j, 0.25 - 3j], name)
        a, b = np.repeat(v, v.size), np.tile(v, v.size)
        yield "Pow", name, a, b, np.power(a, b)
    for name in INTS:
        v = values(name)
        a, b = np.repeat(v, 5), np.tile(np.array([0, 1, 2, 5, 64], name), v.size)
        yield "Pow", name, a, b, np.power(a, b)


np.seterr(all="ignore")
FOLDER.mkdir(parents=True, exist_ok=True)
with gzip.GzipFile(FOLDER / "elementwise.txt.gz", "wb", mtime=0) as out:
    for op, name, a, b, result in lines():
        out.write(f"{op} {name} {text(a)} {'-' if b is None else text(b)} {result.dtype.name} {text(result)}\n".encode())
