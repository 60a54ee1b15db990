"""python -m hepta: what there is, and the options to begin with"""
from . import PETSc, HeptaView, info

HeptaView()
cuda = "cuda -vec_type cuda" if info()["cuda"] else ""
PETSc.Sys.Print(f"  grid: -mat_type bdia{cuda} -ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid J,H,I")
PETSc.Sys.Print(f"  mesh: -mat_type brow{cuda} -ksp_type fusedcg -pc_type aggmg")
