"""Programs: several statements, savers, destinations that are operands; and texts that are wrong."""

import random

from . import pools
from .case import Input

UPDATES = ["c += a", "c -= a*2", "c *= a", "c max= a", "c min= a", "c += c", "c += c[::-1]", "c *= c + 1", "c[::2] += a[::2]", "c[1:] -= a[1:]",
           "c[1:] += c[:-1]", "c[::-1] += a", "c += 1", "c *= 2", "c[...] = a", "c[...] = a + c", "c[1:] = c[:-1]", "c[:-1] = c[1:] + 1", "c[::-1] = c",
           "c[0] = 7", "c[...] = 3", "c += sum(c, axis=0)", "c -= min(c)", "c += a; c *= 2", "c += a; c[::2] -= c[1::2][:1]", "c max= c[::-1]"]
SQUARE = ["c[...] = c.T", "c += c.T", "c[...] = c.T - c", "c[1:, 1:] += c[:-1, :-1]", "c[...] = c[::-1, ::-1]", "c[0] += c[:, 0]", "c += c[0]", "c -= c[:, :1]"]
FLOATS = ["c /= 2", "c /= a + 20", "c += 0.5", "c[...] = c*c + a*a"]
SEVERAL = ["d = a + c; d*2", "d = a*a; t = d + c; t - d", "d = a > c; where(d, a, c)", "d = a; d = d + 1; d", "d = a + c; t = sum(d, axis=0); d - t",
           "d = a + c; d[::2] ", "d = 2*a ;d + c", "x1 = a; y_2 = x1 - c; abs(y_2)"]
WRONG = ["a +", "(a", "a)", "a b", "+", "", "a + nothing", "sum(a, axis=9)", "sum(a, axes=0)", "sin(a, a, a)", "unknown(a)", "a[", "a[0", "a[9999]", "a ** ",
         "a.nothing()", "where(a)", "a + b", "sum(a, axis=(0, 0))", "a @ a", "1 +* 2", "a = ", "= a", "5 = a", "c += nothing", "sum()", "min(b[:0])", "argmax(b[:0])", "a == ", "'a'", "a[0.5]",
         "a[::0]", "linspace(0, 1, -1)", "a.reshape(5)", "a.astype(float33)", "a ^ 1.5", "~1.5", "a << 0.5", "bincount(a)", "a and a", "lambda: a", "a if a else a", "0x", "1__0", "a..T", "$a", "a\\b"]


def write(writer):
    rng = random.Random("programs")
    for texts, types, shapes in ((UPDATES, pools.INTS + pools.UINTS + pools.FLOATS, [(6,), (4, 4), (2, 3, 2), (8, 3), (1,), (1500,)]),
                                 (SQUARE, ["int32", "float32", "int8", "float64", "uint16"], [(3, 3), (4, 4), (33, 33)]),
                                 (FLOATS, pools.FLOATS, [(6,), (3, 4), (1500,)])):
        for text in texts:
            for name in rng.sample(types, min(len(types), 5)):
                shape = rng.choice(shapes)
                if name == "float16" and "sum" in text:
                    continue
                inputs = [Input(rng, "c", name, "small", shape, writable=True), Input(rng, "a", name, "small", shape)]
                writer.numpy("0" if "max" in text or "min" in text else "=", text, inputs, errors=False)
    for text in SEVERAL:
        for name in rng.sample(pools.INTS + ["float32", "float64", "uint8"], 4):
            shape = rng.choice([(6,), (3, 4), (2, 3, 2)])
            writer.numpy("=", text, [Input(rng, "c", name, "small", shape), Input(rng, "a", name, "small", shape)], errors=False)
    for text in WRONG:
        writer.error(text, [Input(rng, "a", "float32", "small", (3, 4)), Input(rng, "b", "float32", "small", (5,)), Input(rng, "c", "int8", "small", (3, 4))])
