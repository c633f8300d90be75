#!/usr/bin/env python3
"""Writes the .npy files of this folder with NumPy: golden.py

C order and little endian are what Encode must reproduce byte for byte (c_*.npy, and f_*.npy in Fortran order). The
others are only read. Every array counts up from 0 in C order, so the tests know the elements. ml_dtypes is needed
for the void codes.
"""

import pathlib

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]


def counting(dtype, shape):
    return np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def save(name, array, version=None):
    with open(HERE / f"{name}.npy", "wb") as f:
        np.lib.format.write_array(f, array, version=version, allow_pickle=True)


def main():
    for dtype in DTYPES:
        save(f"c_{dtype}", counting(dtype, (2, 3)))
    save("c_scalar", counting("int32", ()))
    save("c_empty", counting("int32", (3, 0, 2)))
    save("c_line", counting("int16", (12,)))
    save("c_rank9", counting("uint8", (1, 2, 1, 2, 1, 2, 1, 2, 1)))
    save("f_float64", np.asfortranarray(counting("float64", (2, 3))))
    save("f_int16", np.asfortranarray(counting("int16", (4, 3, 2))))
    save("v2", counting("float32", (2, 3)), version=(2, 0))
    save("v3", counting("float32", (2, 3)), version=(3, 0))
    for code in [">i2", ">u8", ">f4", ">c16"]:
        save(f"big_{code[1:]}", counting(code, (2, 3)))
    save("big_fortran", np.asfortranarray(counting(">f8", (2, 3))))
    save("void_bfloat16", counting(ml_dtypes.bfloat16, (2, 3)))
    save("void_float8_e4m3fn", counting(ml_dtypes.float8_e4m3fn, (2, 3)))
    save("e5m2", counting(ml_dtypes.float8_e5m2, (2, 3)))
    save("bad_object", np.array([1, "two", None], dtype=object))
    save("bad_record", np.zeros(3, dtype=[("x", "f4"), ("y", "i2")]))
    save("bad_text", np.array(["a", "bc"]))


if __name__ == "__main__":
    main()
