"""Functions of one and two operands over every type, with results in more digits where NumPy's are not the nearest."""

import random

import numpy as np

from . import pools
from .case import NAMESPACE, Input
from .special import LONG

# Functions whose results NumPy rounds correctly, with the types that they mean something on.
REALS = pools.INTS + pools.UINTS + pools.FLOATS + pools.SMALL
EXACT = {
    "abs": ["bool"] + REALS, "square": ["bool"] + REALS + pools.COMPLEX, "reciprocal": pools.FLOATS, "floor": ["bool"] + REALS, "ceil": REALS,
    "rint": REALS, "trunc": REALS, "round": pools.INTS + pools.UINTS + pools.FLOATS, "sqrt": ["bool"] + REALS,
    "isnan": ["bool"] + REALS + pools.COMPLEX, "isinf": ["bool"] + REALS + pools.COMPLEX, "isfinite": ["bool"] + REALS + pools.COMPLEX,
    "signbit": REALS, "fabs": pools.FLOATS + ["int8", "uint16"], "negative": REALS, "positive": REALS, "invert": pools.INTS + pools.UINTS + ["bool"], "logical_not": pools.ALL, "conj": pools.COMPLEX + ["float32", "int8"], "real": pools.COMPLEX, "imag": pools.COMPLEX,
}
ZEROS = {"sign": REALS, "relu": pools.FLOATS}
BINARY_ZEROS = {"minimum": REALS, "maximum": REALS, "fmin": pools.FLOATS, "fmax": pools.FLOATS}
BINARY_EXACT = {"copysign": pools.FLOATS, "nextafter": ["float32", "float64"], "add": REALS, "subtract": REALS, "multiply": REALS, "divide": REALS,
                "less": REALS, "less_equal": REALS, "greater": REALS, "greater_equal": REALS, "equal": pools.ALL, "not_equal": pools.ALL,
                "bitwise_and": pools.INTS + pools.UINTS, "bitwise_or": pools.INTS + pools.UINTS, "bitwise_xor": pools.INTS + pools.UINTS, "fmod": pools.INTS + pools.UINTS + pools.FLOATS, "mod": pools.INTS + pools.UINTS + pools.FLOATS,
                "floor_divide": pools.INTS + pools.UINTS + pools.FLOATS, "logical_and": pools.ALL, "logical_xor": pools.ALL}

# Functions with a tolerance, and the pools that suit them.
TRANSCENDENTAL = {
    "exp": ["any", "wide", "small"], "exp2": ["any", "wide", "small"], "expm1": ["any", "wide", "unit"],
    "log": ["any", "positive", "wide"], "log2": ["any", "positive"], "log10": ["any", "positive"], "log1p": ["any", "positive", "unit"],
    "sin": ["any", "wide", "small"], "cos": ["any", "wide", "small"], "tan": ["any", "wide", "small"],
    "arcsin": ["any", "unit"], "arccos": ["any", "unit"], "arctan": ["any", "wide"], "sinh": ["any", "small"], "cosh": ["any", "small"],
    "tanh": ["any", "wide", "unit"], "arcsinh": ["any", "wide"], "arccosh": ["any", "positive"], "arctanh": ["any", "unit"],
    "asin": ["unit"], "acos": ["unit"], "atan": ["wide"], "asinh": ["small"], "acosh": ["positive"], "atanh": ["unit"],
    "cbrt": ["any", "wide"], "sigmoid": ["any", "wide", "small"], "erf": ["any", "wide", "unit"], "erfc": ["any", "wide", "small"],
    "gelu": ["any", "small", "unit"],
}
TWO = {"arctan2": ("any", "any"), "atan2": ("wide", "small"), "hypot": ("any", "any"), "logaddexp": ("small", "wide"), "power": ("positive", "small")}
PI = LONG("3.14159265358979323846264338327950288")
SHAPES = [(), (7,), (13,), (3, 4), (0,), (2, 3, 4), (5, 1)]


def tolerance(name):
    return "u2" if name == "float64" else "u1"


def result_type(name):
    """The type of exp and its like."""
    if name in pools.SMALL:
        return pools.dtype(name)
    return np.sqrt(np.ones(1, name)).dtype


def rounded(values, to):
    """Rounds long doubles once where it matters: by way of float64 for types with half its digits or fewer."""
    values = np.asarray(values, LONG)
    if to.name in pools.SMALL or to.itemsize == 2:
        return values.astype(np.float64).astype(np.float32).astype(to)
    return values.astype(to)


def write(writer):
    write_exact(writer)
    write_transcendental(writer)
    write_two(writer)
    write_complex(writer)
    write_complex_functions(writer)
    write_degrees(writer)
    write_choices(writer)


def write_exact(writer):
    for sign, table in (("=", EXACT), ("0", ZEROS)):
        for function, types in table.items():
            for name in types:
                rng = random.Random(f"{function} {name}")
                for pool in ("any", "small"):
                    writer.numpy(sign, f"{function}(a)", [Input(rng, "a", name, pool, rng.choice(SHAPES))])
    for sign, table in (("=", BINARY_EXACT), ("0", BINARY_ZEROS)):
        for function, types in table.items():
            for name in types:
                rng = random.Random(f"{function} {name}")
                shape = rng.choice(SHAPES)
                operands = [Input(rng, "a", name, "any", shape), Input(rng, "b", name, rng.choice(["any", "small"]), shape)]
                writer.numpy(sign, f"{function}(a, b)", operands, errors=False)


