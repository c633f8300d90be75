"""Writes math_golden.txt: values of the transcendental functions at arguments that are hard for them.

Each line is a function, its arguments and the float64 nearest to its value, as 16 hexadecimal digits each, and how
far the value lies above that float64, in 1/100 of its last place. Needs mpmath.

    python math_golden.py [points per range] > math_golden.txt
"""

import random
import struct
import sys

from mpmath import mp, mpf
import mpmath as m

mp.prec = 400
POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 24
random.seed(20260101)

SMALLEST = 5e-324
LARGEST = sys.float_info.max


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def nearest(value):
    """Returns the float64 nearest to an mpf, ties not minded, infinite where it overflows."""
    if value == 0:
        return 0.0
    _, exponent = m.frexp(value)
    last = mpf(2) ** (max(exponent, -1021) - 53)
    rounded = m.nint(value / last) * last
    if rounded == 0:
        return 0.0 * float(m.sign(value))
    return float(rounded) if abs(rounded) <= mpf(LARGEST) else m.sign(value) * float("inf")


def last_place(x):
    _, exponent = m.frexp(mpf(x))
    return mpf(2) ** (max(exponent, -1021) - 53)


def between(lo, hi):
    """Random float64s between two of the same sign, even in their bits."""
    b, c = sorted((bits(lo), bits(hi)))
    return [lo, hi] + [from_bits(random.randint(b, c)) for _ in range(POINTS)]


def around(*xs):
    out = []
    for x in xs:
        b = bits(x)
        out += [from_bits(b + d) for d in (-2, -1, 0, 1, 2) if b + d >= 0]
    return out


def both(xs):
    return xs + [-x for x in xs]


def evenly(lo, hi):
    return [lo + (hi - lo) * random.random() for _ in range(POINTS)]


def near_multiples():
    """Floats next to multiples of pi/2 of all sizes; the first is nearer to one than any other."""
    out = [6381956970095103.0 * 2.0**797]
    for exponent in list(range(0, 60)) + list(range(60, 1024, 16)):
        n = m.floor(mpf(2) ** exponent * (1 + random.random()) * 2 / m.pi)
        out.append(float(n * m.pi / 2))
    return out


TINY = between(SMALLEST, 2.0**-1000) + between(2.0**-100, 2.0**-10)
ALL = between(SMALLEST, LARGEST)


def trig():
    return both(TINY + evenly(0.01, 0.8) + evenly(0.5, 3.2) + between(1.0, 1e9) + between(1e9, LARGEST) + near_multiples()
                + around(m.pi.__float__() / 4, 2.0**30, LARGEST)[:-2])


LN2 = float(m.ln2)
ONES = around(1.0, 2.0, 0.5, 0.7071067811865476, 1.4142135623730951)
EXPS = both(TINY + evenly(0, 0.4) + evenly(0.3, 2) + evenly(0, 40)) + evenly(-745.2, -708) + evenly(-708, 709.7) + around(
    709.782712893384, -708.3964185322641, -745.1332191019411)
LOGS = ALL + TINY + evenly(0.7, 1.42) + ONES + [1 + 2.0**-k for k in range(1, 53)] + [1 - 2.0**-k for k in range(1, 54)]

