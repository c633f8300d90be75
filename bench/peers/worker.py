"""Runs rows of the benchmark with one Python library, over mappings of the store's own files.

    python3 worker.py LIBRARY A.npy B.npy C.npy X.npy SIDE THREADS

LIBRARY is numpy, numexpr, blosc2, torch or faiss. A, B and C are float32 of SIDE x SIDE; their bytes are read as other
types too. X, larger than memory may be, is only opened by the row that reads it. Lines on the standard input name
rows; each is answered with "ok SECONDS CHECK", "none" if the library has no such operation, or "error TEXT".

A row is a function that does the work and returns what the caller would get. What it needs is opened before the
clock starts. CHECK is the number it returned, or the mean of some elements of the array.
"""

import os
import sys
import time

LIBRARY, A, B, C, X, SIDE, THREADS = sys.argv[1:]
SIDE, THREADS = int(SIDE), int(THREADS)
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS", "BLOSC_NTHREADS"):
    os.environ[variable] = str(THREADS)

import numpy as np

np.seterr(all="ignore")
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "f16": np.float16, "bf16": np.int16}
HYP, POLY = "sqrt(a*a + b*b)", "2*a*a + 3*a*b - b + 1.5"
SIGMOID = "1/(1 + exp(-a))"
OPS2, OPS3 = "a*b + 1.5", "(a - b)*a + b"
OPS6, OPS10 = "(a + b)*(a - b)*0.5 + a*b", "((a + b)*(a - b) + 2*a)/(b*b + 1) - a*b"
LITTLE = np.linspace(1, 2, 1000, dtype=np.float32), np.linspace(2, 3, 1000, dtype=np.float32)


def mapped(path, mode, name="f32", matrix=False):
    a = np.load(path, mmap_mode=mode).reshape(-1).view(TYPES[name])
    return np.asarray(a.reshape(SIDE, SIDE) if matrix else a)


def operands(name="f32", matrix=False):
    return mapped(A, "r", name, matrix), mapped(B, "r", name, matrix), mapped(C, "r+", name, matrix)


SQUARE = 2048  # rows and columns of the matrices that are multiplied


def square(a):
    return a[: SQUARE * SQUARE].reshape(SQUARE, SQUARE)


def vectors(count):
    """1,000 queries, and the rows that they are compared with, of 128 numbers each."""
    a, b, _ = operands()
    return b[:128000].reshape(1000, 128), a[: 128 * count].reshape(count, 128)


def large():
    """The parts of the operands that are multiplied where memory counts."""
    return [x[:8192, :8192] for x in operands(matrix=True)]


def few():
    """The first 10,000 elements of the operands."""
    return [x[:10_000] for x in operands()]


def nearest(q, x, k):
    """The k nearest rows of x, and their distances less what is the same for all rows."""
    d = np.sum(x * x, axis=1) - 2 * (q @ x.T)
    near = np.argpartition(d, k, axis=1)[:, :k]
    distances = np.take_along_axis(d, near, 1)
    order = np.argsort(distances, axis=1)
    return np.take_along_axis(distances, order, 1), np.take_along_axis(near, order, 1)


def fresh(like):
    """A new file that holds an array like the argument, preallocated, for the row that creates one."""
    path = f"{C}.new-{os.getpid()}"
    out = np.lib.format.open_memmap(path, "w+", like.dtype, like.shape)
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, os.path.getsize(path))
    os.unlink(path)  # the pages live as long as the mapping
    return out


class Library:
    """The rows that all libraries share: a method of this name, with the type after the dot as its argument."""

    def version(self):
        raise NotImplementedError

    def row(self, name):
        work, _, argument = name.partition(".")
        method = getattr(self, "row_" + work, None)
        return method(argument) if method else None


