"""python -m hepta: what there is, and the options to begin with"""
from . import PETSc, HeptaView, info

HeptaView()
cuda = info()["cuda"]
for name, prefix, kind, solver in (
    ("DMDA", "-dm_", "bdia", "-ksp_type fusedcg -pc_type gridmg"),
    ("grid", "-", "bdia", "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid J,H,I"),
    ("mesh", "-", "brow", "-ksp_type fusedcg -pc_type aggmg"),
):
    gpu = f"cuda {prefix}vec_type cuda -use_gpu_aware_mpi 0" if cuda else ""
    PETSc.Sys.Print(f"  {name}: {prefix}mat_type {kind}{gpu} {solver}")
