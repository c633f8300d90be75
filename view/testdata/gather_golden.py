"""Writes the golden cases of gathers, scatters and assembled tensors.

    python3 gather_golden.py        # needs NumPy >= 2.1; writes golden/gather.txt, or into the
                                    # folder that is its argument

A case is one JSON value a line. Its tensors are int16 unless they say "bool" or
"float64"; x is a view of the numbers 0 to 4095, given as [shape, strides in
elements, offset], so that each of its elements is its position. What NumPy
refuses has "err" in place of "want".
"""

import json
import random
import sys
import warnings
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import as_strided

warnings.simplefilter("error", DeprecationWarning)
rng = random.Random(20250611)
BUF = np.arange(4096, dtype=np.int16)

LAYOUTS = [
    ((), (), 7),
    ((10,), (1,), 0),
    ((10,), (-1,), 9),
    ((5,), (3,), 2),
    ((0,), (1,), 0),
    ((1,), (1,), 5),
    ((3, 4), (4, 1), 0),
    ((3, 4), (1, 3), 11),
    ((4, 4), (-8, 2), 64),
    ((3, 0), (1, 1), 4),
    ((6, 5), (10, 2), 1),
    ((2, 3, 4), (12, 4, 1), 0),
    ((2, 3, 4), (1, 2, 6), 1),
    ((3, 2, 3), (-6, 3, -1), 40),
    ((2, 0, 3), (3, 3, 1), 0),
    ((2, 3, 2, 3), (18, 6, 3, 1), 0),
    ((2, 2, 2, 2), (1, 2, 4, 8), 0),
]


def make(spec):
    shape, strides, offset = spec
    return as_strided(BUF[offset:], shape, [2 * s for s in strides])


def spec_of(spec):
    return [list(part) if isinstance(part, tuple) else part for part in spec]


def array_of(a):
    a = np.asarray(a)
    if a.dtype == np.bool_:
        return {"type": "bool", "shape": list(a.shape), "data": a.astype(int).ravel().tolist()}
    return {"type": str(a.dtype), "shape": list(a.shape), "data": a.ravel().tolist()}


def result(case, fn):
    """Adds what fn returns, or the class and text of its error."""
    try:
        got = np.asarray(fn())
    except (IndexError, ValueError, TypeError) as e:
        kind = "IndexError" if isinstance(e, IndexError) else "ValueError"
        case["err"] = f"{kind}: {e}".split("\n")[0]
        return case
    if got.size > 300:
        return None
    case["want"] = array_of(got)
    return case


