"""Random expressions of operations that are rounded correctly, so that every bit is specified."""

import random
import re

from . import pools
from .case import LARGE, SHAPES, Input

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
FAMILIES = {
    # types of the operands, binary operators, functions of one and of two operands, pools
    "bool": (["bool"], ["&", "|", "^", "+", "*", "==", "!=", "<", "-"], ["~{}", "logical_not({})"],
             ["logical_and", "logical_or", "logical_xor", "maximum", "minimum"], ["any"]),
    "ints": (pools.INTS + pools.UINTS, ["+", "-", "*", "//", "%", "&", "|", "^", "+", "-", "*", "/"],
             ["-{}", "~{}", "abs({})", "sign({})", "square({})", "round({})"], ["minimum", "maximum"], ["any", "small", "any"]),
    "floats": (pools.FLOATS, ["+", "-", "*", "/", "//", "%", "+", "-", "*"],
               ["-{}", "abs({})", "sqrt(abs({}))", "floor({})", "ceil({})", "rint({})", "trunc({})", "square({})", "reciprocal({})", "+{}"],
               ["fmod"], ["any", "small", "wide"]),
    "zeros": (pools.FLOATS, ["+", "-", "*"], ["-{}", "abs({})", "floor({})", "sign({})", "relu({})"],
              ["minimum", "maximum", "fmin", "fmax"], ["any", "small", "wide"]),
    "mixed": (["bool"] + pools.INTS + pools.UINTS + pools.FLOATS, ["+", "-", "*", "+", "*", "/"],
              ["-{}", "abs({})", "square({})"], ["maximum"], ["small", "any"]),
    "small": (pools.SMALL, ["+", "-", "*", "/"], ["-{}", "abs({})", "sqrt(abs({}))"], ["minimum", "maximum"], ["any", "small", "wide"]),
    "complex": (pools.COMPLEX, ["+", "-", "*"], ["-{}", "conj({})", "real({})", "imag({})", "square({})"], [], ["small"]),
    "complex and real": (pools.COMPLEX + ["float32", "int32", "float16"], ["+", "-", "*"], ["-{}", "conj({})"], [], ["small"]),
}
SIGNS_OF_ZEROS = {"zeros", "mixed", "small"}


class Generator:
    def __init__(self, rng, family):
        self.rng, self.inputs, self.family = rng, [], family
        self.types, self.operators, self.unary, self.binary, self.pools = FAMILIES[family]
        self.shape = rng.choice(SHAPES if rng.random() < 0.97 else LARGE)
        self.type = rng.choice(self.types)  # most operands share one
        if family == "small":
            self.types = [self.type]

    def leaf(self):
        if self.rng.random() < 0.2 and self.inputs and self.family != "small":
            return self.number()
        return self.operand()

    def operand(self):
        rng = self.rng
        if self.inputs and (rng.random() < 0.3 or len(self.inputs) == 4):
            return rng.choice(self.inputs).name
        name = "abcd"[len(self.inputs)]
        dtype = self.type if rng.random() < 0.6 else rng.choice(self.types)
        self.inputs.append(Input(rng, name, dtype, rng.choice(self.pools), self.part_of_shape()))
        return name

    def number(self):
        if self.family == "bool":
            return self.rng.choice(["True", "False"])
        if self.family in ("ints",):
            return self.rng.choice(["1", "2", "3", "7", "100", "True"])
        return self.rng.choice(["1", "2", "3", "0.5", "1.5", "2.0", "0.25", "4"])

    def part_of_shape(self):
        """A shape that broadcasts to the shape of the case. The first operand has all of it."""
        shape = list(self.shape)
        if self.inputs:
            shape = shape[self.rng.choice([0, 0, 0, self.rng.randint(0, len(shape))]):]
            shape = [1 if self.rng.random() < 0.15 else n for n in shape]
        return shape

    def tree(self, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf()
        kind = rng.random()
        if kind < 0.1:
            return self.operand()
        if kind < 0.25:
            return rng.choice(self.unary).format(f"({self.operand_tree(depth - 1)})")
        if kind < 0.33 and self.binary:
            return f"{rng.choice(self.binary)}({self.tree(depth - 1)}, {self.tree(depth - 1)})"
        if kind < 0.4:
            return f"where({self.condition(depth - 1)}, {self.tree(depth - 1)}, {self.tree(depth - 1)})"
        operator = rng.choice(self.operators)
        left, right = self.tree(depth - 1), self.tree(depth - 1)
        if operator in COMPARISONS:
            return f"(({left}) {operator} ({right}))"  # several in a row mean something else in Python
        text = f"{left} {operator} {right}"
        return f"({text})" if rng.random() < 0.6 else text

    def operand_tree(self, depth):
        """A tree with an operand in it: functions make typed arrays of Python's numbers."""
        text = self.tree(depth)
        return text if re.search(r"\b[abcd]\b", text) else self.operand()

    def condition(self, depth):
        if self.family.startswith("complex"):
            return f"({self.tree(depth)}) {self.rng.choice(['==', '!='])} ({self.tree(depth)})"
        return f"({self.tree(depth)}) {self.rng.choice(COMPARISONS)} ({self.tree(depth)})"


def write(writer):
    counts = {"bool": 120, "ints": 520, "floats": 520, "zeros": 200, "mixed": 250, "small": 160, "complex": 120, "complex and real": 80}
    for family, count in counts.items():
        rng = random.Random(family)
        wanted = writer.cases + count
        while writer.cases < wanted:
            g = Generator(rng, family)
            depth = rng.choice([1, 1, 2, 2, 3, 4])
            text = g.condition(depth - 1) if rng.random() < 0.15 else g.tree(depth)
            if g.inputs:
                writer.numpy("0" if family in SIGNS_OF_ZEROS else "=", text, g.inputs, errors=rng.random() < 0.2)
    write_shifts(writer)


def write_shifts(writer):
    rng = random.Random("shifts")
    for name in pools.INTS + pools.UINTS:
        shape = rng.choice([(5,), (3, 4), (13,)])
        for text, pool in (("a << b", "count"), ("a >> b", "count"), ("a ** b", "count"), ("a << 3", "count"), ("a >> 40", "count"),
                           ("a ** 3", "count"), ("a << b", "positive"), ("-a >> b", "positive"), ("a & ~b | 1", "any"), ("a ** 2", "any")):
            a, b = Input(rng, "a", name, "any", shape), Input(rng, "b", name, pool, shape)
            writer.numpy("=", text, [a, b] if "b" in text else [a])
