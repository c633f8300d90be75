"""Functions with more digits than their results need, and those that NumPy lacks."""

import decimal
import functools
import math

import numpy as np

LONG = np.longdouble


@functools.cache
def erf_series(x, digits):
    """erf of a float by its series, in decimal."""
    with decimal.localcontext(decimal.Context(prec=digits)):
        x = decimal.Decimal(x)
        term = total = x
        n = 0
        while abs(term) > decimal.Decimal(10) ** -digits:
            n += 1
            term = -term * x * x / n
            total += term / (2 * n + 1)
        return 2 * total / pi(digits).sqrt()


@functools.cache
def pi(digits):
    """π by Machin's formula."""
    with decimal.localcontext(decimal.Context(prec=digits + 10)):
        def arctan_inverse(n):
            total = term = decimal.Decimal(1) / n
            k = 1
            while abs(term) > decimal.Decimal(10) ** -(digits + 8):
                term = -term / (n * n)
                k += 2
                total += term / k
            return total

        return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def erf_one(x):
    x = float(x)
    if math.isnan(x) or abs(x) > 6:
        return math.erf(x)
    return float(erf_series(x, 60))


def erfc_one(x):
    x = float(x)
    if math.isnan(x) or x < 0.25:
        return 1 - math.erf(x) if not -6 < x < 0.25 else float(1 - erf_series(x, 60))
    if x > 28:
        return 0.0
    with decimal.localcontext(decimal.Context(prec=1200)):
        return float(1 - erf_series(x, 60 + int(1.8 * x * x)))


def gelu_one(x):
    x = float(x)
    if math.isnan(x) or x == math.inf:
        return x
    if x == -math.inf:
        return -0.0
    if abs(x) > 40:
        return x if x > 0 else -0.0
    with decimal.localcontext(decimal.Context(prec=1200)):
        digits = 60 + int(x * x)
        half = decimal.Decimal(x) / 2
        root = decimal.Decimal(x) / decimal.Decimal(2).sqrt()
        return float(half * (1 + erf_series(root, digits)))


def each(function):
    """Applies a function of floats to the elements, which are computed in float64."""
    return lambda x: np.array([function(v) for v in np.asarray(x, np.float64).reshape(-1)], np.float64).reshape(np.shape(x))


erf, erfc, gelu = each(erf_one), each(erfc_one), each(gelu_one)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, LONG)))


def relu(x):
    return np.maximum(x, np.zeros((), np.asarray(x).dtype))


FUNCTIONS = {"erf": erf, "erfc": erfc, "gelu": gelu, "sigmoid": sigmoid, "relu": relu}
