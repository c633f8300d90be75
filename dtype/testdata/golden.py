"""Writes the golden files of package dtype from what NumPy and ml_dtypes do.

Run in this folder, on x86-64, where numpy 2 and ml_dtypes are installed:

    python golden.py

numpy_str.txt       type, bits, str() of one element a line
numpy_float16.txt   sha256 of str() of the 1024 float16 numbers of each positive exponent
numpy_convert.txt   from, to, then source>result for each element, all in hex

Bits are hexadecimal, little-endian as a number, imaginary part first.
"""

import hashlib
import random
import struct
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
rng = random.Random(20240607)
VERSIONS = f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}\n"

NUMPY = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
SMALL = "bfloat16 float8_e4m3fn float8_e5m2".split()


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name) if name in SMALL else name)


def bits(element):
    return element.tobytes()[::-1].hex()


def str_values():
    for name, edge in (("float16", 1e3), ("float32", 1e6), ("float64", 1e16)):
        t = np.dtype(name)
        values = [0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1 / 3, 100.0, 1e-4, 9.9e-5, 1e-5, 123.456, np.nan, np.inf, -np.inf]
        values += [edge, edge - 1, edge + 1, edge * 0.999, edge * 10, -edge, edge * 1.5]
        info = np.finfo(t)
        values += [info.max, info.min, info.tiny, info.smallest_subnormal, info.eps]
        values += [2.0**e for e in range(-30, 70)] + [10.0**e for e in range(-10, 20)]
        values = np.array(values, t)
        unsigned = f"u{t.itemsize}"
        patterns = [rng.getrandbits(8 * t.itemsize) for _ in range(200)]
        near = [struct.unpack("<Q", struct.pack("<d", 10.0 ** rng.uniform(-6, 18)))[0] for _ in range(200)]
        random_bits = np.array(patterns, unsigned).view(t)
        usual = np.array(near, "u8").view("f8").astype(t)
        for v in np.concatenate([values, random_bits, usual]):
            yield name, v
    for name in ("complex64", "complex128"):
        parts = [0.0, -0.0, 1.0, -2.0, 0.1, 1e-5, 1e5, 1e7, 1e8, 1e16, 1e17, np.nan, np.inf, -np.inf]
        for re in parts:
            for im in parts:
                yield name, np.array([complex(re, im)], name)[0]


def write_str():
    with open("numpy_str.txt", "w") as out:
        out.write(VERSIONS)
        for name, v in str_values():
            out.write(f"{name} {bits(v)} {v!s}\n")
    with open("numpy_float16.txt", "w") as out:
        out.write(VERSIONS)
        every = np.arange(0x7C00, dtype="u2").view("f2")
        for exponent, row in enumerate(every.reshape(-1, 1024)):
            text = "\n".join(str(v) for v in row)
            out.write(f"{exponent} {hashlib.sha256(text.encode()).hexdigest()}\n")


def sources(name):
    t = dtype(name)
    if name == "bool":
        return np.array([False, True])
    if t.kind in "iu":
        info = np.iinfo(t)
        values = [0, 1, 2, 100, info.min, info.max, info.max - 1, info.max // 2 + 1]
        values += [v for v in (-1, -2, -100, 127, 128, 255, 256, 65504, 65519, 65520, 2**24 + 1, 2**31, 2**53 + 1, 2**62 + 1) if info.min <= v <= info.max]
        return np.array(values, t)
    values = [0.0, -0.0, 1.0, -1.0, -1.5, 0.1, 2.5, 100.7, 127.9, 128.0, 255.9, 256.0, 300.0, -129.0, 449.0, 465.0, 65519.0, 65520.0, 7e4]
    values += [2.0**31, -(2.0**31), 2.0**31 - 129, 3e9, -3e9, 2.0**32, 2.0**33 + 4096, 2.0**63, -(2.0**63), 1e19, 2.0**64, 1e20, -1e20]
    values += [1e-8, 6e-8, 1e-40, 1e-46, 3.4e38, 1e39, np.nan, np.inf, -np.inf]
    array = np.array(values, "f8")
    if t.kind == "c":
        array = array + np.array([0, 1j, 0, 0, -2.5j] * 20)[: len(values)]
    return array.astype(t)


def convert(values, to):
    """Casts without NumPy's vector loops, whose uint32 differs from the scalar one."""
    if values.dtype.name in SMALL:
        values = values.astype("f4")  # exact
    return np.repeat(values, 2)[::2].astype(dtype(to))


def write_convert():
    with open("numpy_convert.txt", "w") as out:
        out.write(VERSIONS)
        for name in NUMPY + SMALL:
            values = sources(name)
            for to in NUMPY + SMALL:
                pairs = (f"{bits(a)}>{bits(b)}" for a, b in zip(values, convert(values, to)))
                out.write(f"{name} {to} {' '.join(pairs)}\n")


write_str()
write_convert()