ONE = {
    "cbrt": (m.cbrt, both(ALL + TINY + [float(k**3) for k in range(1, 30)])),
    "exp": (m.exp, EXPS),
    "exp2": (lambda x: mpf(2) ** x, both(TINY + evenly(0, 0.6)) + evenly(-1075, 1024) + evenly(-1075, -1021)
             + [float(k) for k in range(-1074, 1024, 61)] + around(1024.0, -1022.0, -1075.0)),
    "expm1": (m.expm1, [x for x in EXPS if x > -60] + evenly(-60, -30)),
    "log": (m.log, LOGS),
    "log2": (lambda x: m.log(x) / m.ln2, LOGS + [2.0**k for k in range(-1074, 1024, 37)]),
    "log10": (m.log10, LOGS + [10.0**k for k in range(0, 309, 7)]),
    "log1p": (m.log1p, both(TINY) + ALL + evenly(-0.3, 0.45) + evenly(-0.999, 3) + around(0.4142135623730951)
              + [-x for x in around(0.29289321881345254)] + [-1 + 2.0**-k for k in range(1, 54)]),
    "sin": (m.sin, trig()),
    "cos": (m.cos, trig()),
    "tan": (m.tan, trig()),
    "asin": (m.asin, both(TINY + evenly(0, 1) + evenly(0.4, 0.6) + around(0.5) + [1 - 2.0**-k for k in range(1, 54)])),
    "acos": (m.acos, both(TINY + evenly(0, 1) + evenly(0.4, 0.6) + around(0.5) + [1 - 2.0**-k for k in range(1, 54)])),
    "atan": (m.atan, both(TINY + ALL + evenly(0, 3) + around(7 / 16, 11 / 16, 19 / 16, 39 / 16, 1.0))),
    "sinh": (m.sinh, both(TINY + evenly(0, 1.5) + evenly(0, 50) + evenly(700, 710.4) + around(1.0, 710.4758600739439))),
    "cosh": (m.cosh, both(TINY + evenly(0, 1.5) + evenly(0, 50) + evenly(700, 710.4) + around(1.0, 710.4758600739439))),
    "tanh": (m.tanh, both(TINY + evenly(0, 1) + evenly(0, 22) + around(LN2 / 4, 19.0615, 22.0))),
    "asinh": (m.asinh, both(TINY + ALL + evenly(0, 2) + around(0.35, 2.0**30, 2.0**-30))),
    "acosh": (m.acosh, between(1.0, LARGEST) + evenly(1, 3) + [1 + 2.0**-k for k in range(1, 53)]),
    "atanh": (m.atanh, both(TINY + evenly(0, 1) + evenly(0.1, 0.2) + around(0.1640625) + [1 - 2.0**-k for k in range(1, 54)])),
    "erf": (m.erf, both(TINY + evenly(0, 1.1) + evenly(0.9, 6.2) + around(1.0))),
    "erfc": (m.erfc, both(TINY) + evenly(-6, 1) + evenly(0.4, 28) + evenly(26, 27.3) + around(0.46, 26.543258430632299)),
    "sigmoid": (lambda x: 1 / (1 + m.exp(-mpf(x))), both(TINY + evenly(0, 2) + evenly(0, 40)) + evenly(-745, -700)),
    "gelu": (lambda x: mpf(x) / 2 * m.erfc(-mpf(x) / m.sqrt(2)), both(TINY + evenly(0, 1) + evenly(0, 10)) + evenly(-38.6, -37)
             + evenly(-40, 40) + [-x for x in around(0.6505382386916237)]),
}


def mixed():
    return [random.choice([1, -1]) * x for x in between(SMALLEST, LARGEST) + between(1e-3, 1e3) + evenly(0, 3)]


def pairs(first, second):
    second = list(second)
    random.shuffle(second)
    return list(zip(first, second))


def pow_pairs():
    out = pairs(between(1e-5, 1e5) * 2, evenly(-60, 60) * 3)
    for x in between(SMALLEST, LARGEST) + evenly(0.5, 2) + [1 + 2.0**-k for k in range(1, 50)] + [1 - 2.0**-k for k in range(1, 50)]:
        if x != 1 and abs(m.log(x)) > mpf(2) ** -900:
            y = float(mpf(random.choice([709.7, -744.0, 1.0, -700.0, 0.1]) * random.random()) / m.log(x))
            if abs(y) < LARGEST:
                out.append((x, y))
    return out + [(float(x), float(y)) for x in (-3, -2, 3, 5, 10, 0.5) for y in (-3, 3, 4, 7, 13)]


def cancelling():
    """Pairs whose exponentials add up to nearly 1."""
    return [(x, float(m.log1p(-m.exp(x)))) for x in evenly(-3, -0.01)]


TWO = {
    "pow": (lambda x, y: m.power(x, y), pow_pairs()),
    "atan2": (m.atan2, pairs(mixed(), mixed()) + pairs(mixed(), mixed())
              + [(x, x * random.uniform(0.1, 10) * random.choice([1, -1])) for x in mixed() if 1e-300 < abs(x) < 1e300]),
    "hypot": (lambda x, y: m.sqrt(x * x + y * y), pairs(mixed(), mixed())
              + [(x, x * random.uniform(0.1, 10)) for x in mixed() if abs(x) < 1e306]),
    "logaddexp": (lambda x, y: m.log(m.exp(x) + m.exp(y)), pairs(evenly(-50, 50), evenly(-50, 50)) + cancelling()
                  + pairs(evenly(-900, 900), evenly(-900, 900)) + pairs(evenly(-1, 1), evenly(-1, 1))),
}


def line(name, f, *args):
    value = f(*(mpf(x) for x in args))
    if isinstance(value, m.mpc) or m.isnan(value):
        return
    y = nearest(value)
    above = 0 if abs(y) == float("inf") else int(m.nint((value - mpf(y)) / last_place(y) * 100))
    print(name, *("%016x" % bits(x) for x in args), "%016x" % bits(float(y)), above)


for name, (f, xs) in ONE.items():
    for x in dict.fromkeys(xs):
        line(name, f, x)
for name, (f, ps) in TWO.items():
    for p in dict.fromkeys(ps):
        line(name, f, *p)
