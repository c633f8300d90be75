"""Writes the golden files of package npyheader from what NumPy does.

Run in this folder where numpy 2 is installed:

    python golden.py

numpy_save.json   headers as numpy.save writes them
numpy_load.json   header texts, and what numpy.load makes of each
"""

import io
import json
import struct
import warnings

import numpy as np
from numpy.lib import _format_impl as npy

warnings.simplefilter("ignore")

SHAPES = [(), (0,), (1,), (3,), (10**9,), (3, 4), (0, 5), (2, 3, 4), (123456789, 1, 7), (1,) * 32, (1,) * 64, (10,) * 9]
DTYPES = "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8 <c8 <c16 >f4 >i2 >c16 >u1".split()


def saved(descr, fortran, shape):
    out = io.BytesIO()
    npy._write_array_header(out, {"descr": np.dtype(descr).str, "fortran_order": fortran, "shape": shape})
    return {"descr": descr, "fortran": fortran, "shape": shape, "header": out.getvalue().hex()}


def write_save():
    cases = [saved(d, f, s) for d in DTYPES for f in (False, True) for s in ((3, 4), (7,))]
    cases += [saved("<f4", f, s) for s in SHAPES for f in (False, True)]
    # The helper is the one behind numpy.save; here is numpy.save itself.
    for array in (np.zeros((3, 4), "f4"), np.zeros((3, 4), "f4", order="F"), np.zeros((), "c16"), np.zeros(0, "?")):
        out = io.BytesIO()
        np.save(out, array)
        header = out.getvalue()[: len(out.getvalue()) - array.nbytes]
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        cases.append({"descr": array.dtype.str, "fortran": fortran, "shape": array.shape, "header": header.hex()})
    dump("numpy_save.json", cases)


D = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
TEXTS = [
    D,
    "{'shape': (3, 4), 'fortran_order': True, 'descr': '>i2'}",
    '{"descr": "|u1", "fortran_order": False, "shape": (5,)}',
    "{'descr': u'<f8', u'fortran_order': False, 'shape': ()}",
    "{'descr':'<f8','fortran_order':False,'shape':(3)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,4,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,,4)}",
    "{'descr':'<f8','fortran_order':False,'shape':(,)}",
    "{'descr':'<f8','fortran_order':False,'shape':((3,4))}",
    "{'descr':'<f8','fortran_order':False,'shape':[3,4]}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,'4')}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,4.0)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,4e0)}",
    "{'descr':'<f8','fortran_order':False,'shape':(10L, 20L)}",
    "{'descr':'<f8','fortran_order':False,'shape':(10L,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(10LL,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(10M,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(+3,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3 4)}",
    "{'descr':'<f8','fortran_order':0,'shape':(3,)}",
    "{'descr':'<f8','fortran_order':None,'shape':(3,)}",
    "{'descr':'<f8','fortran_order':true,'shape':(3,)}",
    "{'descr':'<f8','fortran_order':'False','shape':(3,)}",
    "{'descr':('<f8'),'fortran_order':(False),'shape':(3,)}",
    "{'descr':'<f8','fortran_order':False}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,),'extra':1}",
    "{}",
    "{,}",
    "",
    "   ",
    "()",
    "'text'",
    "{'descr'",
    "{'descr':",
    "{'descr':'<f8",
    "{'descr':'<f8\n','fortran_order':False,'shape':(3,)}",
    "{'descr' '<f8','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f8' 'fortran_order':False,'shape':(3,)}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,)",
    "{'descr':'<f8','fortran_order':False,'shape':(3,}",
    "{'descr':'<f8','fortran_order':False,'shape':(3,)}}",
    D + D,
    D + "x",
    D + ",",
    D + " # a comment",
    D + "# {'descr': '<f8'}",
    D + "   \n\n# one\n# two\n",
    "  \t" + D,
    "\n" + D,
    "# before\n" + D,
    "{ # inside\n'descr': '<f4',\n\n 'fortran_order'\t:\tFalse\n, 'shape'\n: (\n3 , # three\n 4 , ) , }",
    "{'descr':'=f4','fortran_order':False,'shape':(3,)}",
    "{'descr':'|f4','fortran_order':False,'shape':(3,)}",
    "{'descr':'f4','fortran_order':False,'shape':(3,)}",
    "{'descr':'|b1','fortran_order':False,'shape':(3,)}",
    "{'descr':'?','fortran_order':False,'shape':(3,)}",
    "{'descr':'>u1','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f\\x34','fortran_order':False,'shape':(3,)}",
    "{'de\\'scr':'<f4','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f3','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f5','fortran_order':False,'shape':(3,)}",
    "{'descr':'','fortran_order':False,'shape':(3,)}",
    "{'descr':4,'fortran_order':False,'shape':(3,)}",
    "{'descr':b'<f4','fortran_order':False,'shape':(3,)}",
    "{'descr':'|V2','fortran_order':False,'shape':(3,)}",
    "{'descr':'<V2','fortran_order':False,'shape':(3,)}",
    "{'descr':'|V1','fortran_order':False,'shape':(3,)}",
    "{'descr':'<f4','fortran_order':False,'shape':(%s)}" % ("1," * 64),
    "{'descr':'<f4','fortran_order':False,'shape':(0,)} # é",
]


def loaded(text, version):
    body = text.encode("utf8" if version == 3 else "latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(body))
    case = {"version": version, "text": text}
    try:
        shape, fortran, dtype = npy._read_array_header(io.BytesIO(length + body), (version, 0))
    except Exception as error:
        return case | {"error": type(error).__name__}
    return case | {"shape": shape, "fortran": fortran, "descr": dtype.str}


def write_load():
    dump("numpy_load.json", [loaded(text, version) for text in TEXTS for version in (1, 2, 3)])


def dump(name, cases):
    with open(name, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


write_save()
write_load()
