"""Writes the golden cases of indexing and reshaping, as NumPy decides them.

    python3 index_golden.py        # needs NumPy >= 2.1

Both files hold one case a line, fields separated by tabs. A layout is written
shape;strides;offset in elements. Offsets of empty results are written "-",
because nothing depends on them.
"""

import random

import numpy as np
from numpy.lib.stride_tricks import as_strided

rng = random.Random(20240607)
BUF = np.zeros(4096, np.int8)
BASE = BUF.__array_interface__["data"][0]

# shape, strides, offset
LAYOUTS = [
    ((), (), 7),
    ((10,), (1,), 0),
    ((10,), (-1,), 9),
    ((5,), (3,), 2),
    ((4,), (0,), 3),
    ((0,), (1,), 0),
    ((1,), (1,), 5),
    ((3, 4), (4, 1), 0),
    ((3, 4), (1, 3), 11),
    ((10, 4), (4, 1), 0),
    ((3, 0), (1, 1), 4),
    ((4, 4), (-8, 2), 64),
    ((2, 3, 4), (12, 4, 1), 0),
    ((2, 3, 4), (1, 2, 6), 1),
    ((2, 3, 4), (24, 8, 2), 3),
    ((3, 1, 5), (10, 7, 2), 0),
    ((2, 0, 3), (3, 3, 1), 0),
    ((2, 3, 2, 3), (18, 6, 3, 1), 0),
    ((2, 2, 2, 2, 2), (16, 8, 4, 2, 1), 0),
]


def layout(a):
    at = a.__array_interface__["data"][0] - BASE if a.size else "-"
    return f"{list(a.shape)};{list(a.strides)};{at}".replace(" ", "")


def make(shape, strides, offset):
    return as_strided(BUF[offset:], shape, strides)


def number(n):
    return str(rng.choice([0, 1, -1, 2, -2, n - 1, n, -n, -n - 1, n + 2, rng.randint(-n - 3, n + 3), 10**25, -(10**25)]))


def slice_text(n):
    def part():
        return rng.choice(["", "", "None", number(n), number(n), number(n)])

    step = rng.choice(["", "1", "2", "3", "-1", "-2", "-3", "7", "-7", "0", "None", str(2**55), str(-(2**55))])
    return rng.choice([f"{part()}:{part()}", f"{part()}:{part()}:{step}", f"{part()}:{part()}:{step}"])


def item(n):
    r = rng.random()
    if r < 0.25:
        return str(rng.choice([0, -1, n - 1, -n, rng.randint(-n - 2, n + 1)]))
    if r < 0.8:
        return slice_text(n)
    if r < 0.9:
        return rng.choice(["...", "Ellipsis"])
    return rng.choice(["newaxis", "None", "np.newaxis"])


def spaced(text):
    return text.replace(":", " : ") if rng.random() < 0.1 else text


def index_text(shape):
    if rng.random() < 0.02:
        return rng.choice(["()", "( )", "...,"])
    count = rng.choice([1, len(shape), len(shape), rng.randint(1, len(shape) + 2)]) or 1
    items = [spaced(item(shape[i] if i < len(shape) else 3)) for i in range(count)]
    return rng.choice([",", ", ", " , "]).join(items) + rng.choice(["", "", "", ","])


def pick(a, text):
    env = {"np": np, "newaxis": np.newaxis}
    try:
        index = eval(f"S[{text}]", {"S": np.s_, **env})
        got = a[index]
        if not isinstance(got, np.ndarray):  # all integers: ask for the 0-d view
            got = a[(index if isinstance(index, tuple) else (index,)) + (...,)]
        return layout(got)
    except (IndexError, ValueError) as e:
        return "error: " + str(e)


def index_cases():
    seen = set()
    for shape, strides, offset in LAYOUTS:
        for _ in range(90):
            text = index_text(shape)
            if (shape, strides, text) in seen:
                continue
            seen.add((shape, strides, text))
            a = make(shape, strides, offset)
            got = pick(a, text)
            if "index-sized" in got or "only integers" in got:
                continue  # integers beyond 64 bits: the Go test has its own
            yield f"{list(shape)};{list(strides)};{offset}".replace(" ", "") + f"\t{text}\t{got}"


def factors(n):
    """A random shape with n elements."""
    out = []
    while n > 1:
        d = rng.choice([k for k in range(2, n + 1) if n % k == 0])
        out.append(d)
        n //= d
    rng.shuffle(out)
    for _ in range(rng.randint(0, 2)):
        out.insert(rng.randint(0, len(out)), 1)
    return out


def reshape_cases():
    bases = [make(*l) for l in LAYOUTS]
    bases += [b[..., ::2] for b in bases if b.ndim > 1]
    bases += [b.transpose([1, 0, *range(2, b.ndim)]) for b in bases if b.ndim > 1]
    bases += [b[::-1] for b in bases if b.ndim > 1]
    seen = set()
    for a in bases:
        for _ in range(10):
            if a.size == 0:
                shape = rng.choice([[0], [0, 3], [3, 0], [-1], [0, -1], [2, 0, 5], [4]])
            else:
                shape = factors(a.size)
            if shape and rng.random() < 0.3:
                shape[rng.randrange(len(shape))] = -1
            if rng.random() < 0.06:
                shape = shape + [rng.choice([2, 7, -1])]
            key = (a.shape, a.strides, layout(a), tuple(shape))
            if key in seen:
                continue
            seen.add(key)
            try:
                got = layout(a.reshape(shape, copy=False))
            except ValueError as e:
                got = "copy" if "copy" in str(e) else "error"
            at = a.__array_interface__["data"][0] - BASE
            yield f"{list(a.shape)};{list(a.strides)};{at}\t{shape}\t{got}".replace(" ", "")


def write(name, lines):
    with open(name, "w") as f:
        f.write(f"# Made by index_golden.py with NumPy {np.__version__}.\n")
        f.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    write("index_golden.txt", index_cases())
    write("reshape_golden.txt", reshape_cases())
