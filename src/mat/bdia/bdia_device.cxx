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

   `MatSetPreallocationCOO()` takes indices on the host or the device and analyzes them on the host. Half storage takes COO values through the host, where it
   compares the two halves. Rows, zeroing rows, factorizations other than `MATSOLVERBBS` and what works on a converted `MATAIJ` run on the host.

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
. -mat_type mpibdiacuda - sets the matrix type to `MATMPIBDIACUDA` during a call to `MatSetFromOptions()`

   Level: beginner

   Notes:
   Ghost values are packed on the device and travel from there when MPI is GPU-aware, else (`-use_gpu_aware_mpi 0`) through PETSc's buffers in pageable host
   memory. The copies to and from them are on the stream of the product, so only the messages travel while the block diagonals are multiplied.

   References:
   See `MATBDIACUDA`.

.seealso: `MATBDIACUDA`, `MATSEQBDIACUDA`, `MATMPIBDIA`
M*/
