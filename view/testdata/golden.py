"""Writes the golden cases of advanced indexing and of geometry.

    python3 golden.py [folder]        # the folder golden beside this script otherwise
"""

import runpy
import sys
from pathlib import Path

here = Path(__file__).parent
sys.argv[1:] = sys.argv[1:] or [str(here / "golden")]
for script in ("gather_golden.py", "geometry_golden.py"):
    runpy.run_path(str(here / script), run_name="__main__")
