"""run_example.py PROGRAM PICTURE [ARGUMENT]...: an example of examples/python, which checks its own results, and its picture"""

import pathlib
import runpy
import sys

program, picture = sys.argv[1], pathlib.Path(sys.argv[2])
sys.argv = [program, "-plot", str(picture), *sys.argv[3:]]
picture.unlink(missing_ok=True)
runpy.run_path(program, run_name="__main__")

from petsc4py import PETSc  # noqa: E402  (the program gives PETSc its arguments)

PETSc.COMM_WORLD.barrier()
if PETSc.COMM_WORLD.rank == 0:
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 5000, picture
