"""python -m hepta: what there is, and the options to begin with"""
from . import info

i = info()
print(f"library  {i['library']}")
print(f"PETSc    {i['petsc']}, {'with' if i['cuda'] else 'without'} CUDA")
for kind in ("mat", "pc", "ksp"):
    print(f"{kind:8} {', '.join(i[kind])}")
cuda = "cuda -vec_type cuda" if i["cuda"] else ""
print(f"grid     -mat_type bdia{cuda} -ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid J,H,I")
print(f"mesh     -mat_type brow{cuda} -ksp_type fusedcg -pc_type aggmg")
