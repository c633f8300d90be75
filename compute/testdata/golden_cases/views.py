"""Slices and methods in expressions, of tensors and of what is computed."""

import random

from . import pools
from .case import Input, evaluate

INDEXES = ["[0]", "[-1]", "[1:]", "[:-1]", "[::2]", "[::-1]", "[..., 0]", "[..., ::-1]", "[newaxis]", "[:, newaxis]", "[..., newaxis]", "[1:, 1:]",
           "[:, ::2]", "[::-1, ::-1]", "[0, :]", "[:, 1]", "[2:1]", "[5]", "[:, -2:]", "[::3, ..., ::2]"]
METHODS = [".T", ".reshape(-1)", ".ravel()", ".transpose()", ".squeeze()", ".swapaxes(0, -1)", ".reshape(2, -1)", ".flatten()"]
CASTS = [".astype(float32)", ".astype(float64)", ".astype(int16)", ".astype(int64)", ".astype(bool)", ".astype(complex64)", ".astype(uint8)"]
WHOLE = ["a", "(a + b)", "(a*b - a)", "(a > b)", "(-a)", "(a + 1)", "where(a < b, a, b)"]
FANCY = ["a[[0, 2, 0]]", "(a*2)[[1, 0]]", "a[a > 0]", "sum(a[a > 0])", "a[[True, False, True]]", "a[[0, 1], [1, 0]]"]


def chain(rng, count):
    return "".join(rng.choice(INDEXES + METHODS + INDEXES) if rng.random() < 0.85 else rng.choice(CASTS) for _ in range(count))


def operands(rng):
    name = rng.choice(["int32", "float32", "uint8", "float64", "int64", "float16"])
    shape = rng.choice([(7,), (3, 4), (2, 3, 4), (4, 3), (1, 5), (3, 1), (3, 3)])
    return [Input(rng, "a", name, "small", shape), Input(rng, "b", name, "small", rng.choice([shape, shape[-1:]]))]


def has_axes(text, inputs):
    """NumPy reduces a scalar over axis 0 also, which it has not."""
    try:
        return evaluate(text, {i.name: i.view() for i in inputs}).ndim > 0
    except (IndexError, ValueError):
        return True


def write(writer):
    rng = random.Random("views")
    wanted = writer.cases + 420
    while writer.cases < wanted:
        inputs = operands(rng)
        text = f"{rng.choice(WHOLE)}{chain(rng, rng.choice([1, 1, 2, 3]))}"
        if rng.random() < 0.3 and has_axes(text, inputs):
            text = rng.choice(["{} + 1", "sum({})", "sum({}, axis=0)", "{0}*{0}", "max({})", "abs({})"]).format(text)
        if "sum" in text and inputs[0].dtype.startswith("float"):
            continue
        writer.numpy("0" if "max" in text else "=", text, inputs, errors=rng.random() < 0.15)
    for text in FANCY:
        for _ in range(4):
            a = Input(rng, "a", rng.choice(["int32", "float64", "int8"]), "small", (3,) if "True" in text else rng.choice([(3,), (3, 4), (5, 2)]))
            if not ("sum" in text and a.dtype.startswith("float")):
                writer.numpy("=", text, [a])
    for text in ("sum(a[::2], axis=0)[::-1]", "cumsum(a, axis=0)[::2].T", "(a - min(a))/(max(a) - min(a))", "a - sum(a, axis=0)", "a*(a > sum(a, axis=-1, keepdims=True))",
                 "sum((a + 1)[1:] * a[:-1])", "max(a, axis=0) + min(a, axis=0)[::-1]", "a.T.astype(float64)[::-1]/2", "sum(sum(a, axis=0))", "count_nonzero(a > 2) + sum(a)"):
        for name in ("int32", "int8", "uint16"):
            for shape in ((7,), (3, 4), (4, 4), (2, 3, 4)):
                writer.numpy("=", text, [Input(rng, "a", name, "small", shape)], errors=False)