class NumPy(Library):
    def version(self):
        return f"NumPy {np.__version__}"

    def reduction(name):
        def row(self, t):
            a = operands(t)[0]
            return lambda: getattr(np, name)(a)

        return row

    row_sum, row_min, row_max, row_mean, row_var = map(reduction, ("sum", "min", "max", "mean", "var"))

    def row_norm(self, t):
        a = operands(t)[0]
        return lambda: np.linalg.norm(a)

    def row_sumaxis(self, axes):
        a = operands(matrix=True)[0]
        axis = {"0": 0, "1": 1, "both": (0, 1)}[axes]
        return lambda: a.sum(axis=axis)

    def row_add(self, t):
        a, b, c = operands(t)
        return None if t == "bf16" else lambda: np.add(a, b, out=c)

    def row_update(self, t):
        a, b, c = operands(t)

        def work():
            np.add(c, a * b, out=c)
            return c

        return work

    def elementwise(f):
        def row(self, _):
            a, b, c = operands()
            return lambda: f(a, b, c)

        return row

    def expression(text):
        code = compile(text, "row", "eval")

        def row(self, t):
            a, b, c = operands(t)

            def work():
                c[:] = eval(code, {"a": a, "b": b})
                return c

            return work

        return row

    row_ops2, row_ops3, row_ops6, row_ops10 = map(expression, (OPS2, OPS3, OPS6, OPS10))

    def row_sumprod(self, t):
        a, b, _ = operands(t)
        return lambda: (a * b).sum()

    def row_meansquare(self, t):
        a, b, _ = operands(t)
        return lambda: ((a - b) ** 2).mean()

    row_hyp = elementwise(lambda a, b, c: np.sqrt(a * a + b * b, out=c))
    row_poly = elementwise(lambda a, b, c: np.add(2 * a * a + 3 * a * b - b, np.float32(1.5), out=c))
    row_exp = elementwise(lambda a, b, c: np.exp(a, out=c))
    row_log = elementwise(lambda a, b, c: np.log(a, out=c))
    row_tanh = elementwise(lambda a, b, c: np.tanh(a, out=c))
    row_sigmoid = elementwise(lambda a, b, c: np.divide(1, 1 + np.exp(-a), out=c))
    row_sumstep = elementwise(lambda a, b, c: a[::4].sum())

    def row_where(self, _):
        a, b, c = operands()

        def work():
            c[:] = np.where(a > b, a, b)
            return c

        return work

    def row_transpose(self, _):
        a, b, c = operands(matrix=True)

        def work():
            c[:] = a.T
            return c

        return work

    def row_addtransposed(self, _):
        a, b, c = operands(matrix=True)
        return lambda: np.add(a, b.T, out=c)

    def row_matmul(self, t):
        a, b, _ = operands(t)
        x, y = square(a), square(b)
        return lambda: x @ y

    def row_matmullarge(self, _):
        a, b, c = large()
        return lambda: np.matmul(a, b, out=c)

    def row_matmulturned(self, t):
        a, b, _ = operands(t)
        x, y = square(a).T, square(b)
        return lambda: x @ y

    def row_matmulstep(self, t):
        a, b, _ = operands(t)
        x, y = a[: 2 * SQUARE * SQUARE].reshape(SQUARE, 2 * SQUARE)[:, ::2], square(b)
        return lambda: x @ y

    def row_median(self, t):
        a = operands(t)[0]
        return lambda: np.median(a)

    def row_quantiles(self, _):
        a = operands()[0]
        return lambda: np.quantile(a, np.array([0.01, 0.25, 0.5, 0.75, 0.99], np.float32))

    def row_topk(self, _):
        a = operands()[0]
        return lambda: np.sort(np.partition(a, a.size - 100)[-100:])[::-1]

    def row_sortrows(self, _):
        a, _, c = operands(matrix=True)

        def work():
            c[:] = a
            c.sort(axis=1)
            return c

        return work

    def row_sort(self, _):
        a, _, c = operands()

        def work():
            c[:] = a
            c.sort()
            return c

        return work

    def row_knn(self, _):
        q, x = vectors(100000)
        return lambda: nearest(q, x, 10)[1]

    def row_knn1m(self, _):
        q, x = vectors(1000000)

        def work():
            parts = [nearest(q, x[at : at + 100000], 10) for at in range(0, len(x), 100000)]
            d = np.concatenate([part[0] for part in parts], axis=1)
            found = np.concatenate([part[1] + at * 100000 for at, part in enumerate(parts)], axis=1)
            return np.take_along_axis(found, np.argsort(d, axis=1, kind="stable")[:, :10], 1)

        return work

    def row_broadcast(self, _):
        a, b, c = operands(matrix=True)
        row, column = b[0].copy(), b[:, :1].copy()

        def work():
            np.add(a, row, out=c)
            return np.add(c, column, out=c)

        return work

    def row_new(self, _):
        a, b, _ = operands()

        def work():
            c = fresh(a)
            return np.add(a, b, out=c)

        return work

    def row_newsync(self, _):
        a, b, _ = operands()

        def work():
            c = fresh(a)
            np.add(a, b, out=c)
            c.flush()
            return c

        return work

    def row_cold(self, _):
        x = mapped(X, "r")
        return lambda: np.sum(x)

    def row_small(self, _):
        a, b = LITTLE
        return lambda: np.sqrt(a * a + b * b)

    def row_again(self, _):
        a, b, c = few()
        return lambda: np.sqrt(a * a + b * b, out=c)