def write_transcendental(writer):
    for function, wanted in TRANSCENDENTAL.items():
        for name in pools.FLOATS + ["bfloat16", "int8", "uint16", "int32", "int64", "bool"]:
            for pool in wanted:
                pool = pool if (name, pool) in pools.POOLS else "small"
                rng = random.Random(f"{function} {name} {pool}")
                a = Input(rng, "a", name, pool, rng.choice(SHAPES[1:4]))
                add_function(writer, function, a, result_type(name))


def add_function(writer, function, a, to):
    """The operand is first converted to the type of the result, as NumPy does."""
    operand = a.view().astype(to)
    operand = operand.astype(np.float64) if to.name in pools.SMALL else operand
    with np.errstate(all="ignore"):
        exact = NAMESPACE[function](operand.astype(LONG))
    writer.result(tolerance(to.name), f"{function}(a)", [a], rounded(exact, to))


def write_two(writer):
    for function, (first, second) in TWO.items():
        for name in pools.FLOATS:
            rng = random.Random(f"{function} {name}")
            for shape in ((7,), (3, 4), (13,), ()):
                a, b = Input(rng, "a", name, first, shape), Input(rng, "b", name, second, shape)
                with np.errstate(all="ignore"):
                    exact = NAMESPACE[function](a.view().astype(LONG), b.view().astype(LONG))
                text = f"a ** b" if function == "power" and shape else f"{function}(a, b)"
                writer.result(tolerance(name), text, [a, b], rounded(exact, np.dtype(name)))
            for exponent in ("2", "0.5", "-1", "3", "0", "1.5", "-2"):
                if function == "power":
                    a = Input(rng, "a", name, rng.choice(["any", "wide", "positive"]), (9,))
                    with np.errstate(all="ignore"):
                        exact = a.view().astype(LONG) ** LONG(exponent)
                    writer.result(tolerance(name), f"a ** {exponent}", [a], rounded(exact, np.dtype(name)))


def write_complex(writer):
    for name in pools.COMPLEX:
        part = np.dtype("float32" if name == "complex64" else "float64")
        rng = random.Random(name)
        for function, compute in (("abs", lambda z: np.hypot(z.real, z.imag)), ("angle", lambda z: np.arctan2(z.imag, z.real))):
            for pool in ("small", "wide"):
                a = Input(rng, "a", name, pool, (11,))
                wide = a.view().astype(np.clongdouble)
                writer.result(tolerance(part.name), f"{function}(a)", [a], rounded(compute(wide), part))


def write_complex_functions(writer):
    """Functions of complex numbers, whose parts are compared: operands are such that no digits cancel."""
    for name in pools.COMPLEX:
        rng = random.Random(f"complex {name}")
        for function in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "log10", "reciprocal"):
            a = Input(rng, "a", name, "positive", (6,))
            with np.errstate(all="ignore"):
                exact = (1 / a.view().astype(np.clongdouble)) if function == "reciprocal" else NAMESPACE[function](a.view().astype(np.clongdouble))
            writer.result("u4" if name == "complex64" else "u8", f"{function}(a)", [a], exact.astype(name))
        a, b = Input(rng, "a", name, "positive", (9,)), Input(rng, "b", name, "positive", (9,))
        with np.errstate(all="ignore"):
            exact = a.view().astype(np.clongdouble) / b.view().astype(np.clongdouble)
        keep = np.abs(exact.imag) > 1e-3 * np.abs(exact.real)
        if keep.all():
            writer.result("u8", "a / b", [a, b], exact.astype(name))


def write_degrees(writer):
    for name in pools.FLOATS:
        rng = random.Random(f"degrees {name}")
        for function, factor in (("deg2rad", PI / 180), ("rad2deg", 180 / PI), ("degrees", 180 / PI), ("radians", PI / 180)):
            a = Input(rng, "a", name, "small", (9,))
            writer.result("u1", f"{function}(a)", [a], rounded(a.view().astype(LONG) * factor, np.dtype(name)))


def write_choices(writer):
    rng = random.Random("choices")
    for name in pools.ALL:
        for _ in range(3):
            shape = rng.choice([(7,), (3, 4), (2, 3, 4), ()])
            m = Input(rng, "m", "bool", "any", shape[rng.randint(0, len(shape)):])
            a, b = Input(rng, "a", name, "any", shape), Input(rng, "b", name, "small", shape)
            writer.numpy("=", "where(m, a, b)", [m, a, b])
            if name in REALS and name not in pools.SMALL:
                writer.numpy("0", rng.choice(["clip(a, -3, 5)", "clip(a, b, 7)", "clip(a, 1, None)", "clip(a, 2, 6)"]), [a, b], errors=False)
    for name in REALS + ["bool"]:
        other = rng.choice(REALS)
        m = Input(rng, "m", "bool", "any", (7,))
        operands = [m, Input(rng, "a", name, "small", (7,)), Input(rng, "b", other, "small", (7,))]
        writer.numpy("=", "where(m, a, b)", operands, errors=False)
