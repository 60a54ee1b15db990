"""python -m hepta: what there is, and the options to begin with"""
from . import PETSc, HeptaView, info

HeptaView()
cuda = "cuda" if info()["cuda"] else ""
vectors, end = ("vec_type cuda ", " -use_gpu_aware_mpi 0") if cuda else ("", "")
for name, prefix, kind, solver in (
    ("DMDA", "-dm_", "bdia", "-ksp_type fusedcg -pc_type gridmg"),
    ("grid", "-", "bdia", "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid J,H,I"),
    ("mesh", "-", "brow", "-ksp_type fusedcg -pc_type aggmg"),
):
    PETSc.Sys.Print(f"  {name}: {prefix}mat_type {kind}{cuda} {prefix + vectors if vectors else ''}{solver}{end}")
