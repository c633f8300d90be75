"""Products of matrices: operators, functions, subscripts."""

import random

import numpy as np

from . import pools
from .case import Input, evaluate

# Shapes of a and b for matmul, some of which do not go together.
PAIRS = [((3, 4), (4, 5)), ((1, 1), (1, 1)), ((7, 13), (13, 6)), ((33, 40), (40, 37)), ((3, 0), (0, 4)), ((0, 3), (3, 4)), ((3, 4), (4, 0)),
         ((1, 50), (50, 6)), ((6, 50), (50, 1)), ((5,), (5,)), ((5,), (5, 3)), ((3, 5), (5,)), ((0,), (0,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
         ((2, 1, 3, 4), (5, 4, 2)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((2, 0, 3), (2, 3, 4)), ((0, 3, 4), (4, 2)),
         ((2, 3), (2, 3)), ((3, 4), (5,)), ((2, 3, 4), (3, 4, 5)), ((), (3,)), ((3, 3), ()), ((20, 7, 9), (9, 11)), ((3, 2, 2, 2), (3, 1, 2, 2))]
DOTS = [((3, 4), (4, 5)), ((5,), (5,)), ((), (3, 4)), ((), ()), ((3,), ()), ((2, 3, 4), (4,)), ((2, 3, 4), (5, 4, 6)), ((3, 4), (5, 4, 2)), ((4,), (2, 4, 3)),
        ((3, 4), (3, 4)), ((0,), (0,)), ((3, 0), (2, 0, 4))]
INNERS = [((3, 4), (5, 4)), ((5,), (5,)), ((), (3, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (5, 4)), ((2, 3), (3, 2)), ((2, 0), (3, 0))]
VECDOTS = [((3, 4), (3, 4)), ((4,), (3, 4)), ((2, 1, 5), (3, 5)), ((3, 4), (4, 3)), ((0, 3), (1, 3)), ((3, 0), (3, 0))]
TENSORDOTS = [((3, 4), (4, 5), "1"), ((2, 3, 4), (3, 4, 5), "2"), ((2, 3, 4), (4, 3, 2), "([1, 2], [1, 0])"), ((3, 4), (5, 6), "0"), ((2, 3, 4), (4, 5), "(2, 0)"),
              ((2, 3, 4, 5), (5, 3, 2, 6), "([0, -1, 1], [2, 0, 1])"), ((3, 4), (3, 4), "2"), ((3, 4), (3, 4), "([0, 1], [0, 1])"), ((3, 4), (4, 5), "2"),
              ((3, 4), (4, 5), "([0], [0])"), ((3, 4), (4, 5), "([1], [0, 1])"), ((2, 0), (0, 3), "1"), ((3, 4), (4, 5), "([1], [5])"), ((3,), (3,), "3")]
EINSUMS = [("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("ij,kj->ik", (3, 4), (5, 4)), ("ij,jk->ki", (3, 4), (4, 5)), ("i,i", (7,), (7,)),
           ("i,j->ij", (3,), (4,)), ("ij,ij->ij", (3, 4), (3, 4)), ("ij,ij->i", (3, 4), (3, 4)), ("ij,ij", (3, 4), (3, 4)), ("ij->ji", (3, 4)), ("ij", (3, 4)),
           ("ji", (3, 4)), ("ij->", (3, 4)), ("ij->i", (3, 4)), ("ij->j", (3, 4)), ("ii", (4, 4)), ("ii->i", (4, 4)), ("iij->j", (3, 3, 4)), ("iji->ij", (3, 4, 3)),
           ("iii->i", (3, 3, 3)), ("iijj->ij", (2, 2, 3, 3)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
           ("...ij,...jk", (2, 3, 4), (4, 5)), ("...i,...i->...", (2, 3, 4), (4,)), ("i...->...", (3, 4, 2)), ("...", (3, 4)), ("i...,i...", (3, 4), (3, 4)),
           ("...i->i...", (2, 3, 4)), ("ij,jk,kl->il", (3, 4), (4, 5), (5, 2)), ("ij,jk,kl", (3, 4), (4, 5), (5, 2)), ("i,ij,j", (3,), (3, 4), (4,)),
           ("ijk,jil->kl", (3, 4, 5), (4, 3, 6)), ("ijk,ilm,njm,nlk->", (2, 3, 4), (2, 5, 3), (2, 3, 3), (2, 5, 4)), ("ab,bc,cd,da->", (2, 3), (3, 4), (4, 2), (2, 2)),
           ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)), ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)), ("i,i,i->i", (4,), (4,), (4,)), ("i,i,i", (4,), (4,), (4,)),
           (",ij->ij", (), (3, 4)), (",", (), ()), ("->", ()), ("ij, jk -> ik", (3, 4), (4, 5)), ("Ab,bA->A", (3, 4), (4, 3)), ("ba,cb", (3, 4), (5, 3)),
           ("ij,jk->ik", (1, 4), (4, 1)), ("ij,j->i", (3, 0), (0,)), ("ij,jk->ik", (0, 3), (3, 4)), ("ijk,k->ij", (2, 3, 4), (4,)), ("ij,i->ij", (3, 4), (3,)),
           ("a,b,c->cab", (2,), (3,), (4,)), ("aij,ajk,akl->ail", (2, 3, 4), (2, 4, 5), (2, 5, 3)), ("ij,kl->", (3, 4), (2, 5)), ("ij,kl->jl", (3, 4), (2, 5)),
           # mistakes
           ("ij,jk->im", (3, 4), (4, 5)), ("ij,jk->ii", (3, 4), (4, 5)), ("ij,jk", (3, 4), (5, 6)), ("ijk", (3, 4)), ("i", (3, 4)), ("ij,jk", (3, 4)), ("i1", (3, 4)),
           ("i....", (3, 4)), ("ii", (3, 4)), ("...i...", (3, 4)), ("ij->ij->ij", (3, 4)), ("...->", (3, 4))]


def write(writer):
    for text, shapes, names in [("a @ b", PAIRS, pools.ALL), ("matmul(a, b)", PAIRS, ["int8", "float32", "complex64"]), ("dot(a, b)", DOTS, ["bool", "int16", "float16", "float32", "float64", "complex128", "uint64"]),
                                ("inner(a, b)", INNERS, ["bool", "int32", "float32", "complex64"]), ("outer(a, b)", DOTS, ["bool", "uint8", "float64"]),
                                ("vdot(a, b)", INNERS + [((3, 4), (4, 3))], ["int32", "float32", "complex128"]), ("vecdot(a, b)", VECDOTS, ["bool", "int8", "float32", "complex64"])]:
        for name in names:
            rng = random.Random(f"{text} {name}")
            for shape_a, shape_b in shapes:
                case(writer, text, name, operands(rng, name, (shape_a, shape_b)))
    mixed(writer)
    for shape_a, shape_b, axes in TENSORDOTS:
        for name in ("bool", "int32", "uint8", "float32", "complex128"):
            rng = random.Random(f"tensordot {axes} {name}")
            case(writer, f"tensordot(a, b, axes={axes})", name, operands(rng, name, (shape_a, shape_b)))
    for subscripts, *shapes in EINSUMS:
        for name in ("int64", "int8", "float32", "float64", "complex64", "bool"):
            rng = random.Random(f"einsum {subscripts} {name}")
            inputs = operands(rng, name, shapes)
            case(writer, f"einsum('{subscripts}', {', '.join(i.name for i in inputs)})", name, inputs)
    expressions(writer)
    traces(writer)


def traces(writer):
    for name in [n for n in pools.ALL if n not in pools.SMALL]:
        rng = random.Random(f"trace {name}")
        for shape, arguments in (((3, 3), ""), ((4, 7), ", 2"), ((4, 7), ", offset=-3"), ((3, 4), ", 9"), ((0, 3), ""), ((5, 2, 3), ""),
                                 ((5, 2, 3), ", 1, 0, 2"), ((2, 3, 4, 5), ", axis1=-1, axis2=1"), ((300, 200), ", -1, 1, 0")):
            writer.numpy("0", f"trace(a{arguments})", [Input(rng, "a", name, "small", shape)], errors=False)
    rng = random.Random("trace errors")
    a, m = Input(rng, "a", "float32", "small", (3,)), Input(rng, "a", "float32", "small", (3, 4))
    for text, x in (("trace(a)", a), ("trace(a, axis2=2)", m), ("trace(a, axis1=1)", m), ("trace(a, 0.5)", m)):
        writer.numpy("0", text, [x])


def operands(rng, name, shapes):
    return [Input(rng, letter, name, "small", shape) for letter, shape in zip("abcdefgh", shapes)]


def case(writer, text, name, inputs):
    """Small numbers have exact sums. What ml_dtypes has no products of is computed in float32, and rounded once."""
    if name not in pools.SMALL:
        writer.numpy("0", text, inputs)
        return
    try:
        exact = evaluate(text, {i.name: i.view().astype(np.float32) for i in inputs})
    except ValueError:
        writer.error(text, inputs)
        return
    writer.result("0", text, inputs, exact.astype(pools.dtype(name)))


def mixed(writer):
    """Operands of two types."""
    for one in pools.ALL:
        for other in pools.ALL:
            if one == other or one in pools.SMALL or other in pools.SMALL:
                continue
            rng = random.Random(f"{one} @ {other}")
            shapes = rng.choice([((3, 4), (4, 5)), ((2, 3, 4), (4,)), ((13, 20), (20, 17))])
            inputs = [Input(rng, "a", one, "small", shapes[0]), Input(rng, "b", other, "small", shapes[1])]
            writer.numpy("0", "a @ b", inputs)


def expressions(writer):
    """Products among other steps, of views and in place."""
    for text in ["(a + b) @ (a - b)", "a @ b @ a", "(a @ b).T @ a", "a.T @ b", "a @ b.T", "a[::-1] @ b[:, ::-1]", "a[::2].T @ b[::2]", "a @ b + a", "sum(a @ b, axis=0)", "(a @ b)[1:3, ::2]",
                 "a @ (b @ a).T", "2*a @ b", "-a @ b", "a @ a[0]", "a[0] @ b", "a[:, 0] @ b[0]", "where(a @ b > 0, a, b)", "a @ ones_like(b)", "(a @ b).reshape(-1)[3:9]", "c = a @ b; c @ c",
                 "c = a @ b; c += a; c", "a[...] = a @ b", "a += a @ a.T", "a[1:] = a[:-1] @ b", "a[...] = a.T @ a", "a[:, 0] = a @ b[0]", "a.mT @ a", "abs(a) @ abs(b)",
                 "a[newaxis] @ b", "a[newaxis, newaxis] @ b[newaxis]", "(a @ b)[[1, 0]]", "a @ arange(5)", "arange(5) @ a", "a @ 3"]:
        for name in ("int32", "float32", "float64", "complex64", "int8"):
            if name == "complex64" and "abs" in text:
                continue  # magnitudes have no exact sums
            rng = random.Random(f"{text} {name}")
            inputs = [Input(rng, "a", name, "small", (5, 5), writable=True), Input(rng, "b", name, "small", (5, 5))]
            writer.numpy("0", text, inputs, errors=False)
    writer.error("a @ 3", [Input(random.Random("a @ 3"), "a", "int32", "small", (5, 5))])
