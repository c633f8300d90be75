#!/usr/bin/env python3
"""Checks that NumPy and tstore agree on files: numpy_check.py PATH/TO/tstore

For every dtype that both know, in both orders and in odd shapes, an array is saved by NumPy, imported into a
temporary store, and then read back by NumPy in two ways: the storage file itself, whose path `tstore path`
prints, mapped with no export, and the output of `tstore cat`. Both must have the same dtype, shape, order and bits. Exit status 1 and one line per
difference if not.
"""

import io
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]

SHAPES = {
    "scalar": (),
    "empty": (0,),
    "empty3d": (3, 0, 2),
    "line": (1000,),
    "grid": (61, 87),
    "cube": (5, 1, 4099),
}

SLICES = {
    "::2, ::-1": np.s_[::2, ::-1],
    "3:50:7, 86": np.s_[3:50:7, 86],
    "..., None, -1": np.s_[..., None, -1],
    "5": np.s_[5],
}


def random_array(rng, dtype, shape):
    """Any bit pattern: NaN payloads, infinities and negative zeros must survive as they are."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == bool:
        return rng.integers(0, 2, count).astype(bool).reshape(shape)
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).reshape(shape).copy()


def same(a, b):
    """Equal dtype, shape and bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def order(a):
    """The order that np.save writes for the array."""
    return "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"


class Store:
    def __init__(self, binary, folder):
        self.folder = pathlib.Path(folder)
        self.command = [str(binary), "--store", str(self.folder / "store")]
        self.failures = 0
        self.checks = 0
        self.run("init")

    def run(self, *args):
        done = subprocess.run([*self.command, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"tstore {' '.join(args)}: exit status {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def check(self, what, want, got):
        self.checks += 1
        if not same(want, got):
            self.failures += 1
            print(f"{what}: want {want.dtype} {want.shape}, got {got.dtype} {got.shape}, or other bits")

    def add(self, name, array, version=None):
        """Saves the array as NumPy does and imports the file."""
        path = self.folder / f"{name}.npy"
        with open(path, "wb") as f:
            np.lib.format.write_array(f, array, version=version, allow_pickle=False)
        self.run("import", str(path), "--name", name)
        path.unlink()

    def storage(self, name):
        """The storage file, mapped by NumPy."""
        file = self.run("path", name).decode().rstrip("\n")
        return np.load(file, mmap_mode="r", allow_pickle=False)

    def together(self, arrays, *flags):
        """Imports arrays in one transaction."""
        paths = [self.folder / f"{name}.npy" for name in arrays]
        for path, array in zip(paths, arrays.values()):
            np.save(path, array)
        self.run("import", *flags, *map(str, paths))
        for path in paths:
            path.unlink()

    def cat(self, expression):
        return np.load(io.BytesIO(self.run("cat", expression)), allow_pickle=False)

    def round_trip(self, name, array, version=None):
        self.add(name, array, version)
        want = array.astype(array.dtype.newbyteorder("="), order="K")
        stored = self.storage(name)
        self.check(f"storage file of {name}", want, stored)
        if order(stored) != order(array):
            self.failures += 1
            print(f"storage file of {name}: want order {order(array)}, got {order(stored)}")
        self.check(f"cat {name}", want, self.cat(name))


def main():
    rng = np.random.default_rng(20260101)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(pathlib.Path(sys.argv[1]).resolve(), folder)
        for dtype in DTYPES:
            for shape_name, shape in SHAPES.items():
                array = random_array(rng, dtype, shape)
                store.round_trip(f"{dtype}_{shape_name}", array)
                if len(shape) > 1:
                    store.round_trip(f"{dtype}_{shape_name}_fortran", np.asfortranarray(array))
            for text, index in SLICES.items():
                grid = store.storage(f"{dtype}_grid")
                store.check(f"cat {dtype}_grid[{text}]", grid[index], store.cat(f"{dtype}_grid[{text}]"))
        for version in [(1, 0), (2, 0), (3, 0)]:
            name = f"version_{version[0]}"
            store.round_trip(name, random_array(rng, "float32", (7, 9)), version)
        for dtype in [">i2", ">f4", ">f8", ">c16"]:
            store.round_trip(f"big_endian_{dtype[1:]}", random_array(rng, dtype, (7, 9)))
        small = {f"small_{i}": random_array(rng, DTYPES[i % len(DTYPES)], (i, 3)) for i in range(40)}
        store.together(small)
        for name, array in small.items():
            store.check(f"storage file of {name}", array, store.storage(name))
        packed = {name.replace("small", "packed"): array for name, array in small.items()}
        store.together(packed, "--pack")
        store.run("path", "--materialize", *packed)
        for name, array in packed.items():
            store.check(f"storage file of {name}", array, store.storage(name))
        store.run("eval", "sums = float64_grid.sum(axis=0); total = sums.sum()")
        for name in ["sums", "total"]:
            store.check(f"storage file of {name}", store.cat(name), store.storage(name))
        print(f"{store.checks} comparisons with NumPy {np.__version__}, {store.failures} differ")
        sys.exit(store.failures > 0)


if __name__ == "__main__":
    main()