class NumExpr(Library):
    def __init__(self):
        import numexpr

        self.ne = numexpr
        numexpr.set_num_threads(THREADS)

    def version(self):
        return f"numexpr {self.ne.__version__}"

    def evaluate(self, text, names, out=None):
        return self.ne.evaluate(text, local_dict=names, global_dict={}, out=out)

    def scalar(self, t, f):
        a = operands(t)[0]
        return lambda: f(lambda text, **more: float(self.evaluate(text, {"a": a, **more})), a.size)

    def row_sum(self, t):
        return self.scalar(t, lambda e, n: e("sum(a)"))

    def row_min(self, t):
        return self.scalar(t, lambda e, n: e("min(a)"))

    def row_max(self, t):
        return self.scalar(t, lambda e, n: e("max(a)"))

    def row_mean(self, t):
        return self.scalar(t, lambda e, n: e("sum(a)") / n)

    def row_var(self, t):
        return self.scalar(t, lambda e, n: e("sum((a - m)**2)", m=np.float32(e("sum(a)") / n)) / n)

    def row_norm(self, t):
        return self.scalar(t, lambda e, n: e("sum(a*a)") ** 0.5)

    def row_sumaxis(self, axes):
        a = operands(matrix=True)[0]
        text = "sum(a)" if axes == "both" else f"sum(a, axis={axes})"
        return lambda: self.evaluate(text, {"a": a})

    def into(text, types=("f32", "f64", "i32", "")):
        def row(self, t):
            if t not in types:
                return None
            a, b, c = operands(t or "f32")
            return lambda: self.evaluate(text, {"a": a, "b": b, "c": c}, c)

        return row

    row_add, row_update = into("a + b"), into("c + a*b")
    row_ops2, row_ops3, row_ops6, row_ops10 = map(into, (OPS2, OPS3, OPS6, OPS10))

    def row_sumprod(self, t):
        a, b, _ = operands(t)
        return lambda: self.evaluate("sum(a*b)", {"a": a, "b": b})

    def row_meansquare(self, t):
        a, b, _ = operands(t)
        return lambda: self.evaluate("sum((a - b)**2)", {"a": a, "b": b}) / a.size

    row_hyp, row_poly, row_where = into(HYP), into(POLY), into("where(a > b, a, b)")
    row_exp, row_log, row_tanh, row_sigmoid = into("exp(a)"), into("log(a)"), into("tanh(a)"), into(SIGMOID)

    def row_addtransposed(self, _):
        a, b, c = operands(matrix=True)
        return lambda: self.evaluate("a + b", {"a": a, "b": b.T}, c)

    def row_transpose(self, _):
        a, _, c = operands(matrix=True)
        return lambda: self.evaluate("a", {"a": a.T}, c)

    def row_broadcast(self, _):
        a, b, c = operands(matrix=True)
        names = {"a": a, "row": b[0].copy(), "column": b[:, :1].copy()}
        return lambda: self.evaluate("a + row + column", names, c)

    def row_sumstep(self, _):
        a = operands()[0][::4]
        return lambda: self.evaluate("sum(a)", {"a": a})

    def row_new(self, _):
        a, b, _ = operands()
        return lambda: self.evaluate("a + b", {"a": a, "b": b}, fresh(a))

    def row_newsync(self, _):
        a, b, _ = operands()

        def work():
            c = fresh(a)
            self.evaluate("a + b", {"a": a, "b": b}, c)
            c.flush()
            return c

        return work

    def row_cold(self, _):
        x = mapped(X, "r")
        return lambda: self.evaluate("sum(x)", {"x": x})

    def row_small(self, _):
        a, b = LITTLE
        return lambda: self.evaluate(HYP, {"a": a, "b": b})

    def row_again(self, _):
        a, b, c = few()
        return lambda: self.evaluate(HYP, {"a": a, "b": b}, out=c)


