"""Writes the golden files of package dtype from what NumPy and ml_dtypes do.

Run on x86-64, with the versions of requirements.txt (`make golden` does, and compares):

    python golden.py FOLDER

numpy_str.txt         type, bits, str() of one element a line
numpy_float16.txt     sha256 of str() of the 1024 float16 numbers of each positive exponent
numpy_convert.txt     from, to, then source>result for each element, all in hex
numpy_saturate.txt    the same, clamped in exact arithmetic before the cast
numpy_names.txt       a text that a person may write for a dtype, and the name of the dtype, or - for none of tstore's
numpy_promote.txt     promote_types: two types and the result, - where there is none
numpy_result_all.txt  result_type of three types, - where there is none: where promotion pair by pair differs, and some more
numpy_result.txt      result_type of one or two types and Python scalars of the kinds named
numpy_can_cast.txt    rule, from, and the types that can_cast allows
numpy_ufunc.txt       type, then the types of sqrt, sum, prod, mean and the true division by each type

Bits are hexadecimal, little-endian as a number, imaginary part first.
"""

import fractions
import hashlib
import itertools
import math
import pathlib
import random
import struct
import sys
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
rng = random.Random(20240607)
FOLDER = pathlib.Path(sys.argv[1])
VERSIONS = f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}\n"

NUMPY = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
SMALL = "bfloat16 float8_e4m3fn float8_e5m2".split()


def golden(name):
    out = open(FOLDER / name, "w")
    out.write(VERSIONS)
    return out


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
    with golden("numpy_str.txt") as out:
        for name, v in str_values():
            out.write(f"{name} {bits(v)} {v!s}\n")
    with golden("numpy_float16.txt") as out:
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
    with golden("numpy_convert.txt") as out:
        for name in NUMPY + SMALL:
            values = sources(name)
            for to in NUMPY + SMALL:
                pairs = (f"{bits(a)}>{bits(b)}" for a, b in zip(values, convert(values, to)))
                out.write(f"{name} {to} {' '.join(pairs)}\n")


def largest(to):
    return float(ml_dtypes.finfo(dtype(to)).max)


def saturated_integer(v, to):
    info = np.iinfo(to)
    if math.isnan(v):
        return 0
    if math.isinf(v):
        return info.max if v > 0 else info.min
    return min(max(math.trunc(fractions.Fraction(v)), info.min), info.max)


def saturated_small(v, to):
    return v if math.isnan(v) else min(max(v, -largest(to)), largest(to))


def saturate(values, to):
    """Clamps Python numbers, which are exact."""
    exact = [v.real for v in values.astype("f4" if values.dtype.name in SMALL else values.dtype).tolist()]
    if np.issubdtype(dtype(to), np.integer):
        return np.array([saturated_integer(v, to) for v in exact], to)
    return np.array([saturated_small(v, to) for v in exact], "f8").astype("f4").astype(dtype(to))


def write_saturate():
    with golden("numpy_saturate.txt") as out:
        for name in NUMPY + SMALL:
            values = sources(name)
            for to in NUMPY[1:9] + SMALL[1:]:
                if to == name:
                    continue
                pairs = (f"{bits(a)}>{bits(b)}" for a, b in zip(values, saturate(values, to)))
                out.write(f"{name} {to} {' '.join(pairs)}\n")


def name_of(compute):
    """The name of the dtype that compute returns, - if there is none or it is not one of tstore's."""
    try:
        name = compute().name
    except (TypeError, ValueError):
        return "-"
    return name if name in NUMPY + SMALL else "-"


def write_names():
    kinds = "? b h i q B H I Q e f d g F D G U S V O M m a w z x A C E".split()
    sized = [f"{k}{n}" for k in "bBiuUfcVeSdhq" for n in ("0", "1", "2", "4", "8", "16", "32", "64")]
    words = NUMPY + SMALL + """float double half single int uint complex csingle cdouble byte ubyte short ushort
        intc uintc longlong ulonglong bool_ boolean str bytes object void Float32 FLOAT64 float128 int128 real integer
        i u c complex32 bf16 fp32 f8 float80 float_ int_ complex_ datetime64 timedelta64 longdouble""".split()
    texts = kinds + sized + [order + code for code in kinds + sized for order in "<=|>"] + words
    with golden("numpy_names.txt") as out:
        for text in dict.fromkeys(texts):
            native = name_of(lambda: np.dtype(text).newbyteorder("=")) if text[0] != ">" else name_of(lambda: big_endian(text))
            out.write(f"{native} {text}\n")


def big_endian(text):
    """The type of a big-endian text, if its byte order means nothing."""
    t = np.dtype(text)
    if not t.isnative:
        raise TypeError("big-endian")
    return t


def write_promote():
    with golden("numpy_promote.txt") as out:
        for a, b in itertools.product(NUMPY + SMALL, repeat=2):
            out.write(f"{a} {b} {name_of(lambda: np.promote_types(dtype(a), dtype(b)))}\n")
    with golden("numpy_result_all.txt") as out:
        for names in itertools.combinations(NUMPY + SMALL, 3):
            result = name_of(lambda: np.result_type(*map(dtype, names)))
            stepwise = name_of(lambda: np.promote_types(np.promote_types(dtype(names[0]), dtype(names[1])), dtype(names[2])))
            if result != stepwise or rng.random() < 0.2:
                out.write(f"{' '.join(names)} {result}\n")


def write_result():
    scalars = {"bool": True, "int": 3, "float": 0.5, "complex": 2j}
    choices = [[]] + [[k] for k in scalars] + [["int", "complex"], ["float", "bool"], ["float", "int"]]
    types = [[]] + [[t] for t in NUMPY + SMALL] + [list(pair) for pair in itertools.combinations(NUMPY, 2)]
    with golden("numpy_result.txt") as out:
        for names, kinds in itertools.product(types, choices):
            if names or kinds:
                result = name_of(lambda: np.result_type(*map(dtype, names), *(scalars[k] for k in kinds)))
                out.write(f"{','.join(names)} {','.join(kinds)} {result}\n")


def write_can_cast():
    with golden("numpy_can_cast.txt") as out:
        for rule in "no equiv safe same_kind unsafe".split():
            for a in NUMPY + SMALL:
                allowed = [b for b in NUMPY + SMALL if np.can_cast(dtype(a), dtype(b), rule)]
                out.write(f"{rule} {a} {' '.join(allowed)}\n")


def write_ufunc():
    with golden("numpy_ufunc.txt") as out:
        for name in NUMPY:
            ones = np.ones(2, name)
            quotients = [(ones / np.ones(2, other)).dtype.name for other in NUMPY]
            results = [f(ones).dtype.name for f in (np.sqrt, np.sum, np.prod, np.mean)]
            out.write(f"{' '.join([name] + results + quotients)}\n")


FOLDER.mkdir(parents=True, exist_ok=True)
for write in (write_str, write_convert, write_saturate, write_names, write_promote, write_result, write_can_cast, write_ufunc):
    write()
