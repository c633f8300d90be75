#!/usr/bin/env python3
"""Writes random_golden.txt: what compute.Random must generate for ever.

Needs numpy and ml_dtypes. Where NumPy's own Generator gives the elements, they are taken from it, and else made from
the raw stream. Columns: dtype, seed, index of the first element, bytes of the elements in hexadecimal.
"""

import pathlib

import ml_dtypes
import numpy as np

SEEDS = [0, 1, 42, 2**64 - 1]
BLOCKS = [0, 10**9]  # blocks of 32 bytes before the first element
COUNT = 9

UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
SIGNED = ["int8", "int16", "int32", "int64"]  # the same bits; NumPy would shift the range instead
NARROW = {"float16": (np.float16, 11), "bfloat16": (ml_dtypes.bfloat16, 8),
          "float8_e4m3fn": (ml_dtypes.float8_e4m3fn, 4), "float8_e5m2": (ml_dtypes.float8_e5m2, 3)}


def elements(name, seed, block):
    # A new Philox adds one to its counter before the first block.
    bits = np.random.Philox(key=seed, counter=block)
    rng = np.random.Generator(bits)
    if name in UNSIGNED + SIGNED:
        unsigned = "u" + name.removeprefix("u")
        return rng.integers(0, np.iinfo(unsigned).max, COUNT, dtype=unsigned, endpoint=True).view(name)
    if name in ("float32", "float64"):
        return rng.random(COUNT, dtype=name)
    if name in ("complex64", "complex128"):
        part = "float32" if name == "complex64" else "float64"
        return rng.random(2 * COUNT, dtype=part).view(name)
    raw = bits.random_raw(2 * COUNT).view(np.uint8)
    if name == "bool":
        return raw[:COUNT] & 1
    dtype, precision = NARROW[name]
    word = np.uint8 if np.dtype(dtype).itemsize == 1 else np.uint16
    fraction = raw.view(word)[:COUNT] >> (8 * word().itemsize - precision)
    return (fraction / 2.0**precision).astype(dtype)


def main():
    lines = ["# dtype\tseed\tfirst\tbytes, made by random_golden.py"]
    for name in ["bool", *SIGNED, *UNSIGNED, *NARROW, "float32", "float64", "complex64", "complex128"]:
        for seed in SEEDS:
            for block in BLOCKS:
                got = elements(name, seed, block)
                first = block * 32 // got.dtype.itemsize
                lines.append(f"{name}\t{seed}\t{first}\t{got.tobytes().hex()}")
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
