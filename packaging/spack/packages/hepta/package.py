"""Hepta for Spack: `spack repo add packaging/spack`, then `spack install hepta`."""

from spack.package import *


class Hepta(CMakePackage, CudaPackage):
    """PETSc plugin with matrix, preconditioner and Krylov types for grids and small blocks, on the
    host and on NVIDIA GPUs"""

    homepage = "https://example.org/hepta"
    url = "file:///tmp/hepta-0.2.0.tar.gz"

    license("BSD-2-Clause")

    # the tarball of `make dist`: spack checksum fills in the sha256
    version("0.2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("mpi")
    depends_on("blas")
    depends_on("lapack")
    depends_on("petsc@3.22:+mpi+shared~complex")
    depends_on("petsc+cuda", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"petsc cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    conflicts(
        "cuda_arch=none",
        when="+cuda",
        msg="give the compute capability, for example cuda_arch=90",
    )

    def cmake_args(self):
        args = [
            self.define("PETSC_DIR", self.spec["petsc"].prefix),
            self.define("PETSC_ARCH", ""),
            self.define("HEPTA_TESTS", False),
            self.define_from_variant("HEPTA_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("HEPTA_CUDA_ARCH", self.spec.variants["cuda_arch"].value[0]))
        return args