def ints(n, shape, wild=0.03):
    lo, hi = (-n, n - 1) if n else (0, 0)
    a = np.array([rng.randint(lo, hi) for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)
    if a.size and rng.random() < wild:
        a.flat[rng.randrange(a.size)] = rng.choice([n, -n - 1, n + 5])
    return a


def mask(shape):
    p = rng.choice([0.0, 0.3, 0.6, 1.0])
    return np.array([rng.random() < p for _ in range(int(np.prod(shape)))], bool).reshape(shape)


def small_shape():
    return rng.choice([(2,), (3,), (1,), (3,), (2, 3), (1, 3), (2, 1), (0,), (), (3,), (2,)])


def slice_text(n):
    part = lambda: rng.choice(["", "", str(rng.randint(-n - 1, n + 1))])
    return f"{part()}:{part()}" + rng.choice(["", "", ":2", ":-1", ":-2"])


def fancy_text(shape, arrays):
    """A random index for a shape; tensors that it names are put into arrays."""
    items, at = [], 0
    common = rng.choice([(2,), (3,), (2, 3), (1,)])
    while at < len(shape) or (not items):
        n = shape[at] if at < len(shape) else 3
        r = rng.random()
        if r < 0.06:
            items.append(rng.choice(["newaxis", "None"]))
            continue
        if r < 0.1 and "..." not in items:
            items.append("...")
            at += rng.randint(0, 2)
            continue
        if r < 0.14:
            items.append(rng.choice(["True", "False", "True"]))
            continue
        if r < 0.16 and items:
            break
        if r < 0.3:
            items.append(slice_text(n))
        elif r < 0.42:
            items.append(str(rng.choice([0, -1, rng.randint(-n, max(0, n - 1))])))
        elif r < 0.55:
            rank = rng.randint(1, max(1, len(shape) - at))
            m = mask(shape[at : at + rank] if at < len(shape) else (3,))
            if rng.random() < 0.05:
                m = mask((n + 1,))
            if rng.random() < 0.7:  # mostly as many as the arrays have
                m = np.zeros(m.shape, bool)
                m.flat[rng.sample(range(m.size), min(m.size, common[-1]))] = True
            if m.ndim == 1 and m.size and rng.random() < 0.5:
                items.append(str(m.tolist()))
            else:
                name = f"m{len(arrays)}"
                arrays[name] = m
                items.append(name)
            at += m.ndim
            continue
        else:
            a = ints(n, common if rng.random() < 0.9 else small_shape())
            if a.ndim and rng.random() < 0.5:
                items.append(str(a.tolist()))
            else:
                name = f"i{len(arrays)}"
                arrays[name] = a.astype(rng.choice(["int64", "int64", "int8", "int32"]))
                items.append(name)
        at += 1
    return ", ".join(items)


def fancy_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x, arrays = make(spec), {}
        text = fancy_text(x.shape, arrays)
        case = {"op": "fancy", "x": spec_of(spec), "text": text, "arrays": {k: array_of(v) for k, v in arrays.items()}}
        yield result(case, lambda: eval(f"x[{text}]", {"x": x, "newaxis": None, **arrays}))


def scatter_cases(count):
    while count:
        spec = rng.choice(LAYOUTS)
        x, arrays = make(spec).copy(), {}
        text = fancy_text(x.shape, arrays)
        env = {"x": x, "newaxis": None, **arrays}
        try:
            shape = eval(f"x[{text}]", env).shape
        except IndexError:
            if rng.random() < 0.7:
                continue
            shape = (2,)
        keep = rng.randint(0, len(shape))
        shape = [n if rng.random() < 0.7 else 1 for n in shape[keep:]]
        if rng.random() < 0.05:
            shape = shape + [7]
        env["v"] = v = 5000 + np.arange(int(np.prod(shape)), dtype=np.int16).reshape(shape)
        case = {"op": "scatter", "x": spec_of(spec), "text": text, "v": array_of(v), "arrays": {k: array_of(a) for k, a in arrays.items()}}

        def assign():
            exec(f"x[{text}] = v", env)
            return x

        yield result(case, assign)
        count -= 1


def axis_of(x, flat=True):
    if flat and rng.random() < 0.2:
        return None
    return rng.randint(-x.ndim - (rng.random() < 0.05), x.ndim - (rng.random() > 0.05)) if x.ndim else rng.choice([0, -1, None])


def take_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec)
        axis = axis_of(x)
        mode = rng.choice(["raise", "raise", "wrap", "clip"])
        n = x.size if axis is None else x.shape[axis] if -x.ndim <= axis < x.ndim else 3
        i = ints(n, small_shape(), 0.1 if mode == "raise" else 0.9)
        if mode != "raise" and i.size:
            i = i * rng.choice([1, 1, 3, -4])
        case = {"op": "take", "x": spec_of(spec), "i": array_of(i), "axis": axis, "mode": mode}
        yield result(case, lambda: np.take(x, i, axis=axis, mode=mode))


def put_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec).copy()
        mode = rng.choice(["raise", "raise", "wrap", "clip"])
        i = ints(x.size, small_shape(), 0.1 if mode == "raise" else 0.9)
        v = 5000 + np.arange(rng.choice([0, 1, 2, 3, 5, 8]), dtype=np.int16)

        def assign():
            np.put(x, i, v, mode=mode)
            return x

        yield result({"op": "put", "x": spec_of(spec), "i": array_of(i), "v": array_of(v), "mode": mode}, assign)


def compress_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec)
        axis = axis_of(x)
        n = x.size if axis is None else x.shape[axis] if -x.ndim <= axis < x.ndim else 3
        m = mask((max(0, n + rng.choice([0, 0, 0, -1, 1])),))
        case = {"op": "compress", "x": spec_of(spec), "m": array_of(m), "axis": axis}
        yield result(case, lambda: np.compress(m, x, axis=axis))


def nonzero_cases():
    for spec in LAYOUTS:
        x = make(spec)
        yield result({"op": "argwhere", "x": spec_of(spec)}, lambda: np.argwhere(x))
        yield result({"op": "argwhere", "x": spec_of((*spec[:2], 0)) if min(spec[1], default=0) >= 0 else spec_of(spec)},
                     lambda: np.argwhere(make((*spec[:2], 0)) if min(spec[1], default=0) >= 0 else x))


def parts(axis_free):
    """Tensors that mostly differ in one axis only."""
    rank = rng.randint(1, 3)
    shape = [rng.randint(0, 3) for _ in range(rank)]
    out = []
    for _ in range(rng.randint(1, 4)):
        mine = list(shape)
        if axis_free is not None and -rank <= axis_free < rank:
            mine[axis_free] = rng.randint(0, 3)
        if rng.random() < 0.05:
            mine[rng.randrange(rank)] += 1
        if rng.random() < 0.03:
            mine.append(2)
        step = rng.choice([1, 1, 2, -1])
        strides, s = [], step
        for n in reversed(mine):
            strides.insert(0, s)
            s *= max(1, n)
        if rng.random() < 0.4:
            mine, strides = mine[::-1], strides[::-1]
            if len(set(mine)) > 1:
                mine, strides = mine[::-1], strides[::-1]
        out.append((tuple(mine), tuple(strides), rng.randint(500, 900)))
    return out


