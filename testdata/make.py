#!/usr/bin/env python3
"""Writes the arrays of this folder into the folder given as the only argument.

Needs the packages of requirements.txt and npm, which fetches vega-datasets. `make testdata` runs it in a
virtual environment and compares the result with the committed files. Sources and licences: README.md.
"""

import csv
import gzip
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy as np
from PIL import Image

VEGA_DATASETS = "vega-datasets@3.2.1"


def package_file(package, path):
    """Path of a data file in an installed package, found without importing the package."""
    folder = importlib.util.find_spec(package).submodule_search_locations[0]
    return pathlib.Path(folder, path)


def vega(paths):
    """The named files of the vega-datasets package as {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["npm", "pack", "--silent", VEGA_DATASETS],
                                cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        with tarfile.open(pathlib.Path(folder, packed.stdout.split()[-1])) as tar:
            return {p: tar.extractfile("package/data/" + p).read().decode() for p in paths}


def volcano(text):
    """Metres, 87 rows (east to west) by 61 columns (south to north), as R's `volcano` is laid out."""
    grid = json.loads(text)
    rows = np.array(grid["values"], np.float32).reshape(grid["height"], grid["width"])
    return np.ascontiguousarray(rows[::-1].T)


def seattle(text):
    """One array of 1461 days for each column. Temperatures are stored as float32, the rest as float64."""
    rows = list(csv.DictReader(io.StringIO(text)))
    column = lambda name, dtype: np.array([row[name] for row in rows], np.float64).astype(dtype)
    return {
        "seattle_precipitation": column("precipitation", np.float64),
        "seattle_temp_max": column("temp_max", np.float32),
        "seattle_temp_min": column("temp_min", np.float32),
        "seattle_wind": column("wind", np.float64),
    }


def stocks(text):
    """Prices of AAPL, AMZN, GOOG, IBM, MSFT (columns) on the first of 123 months (rows), in Fortran order.

    NaN where there is none: GOOG was first traded in August 2004.
    """
    price = {}
    for row in csv.DictReader(io.StringIO(text)):
        price.setdefault(row["date"], {})[row["symbol"]] = float(row["price"])
    symbols = sorted({symbol for month in price.values() for symbol in month})
    table = [[month.get(symbol, np.nan) for symbol in symbols] for month in price.values()]
    return np.asfortranarray(table)


def digits():
    """1797 images of 8×8 pixels with 17 grey levels (0…16), and the digit that each one shows."""
    with gzip.open(package_file("sklearn", "datasets/data/digits.csv.gz"), "rt") as f:
        table = np.loadtxt(f, delimiter=",")
    return table[:, :-1].astype(np.uint8).reshape(-1, 8, 8), table[:, -1].astype(np.uint8)


def iris():
    """150 flowers: sepal length and width, petal length and width in centimetres."""
    with open(package_file("sklearn", "datasets/data/iris.csv")) as f:
        return np.loadtxt(f, delimiter=",", skiprows=1, usecols=range(4))


def cat():
    """Height × width × RGB: the face of Chelsea the cat, cut from the 300×451 photograph, not scaled."""
    with Image.open(package_file("skimage", "data/chelsea.png")) as image:
        return np.asarray(image.convert("RGB"))[20:260, 70:390].copy()


def arrays():
    text = vega(["volcano.json", "seattle-weather.csv", "stocks.csv"])
    images, labels = digits()
    return seattle(text["seattle-weather.csv"]) | {
        "volcano": volcano(text["volcano.json"]),
        "stocks": stocks(text["stocks.csv"]),
        "digits": images,
        "digits_labels": labels,
        "iris": iris(),
        "cat": cat(),
    }


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, array in sorted(arrays().items()):
        np.save(out / f"{name}.npy", array)
        print(f"{name:22} {array.dtype!s:8} {array.shape}")


if __name__ == "__main__":
    main()