class Blosc2(NumExpr):
    """python-blosc2's engine of lazy expressions over uncompressed arrays."""

    def __init__(self):
        import blosc2

        self.blosc2 = blosc2
        blosc2.set_nthreads(THREADS)

    def version(self):
        return f"python-blosc2 {self.blosc2.__version__}"

    def evaluate(self, text, names, out=None):
        names = {key: value for key, value in names.items() if key in text}
        return self.blosc2.evaluate(text, local_dict=names, out=out)

    def row_mean(self, t):
        return self.scalar(t, lambda e, n: e("mean(a)"))

    def row_var(self, t):
        return self.scalar(t, lambda e, n: e("var(a)"))

    def row_where(self, _):
        a, b, c = operands()
        names = {"a": a, "b": b}

        def work():
            c[:] = self.blosc2.where(self.blosc2.lazyexpr("a > b", names), a, b)[:]
            return c

        return work

    row_transpose = row_addtransposed = None


class Torch(Library):
    def __init__(self):
        import warnings

        import torch

        warnings.simplefilter("ignore")  # of arrays that cannot be written
        self.torch = torch
        torch.set_num_threads(THREADS)

    def version(self):
        return f"PyTorch {self.torch.__version__}"

    def tensors(self, t="f32", matrix=False):
        found = [self.torch.from_numpy(a) for a in operands(t, matrix)]
        return [a.view(self.torch.bfloat16) for a in found] if t == "bf16" else found

    def reduction(f):
        def row(self, t):
            a = self.tensors(t)[0]
            return lambda: f(self.torch, a)

        return row

    row_sum, row_min, row_max = reduction(lambda t, a: t.sum(a)), reduction(lambda t, a: t.min(a)), reduction(lambda t, a: t.max(a))
    row_mean, row_var = reduction(lambda t, a: t.mean(a)), reduction(lambda t, a: t.var(a, correction=0))
    row_norm = reduction(lambda t, a: t.linalg.vector_norm(a))

    def row_matmul(self, t):
        a, b = (self.torch.from_numpy(square(x)) for x in operands(t)[:2])
        return lambda: a @ b

    def row_matmullarge(self, _):
        a, b, c = map(self.torch.from_numpy, large())
        return lambda: self.torch.matmul(a, b, out=c)

    def row_matmulturned(self, t):
        a, b = (self.torch.from_numpy(square(x)) for x in operands(t)[:2])
        return lambda: a.T @ b

    def row_matmulstep(self, t):
        a, b = operands(t)[:2]
        x, y = self.torch.from_numpy(a[: 2 * SQUARE * SQUARE].reshape(SQUARE, 2 * SQUARE))[:, ::2], self.torch.from_numpy(square(b))
        return lambda: x @ y

    def row_sumaxis(self, axes):
        a = self.tensors(matrix=True)[0]
        axis = {"0": 0, "1": 1, "both": (0, 1)}[axes]
        return lambda: a.sum(dim=axis)

    def row_add(self, t):
        a, b, c = self.tensors(t)
        return lambda: self.torch.add(a, b, out=c)

    def row_update(self, t):
        a, b, c = self.tensors(t)
        return lambda: c.addcmul_(a, b)

    def elementwise(f, matrix=False):
        def row(self, _):
            a, b, c = self.tensors(matrix=matrix)
            return lambda: f(self.torch, a, b, c)

        return row

    def expression(text):
        code = compile(text, "row", "eval")

        def row(self, t):
            a, b, c = self.tensors(t)
            return lambda: c.copy_(eval(code, {"a": a, "b": b}))

        return row

    row_ops2, row_ops3, row_ops6, row_ops10 = map(expression, (OPS2, OPS3, OPS6, OPS10))

    def row_sumprod(self, t):
        a, b, _ = self.tensors(t)
        return lambda: (a * b).sum()

    def row_meansquare(self, t):
        a, b, _ = self.tensors(t)
        return lambda: ((a - b) ** 2).mean()

    row_hyp = elementwise(lambda t, a, b, c: t.sqrt(a * a + b * b, out=c))
    row_poly = elementwise(lambda t, a, b, c: t.add(2 * a * a + 3 * a * b - b, 1.5, out=c))
    row_where = elementwise(lambda t, a, b, c: t.where(a > b, a, b, out=c))
    row_exp = elementwise(lambda t, a, b, c: t.exp(a, out=c))
    row_log = elementwise(lambda t, a, b, c: t.log(a, out=c))
    row_tanh = elementwise(lambda t, a, b, c: t.tanh(a, out=c))
    row_sigmoid = elementwise(lambda t, a, b, c: t.sigmoid(a, out=c))
    row_sumstep = elementwise(lambda t, a, b, c: a[::4].sum())
    row_transpose = elementwise(lambda t, a, b, c: c.copy_(a.T), matrix=True)
    row_addtransposed = elementwise(lambda t, a, b, c: t.add(a, b.T, out=c), matrix=True)

    def row_broadcast(self, _):
        a, b, c = self.tensors(matrix=True)
        row, column = b[0].clone(), b[:, :1].clone()
        return lambda: self.torch.add(self.torch.add(a, row, out=c), column, out=c)

    def create(self, sync):
        a, b, _ = self.tensors()

        def work():
            c = fresh(a.numpy())
            self.torch.add(a, b, out=self.torch.from_numpy(np.asarray(c)))
            if sync:
                c.flush()
            return c

        return work

    def row_new(self, _):
        return self.create(False)

    def row_newsync(self, _):
        return self.create(True)

    def row_cold(self, _):
        x = self.torch.from_numpy(mapped(X, "r"))
        return lambda: x.sum()

    def row_small(self, _):
        a, b = map(self.torch.from_numpy, LITTLE)
        return lambda: self.torch.sqrt(a * a + b * b)

    def row_again(self, _):
        a, b, c = map(self.torch.from_numpy, few())
        return lambda: self.torch.sqrt(a * a + b * b, out=c)


