"""Writes types_golden.txt: the element types that NumPy's functions and operators have for their results.

Each line is an expression of x (and y), a tab, and one letter for each type of x: NumPy's code of the result's type,
or - for an error. Where there is a y, its type is given before the expression.
"""
import warnings

import numpy as np

warnings.simplefilter("ignore")
CODES = "?bhiqBHIQefdFD"

UNARY = """-x +x ~x abs(x) fabs(x) sign(x) square(x) reciprocal(x) floor(x) ceil(x) trunc(x) rint(x) round(x) round(x,1)
round(x,-1) sqrt(x) cbrt(x) exp(x) exp2(x) expm1(x) log(x) log2(x) log10(x) log1p(x) sin(x) cos(x) tan(x) arcsin(x)
arccos(x) arctan(x) sinh(x) cosh(x) tanh(x) arcsinh(x) arccosh(x) arctanh(x) deg2rad(x) rad2deg(x) isnan(x) isinf(x)
isfinite(x) signbit(x) logical_not(x) real(x) imag(x) x.conj() angle(x) sum(x) prod(x) mean(x) var(x) std(x) min(x) max(x)
ptp(x) argmin(x) argmax(x) any(x) all(x) count_nonzero(x) linalg.norm(x) linalg.norm(x,1) linalg.norm(x,inf)
linalg.norm(x,0) linalg.norm(x,3) nansum(x) nanprod(x) nanmean(x) nanvar(x) nanstd(x) nanmin(x) nanmax(x) cumsum(x)
cumprod(x) diff(x) zeros_like(x) ones_like(x) full_like(x,3) sum(x,dtype=float32) clip(x,0,1)
bincount(x) histogram(x,3)[0]""".split()
BINARY = """x+y x-y x*y x/y x//y x%y x**y x&y x|y x^y x<<y x>>y x==y x!=y x<y x<=y x>y x>=y fmod(x,y) power(x,y)
arctan2(x,y) hypot(x,y) copysign(x,y) nextafter(x,y) logaddexp(x,y) maximum(x,y) minimum(x,y) fmax(x,y) fmin(x,y)
logical_and(x,y) logical_or(x,y) logical_xor(x,y) where(x,x,y) clip(x,y,y)""".split()
WEAK = "True 1 -1 2 300 1.5 0.5 nan 2j".split()
ONE_SIDED = """x+W x-W W-x x*W x/W W/x x//W x%W x**W W**x x&W x|W x^W x<<W x>>W x==W x<W W<x x>=W arctan2(x,W) hypot(W,x)
maximum(x,W) fmin(x,W) where(True,x,W) clip(x,W,W) clip(x,None,W) logical_and(x,W)""".split()
REWRITE = {"linalg.norm": "norm", "arcsin(": "asin(", "histogram(x,3)[0]": "histogram(x,3)"}

NAMES = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}


def code(text, **names):
    try:
        result = eval(text, NAMES | {"round": np.round, "abs": np.abs, "sum": np.sum, "min": np.min, "max": np.max,
                                     "any": np.any, "all": np.all}, names)
        return np.asarray(result).dtype.char.replace("l", "q").replace("L", "Q")
    except Exception:
        return "-"


def line(out, text, codes, y=""):
    for old, new in REWRITE.items():
        text = text.replace(old, new)
    print(f"{y}{text}\t{codes}", file=out)


def main():
    with open("types_golden.txt", "w") as out:
        for text in UNARY:
            line(out, text, "".join(code(text, x=np.ones(3, c)) for c in CODES))
        for text in BINARY:
            for d in CODES:
                line(out, text, "".join(code(text, x=np.ones(3, c), y=np.ones(3, d)) for c in CODES), d + " ")
        for shape in ONE_SIDED:
            for weak in WEAK:
                text = shape.replace("W", weak if weak[0] != "-" else f"({weak})")
                line(out, text, "".join(code(text, x=np.ones(3, c)) for c in CODES))


main()