def concatenate_cases(count):
    for _ in range(count):
        axis = rng.choice([0, 0, 1, -1, -1, 2, None, -2])
        specs = parts(axis)
        case = {"op": "concatenate", "xs": [spec_of(s) for s in specs], "axis": axis}
        yield result(case, lambda: np.concatenate([make(s) for s in specs], axis=axis))


def stack_cases(count):
    for _ in range(count):
        axis = rng.choice([0, 1, -1, 2, -2, 3, -4])
        specs = parts(None)
        case = {"op": "stack", "xs": [spec_of(s) for s in specs], "axis": axis}
        yield result(case, lambda: np.stack([make(s) for s in specs], axis=axis))


def tile_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec)
        reps = [rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.randint(0, x.ndim + 1))]
        yield result({"op": "tile", "x": spec_of(spec), "reps": reps}, lambda: np.tile(x, reps))


def repeat_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec)
        axis = axis_of(x)
        n = x.size if axis is None else x.shape[axis] if -x.ndim <= axis < x.ndim else 3
        counts = [rng.choice([0, 1, 2, 3])] if rng.random() < 0.5 else [rng.choice([0, 1, 1, 2, 4]) for _ in range(n)]
        if rng.random() < 0.05:
            counts = counts + [1]
        if counts and rng.random() < 0.05:
            counts[-1] = -1
        case = {"op": "repeat", "x": spec_of(spec), "counts": counts, "axis": axis}
        yield result(case, lambda: np.repeat(x, counts, axis=axis))


def pad_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS[1:])
        x = make(spec)
        mode = rng.choice(["constant", "edge", "reflect", "symmetric", "wrap"])
        far = [0, 1, 2, 3, 5, 11] if x.ndim < 3 else [0, 1, 2]
        widths = [[rng.choice(far), rng.choice(far)] for _ in range(x.ndim)]
        case = {"op": "pad", "x": spec_of(spec), "widths": widths, "mode": mode}
        yield result(case, lambda: np.pad(x, widths, mode=mode, **({"constant_values": 77} if mode == "constant" else {})))


def roll_cases(count):
    for _ in range(count):
        spec = rng.choice(LAYOUTS)
        x = make(spec)
        if x.ndim == 0 or rng.random() < 0.2:
            shifts, axes = [rng.randint(-12, 12)], None
            call = lambda: np.roll(x, shifts[0])
        else:
            axes = [rng.randint(-x.ndim, x.ndim - 1) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.05:
                axes[0] = x.ndim
            shifts = [rng.randint(-12, 12) for _ in axes]
            if rng.random() < 0.2:
                shifts = shifts[:1]
            call = lambda: np.roll(x, tuple(shifts), tuple(axes))
        yield result({"op": "roll", "x": spec_of(spec), "shifts": shifts, "axes": axes}, call)


def close_cases(count):
    values = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-6, 1.001, -1.0, 1e300, float("inf"), float("-inf"), float("nan")]
    for _ in range(count):
        n = rng.choice([1, 1, 1, 2, 3])
        a = np.array([rng.choice(values) for _ in range(n)])
        b = np.array([v if rng.random() < 0.7 else rng.choice(values) for v in a])
        if rng.random() < 0.1:
            b = b[:1]
        rtol, atol, nan = rng.choice([1e-5, 0, 1e-2]), rng.choice([1e-8, 0, 0.5]), rng.random() < 0.5
        case = {"op": "allclose", "a": list(map(repr, a.tolist())), "b": list(map(repr, b.tolist())), "rtol": rtol, "atol": atol, "nan": nan}
        with np.errstate(all="ignore"):
            case["want"] = array_of(np.bool_(np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=nan)))
        yield case


def cases():
    yield from fancy_cases(900)
    yield from scatter_cases(350)
    yield from take_cases(220)
    yield from put_cases(120)
    yield from compress_cases(120)
    yield from nonzero_cases()
    yield from concatenate_cases(200)
    yield from stack_cases(100)
    yield from tile_cases(120)
    yield from repeat_cases(200)
    yield from pad_cases(350)
    yield from roll_cases(200)
    yield from close_cases(150)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("golden")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "gather.txt", "w") as f:
        f.write(f"# Made by gather_golden.py with NumPy {np.__version__}.\n")
        seen = set()
        for case in cases():
            line = case and json.dumps(case, separators=(",", ":"))
            if line and line not in seen:
                seen.add(line)
                f.write(line + "\n")
