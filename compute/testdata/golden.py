"""Writes the golden cases of package compute: expressions, and what NumPy 2 makes of them.

    python3 golden.py [folder]        # the folder golden beside this script otherwise

Run on x86-64 with the versions of dtype/testdata/requirements.txt (`make golden` does, and compares). It writes
expressions.txt.gz: lines of fields with tabs between them, one case a line.

tolerance  "=" the same bits (any NaN for a NaN), "0" the same but for the signs of zeros, "uN" at most N units in
           the last place away, "error" where there must be one; then only the first three fields are there
text       a program in the language of expressions, which is also Python's but for the savers
inputs     with spaces between them: name=type:pool:start:step:span:shape:strides:offset. The storage holds span
           elements, number i of which is pool[(start + i*step) % len(pool)]; the rest is the layout, in elements
type, shape and elements of the result; the elements in hexadecimal as they lie in memory, or "sha256:" and the hash of
           them, NaNs made positive and quiet, and zeros positive where the tolerance is "0"

Lines before the cases that start with "pool" hold a type, the name of a pool and its elements.

What a result should be comes from NumPy itself where it rounds each step correctly, and from arithmetic in more
digits where it does not: sums, and functions such as exp. Cases for which NumPy's answer depends on the strides of
the operands are left out.
"""

import pathlib
import sys
import warnings

sys.dont_write_bytecode = True
warnings.simplefilter("ignore")

from golden_cases import convolutions, covariances, elementwise, functions, joins, moving, neighbours, pools, products, programs, promotion, ranks, reductions, sets, sorting, views  # noqa: E402
from golden_cases.case import Writer  # noqa: E402


def main():
    here = pathlib.Path(__file__).parent / "golden"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    writer = Writer()
    writer.lines += pools.lines()
    for topic in (elementwise, functions, promotion, reductions, views, programs, ranks, products, sorting, sets, moving, covariances, neighbours, convolutions, joins):
        before = writer.cases
        topic.write(writer)
        print(f"{topic.__name__}: {writer.cases - before} cases", file=sys.stderr)
    writer.save(folder / "expressions.txt.gz", here / "expressions.txt.gz")


main()