class Faiss(Library):
    def __init__(self):
        import faiss

        self.faiss = faiss
        faiss.omp_set_num_threads(THREADS)

    def version(self):
        return f"Faiss {self.faiss.__version__}"

    def row_knn(self, _, count=100000):
        q, x = vectors(count)
        return lambda: self.faiss.knn(q, x, 10)[1]

    def row_knn1m(self, _):
        return self.row_knn(_, 1000000)


def check(result):
    """The number, or the mean of elements spread over the array."""
    if hasattr(result, "ravel") and hasattr(result, "dtype"):
        if "bfloat16" in str(result.dtype):
            result = result.float()
        flat = np.asarray(result)
        if flat.ndim:
            flat = flat.reshape(-1)
            return float(flat[::4097].astype(np.float64).mean())
        return float(flat)
    return float(result)


RUNS = {"small": 1000, "again": 10_000}  # of one work, whose time is that of one run


def timed(work, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        result = work()
    return (time.perf_counter() - start) / repeat, result


def answer(library, name):
    work = library.row(name)
    if work is None:
        return "none"
    seconds, result = timed(work, RUNS.get(name, 1))
    return f"ok {seconds:.9f} {check(result):.9g}"


def main():
    library = {"numpy": NumPy, "numexpr": NumExpr, "blosc2": Blosc2, "torch": Torch, "faiss": Faiss}[LIBRARY]()
    print("ready", library.version(), flush=True)
    for line in sys.stdin:
        try:
            print(answer(library, line.strip()), flush=True)
        except Exception as error:
            print("error", type(error).__name__, str(error).replace("\n", " ")[:200], flush=True)


main()
