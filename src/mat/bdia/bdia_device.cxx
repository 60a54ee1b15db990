/* The pages of the bdiacuda types, whose constructors stand with those of bdia */

/*MC
   MATBDIACUDA - "bdiacuda" - A `MATBDIA` whose vectors live on an NVIDIA GPU

   Options Database Keys:
. -mat_type bdiacuda - sets the matrix type to `MATBDIACUDA` during a call to `MatSetFromOptions()`; the other options are those of `MATBDIA`

   Level: beginner

   Notes:
   `MATBDIACUDA` is `MATSEQBDIACUDA` on one MPI process and `MATMPIBDIACUDA` on several. It is `MATBDIA` in everything but this: `MatCreateVecs()` makes
   `VECCUDA` vectors, and so do the solvers that ask it for work vectors; `PCPBJACOBI` applies its blocks on the device. For both types the memory of the vectors decides where a product runs: `MATBDIA` multiplies
   `VECCUDA` vectors on the device, `MATBDIACUDA` multiplies host vectors on the host. Where the vectors of one call are in different memories, the host works.

   Values live where they were last written: `MatSetValues()` writes on the host, `MatSetValuesCOO()` where its values are, `MatScale()`, `MatShift()`, `MatAXPY()`,
   `MatCopy()`, `MatZeroEntries()` and `MatNorm()` work where the values are, `MatGetDiagonal()`, `MatDiagonalSet()`, `MatDiagonalScale()` and products where the
   vectors are. An access from the other side copies the values once; they are copied back only after a change.

   `MatSetPreallocationCOO()` takes indices on the host or the device. On one rank and in full storage it analyzes them on the device, otherwise on the host. Half
   storage takes COO values through the host, where it compares the two halves. Rows, zeroing rows, factorizations other than `MATSOLVERBBS` and what works on a converted `MATAIJ` run on the host.

   `MatConvert()` from `MATAIJCUSPARSE`, and to it once the values are on the device, moves the values on the device; the structure is found on the host, and
   with `MAT_REUSE_MATRIX` not again.

   Repeated products give the same bits. On a machine without a GPU or its driver the type raises `PETSC_ERR_GPU`; `MATBDIA` works there, from the same library.

   References:
   See `MATBDIA`. The device product keeps the column-major values of L. A. Firdaus's thesis, section 5.2; its threads, one for each row and further ones that share a
   row's diagonals in small matrices, are our own.

.seealso: `MATBDIA`, `MATSEQBDIACUDA`, `MATMPIBDIACUDA`, `VECCUDA`, `MATAIJCUSPARSE`
M*/

/*MC
   MATSEQBDIACUDA - "seqbdiacuda" - A `MATSEQBDIA` whose vectors live on an NVIDIA GPU

   Options Database Keys:
. -mat_type seqbdiacuda - sets the matrix type to `MATSEQBDIACUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATMPIBDIACUDA`, `MATSEQBDIA`
M*/

/*MC
   MATMPIBDIACUDA - "mpibdiacuda" - A `MATMPIBDIA` whose vectors live on NVIDIA GPUs

   Options Database Keys:
+ -mat_type mpibdiacuda                        - sets the matrix type to `MATMPIBDIACUDA` during a call to `MatSetFromOptions()`
. -hepta_transport <auto,ipc,nccl,mpi,mpi_gpu> - how numbers travel from one rank's GPU to another's, for all matrices, preconditioners and Krylov methods of Hepta's on a communicator
. -hepta_transport_nccl <libnccl.so.2>         - NCCL's library, for `nccl`
- -hepta_transport_timeout <30>                - seconds that a rank waits for another with `ipc` and `nccl`, before the next exchange, or a fused method, stops with an error

   Level: beginner

   Notes:
   With `ipc`, for ranks of one host, a kernel writes ghost values into the memory of the ranks that need them, and theirs wait for it; the block diagonals are multiplied meanwhile. The host has no part in it, so that `KSPFUSEDCG` and
   its kin record their iterations, and nor has it with `nccl`. With `mpi` a stream of its own copies packed values to host memory that is pinned, from where MPI sends them; with `nccl` NCCL sends them from the device in a stream of its own, between hosts too; with `mpi_gpu` MPI sends them from the device, which it must know (`-use_gpu_aware_mpi`).

   `auto` takes `ipc` where all ranks are on one host, each with a GPU of its own that the others can address; elsewhere `nccl`, if each has a GPU of its own and NCCL's library is there; and `mpi` otherwise. Where what is asked for cannot be had all take `mpi`, and `MatView()` with an info format, as in `-ksp_view`, says why.
   Ranks that share a GPU may ask for `ipc`; their kernels then take turns, unless the Multi-Process Service (MPS) of CUDA runs. Ghost values are the same bits with all of them; sums over more than two ranks are added by ascending rank with `ipc` and `nccl`, and in an order of MPI's own with the others.

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATSEQBDIACUDA`, `MATMPIBDIA`
M*/
