"""Types of results: pairs of types, and types with Python's scalars, errors among them."""

import random

from . import pools
from .case import Input, evaluate

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "==", "<", ">=", "&", "|", "<<"]
SCALARS = ["True", "0", "3", "-1", "127", "128", "255", "300", "-129", "70000", "2**31", "2**40", "2**63", "2**64", "-2**63", "2**70",
           "0.5", "1.0", "1e10", "1e300", "inf", "nan", "2j"]
PLAIN = ["bool"] + pools.INTS + pools.UINTS + pools.FLOATS


def write(writer):
    write_pairs(writer)
    write_scalars(writer)


def write_pairs(writer):
    for first in pools.ALL:
        for second in pools.ALL:
            rng = random.Random(f"{first} {second}")
            small = {first, second} & set(pools.SMALL)
            operators = ["+", "*", "<", "=="] if small or {first, second} & set(pools.COMPLEX) else OPERATORS[:6] + OPERATORS[7:]
            for operator in rng.sample(operators, 3):
                shape = rng.choice([(5,), (3, 4), (), (2, 3)])
                inputs = [Input(rng, "a", first, "small", shape), Input(rng, "b", second, "positive" if second != "bool" else "any", shape)]
                writer.numpy("=", f"a {operator} b", inputs)


def write_scalars(writer):
    for name in PLAIN:
        for scalar in SCALARS:
            rng = random.Random(f"{name} {scalar}")
            for operator in rng.sample(OPERATORS, 4):
                if operator == "**" and (name in pools.FLOATS or "." in scalar or "e" in scalar or scalar in ("inf", "nan", "2j")):
                    continue  # not rounded correctly by NumPy
                if scalar == "2j" and operator not in ("+", "*", "-", "=="):
                    continue
                a = Input(rng, "a", name, "small", rng.choice([(5,), (), (3, 4)]))
                text = f"({scalar}) {operator} a" if rng.random() < 0.3 and operator not in ("**", "<<") else f"a {operator} ({scalar})"
                # NumPy compares any number with elements, but for bools.
                writer.numpy("=", text, [a], errors=operator not in ("==", "<", ">="))
    for name in pools.SMALL + pools.COMPLEX:
        for scalar in ("True", "3", "-1", "0.5", "2.0"):
            rng = random.Random(f"{name} {scalar}")
            for operator in ("+", "-", "*", "=="):
                a = Input(rng, "a", name, "small", (5,))
                # A number takes the type of what it meets; ml_dtypes, whose types came before that rule, widens.
                number = pools.cast([float(eval(scalar))], name)
                result = evaluate(f"a {operator} number", {"a": a.view(), "number": number})
                writer.result("=", f"a {operator} {scalar}", [a], result)
