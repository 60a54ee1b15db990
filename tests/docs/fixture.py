"""A small repository without faults, as {path: text}, and the faults to plant in it."""

HEADER = '''#define MATTOY "toy"

/*MC
   MATTOY - "toy" - A matrix for a test

   When to take it:
   In tests.

   Options Database Keys:
+ -mat_type toy       - sets the type
- -mat_toy_size <4>   - its size

   Example:
.vb
     ./app -mat_type toy -mat_toy_size 5
.ve

   Limits:
   The size is positive.

   Level: beginner

   References:
   A. Author, A paper, section 2.

.seealso: `HeptaToySetSize()`
M*/

/*E
   HeptaToyKind - a kind

   Values:
+  `HEPTA_TOY_A` - one
-  `HEPTA_TOY_B` - other

   Level: beginner

.seealso: `MATTOY`
E*/
typedef enum {
  HEPTA_TOY_A,
  HEPTA_TOY_B
} HeptaToyKind;

/*S
   HeptaToyBox - a box

   Fields:
+  width  - of the box
-  height - of the box

   Level: beginner

.seealso: `MATTOY`
S*/
typedef struct {
  PetscInt width, /* not depth; */ height;
} HeptaToyBox;

PETSC_EXTERN PetscErrorCode HeptaToySetSize(Mat, PetscInt, PetscInt *);
'''

SOURCE = '''#include <hepta.h>

static PetscErrorCode SetSize(Mat A, PetscInt n)
{
  /* not read: PetscOptionsInt("-mat_toy_old", ...) */
  PetscCall(PetscOptionsInt("-mat_toy_size", "Size", "HeptaToySetSize", n, &n, NULL));
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Size %d: give a positive -mat_toy_size", (int)n);
  return PETSC_SUCCESS;
}

/*@
  HeptaToySetSize - Sets the size of a `MATTOY`

  Logically Collective

  Input Parameters:
+ A - the matrix
- n - the size

  Output Parameter:
. old - the size before

  Options Database Key:
. -mat_toy_size <n> - sets the same

  Level: beginner

.seealso: `MATTOY`
@*/
PetscErrorCode HeptaToySetSize(Mat A, PetscInt n, PetscInt *old)
{
  return HeptaNoThrow<SetSize>(A, n);
}

static PetscErrorCode MatMult_Toy(Mat A, Vec x, Vec y)
{
  return PETSC_SUCCESS;
}

static const Kind kind = {HeptaNoThrow<MatMult_Toy>};

PetscErrorCode MatCreate_Toy(Mat A)
{
''' + ''.join(f'  A->ops->op{k} = HeptaNoThrow<MatMult_Toy>;\n' for k in range(50)) + '''  return PETSC_SUCCESS;
}
'''

README = '''# Toy

See [the guide](docs/guide.md), `src/toy.cxx:HeptaToySetSize` and `src/*.cxx`; run `make check` with `-mat_toy_size 3`, and with `-mat_toy_ksp_type cg` and `-mat_toy_mat_toy_size 2` for the object inside.

| option | meaning |
|---|---|
| `-mat_toy_size` | its size |
| `-mat_type toy` | its type |

```c
// src/toy.cxx: HeptaToySetSize
PetscErrorCode HeptaToySetSize(Mat A, PetscInt n, PetscInt *old)
...
```
'''

PAPERS = '''# Papers

## 000 Toy

| section | where |
|---|---|
| 1 introduction | - |
| 2 to 2.2, 3 sizes | `toy` by `src/toy.cxx:HeptaToySetSize`, `HeptaToySetSize()`, `HEPTA_TOY_A`: `examples/toy -mat_toy_size 3 -mat_type toy` |
'''

BENCH = '''# Times

`run.sh bench -n 2 toy -size 3 -ksp_type cg`, and `mpiexec -n 2 build/examples/toy -mat_type
toy`, `make check N=1`, `scripts/toy.sh 3`
'''

# Of the paper
SECTIONS = {'000': '1 2 2.1-2 3'}

TREE = {'include/hepta.h': HEADER, 'src/toy.cxx': SOURCE, 'src/mat/toy.h': '#include "../shared/toy.h"\nstruct Toy {\n};\n', 'src/mat/blocked/toy.h': '#include "../toy.h"\nnamespace\n{\nstruct Toy {\n};\n} // namespace\n', 'README.md': README, 'docs/guide.md': '# Guide\n', 'docs/papers.md': PAPERS, 'examples/toy.cxx': 'static const char *const type = "-mat_type";\n', 'examples/CMakeLists.txt': 'add_executable(toy toy.cxx)\n', 'bench/toy.cxx': 'static const char *const size = "-size";\n', 'bench/CMakeLists.txt': 'add_executable(toy toy.cxx)\n', 'bench/results/toy.md': BENCH, 'scripts/bundle_run.sh': '#   run.sh bench NAME\n', 'GNUmakefile': 'check:\n\ttrue\n', 'scripts/toy.sh': '# wide' * 30 + '\n'}

LONG = 'int Long(void)\n{\n' + '  if (1) ;\n' * 39 + '}\n'

# What is wrong, the file, a text in it, what stands there instead, and a part of what the check must say
FAULTS = [
    ('an option without a page', 'src/toy.cxx', '"-mat_toy_size", "S', '"-mat_toy_width", "S', 'option -mat_toy_width is on no manual page'),
    ('a page with an option nobody reads', 'include/hepta.h', '-mat_toy_size <4>', '-mat_toy_sizes <4>', 'option -mat_toy_sizes, which no code reads'),
    ('a message with an option nobody reads', 'src/toy.cxx', 'positive -mat_toy_size', 'positive -mat_toy_length', 'names option -mat_toy_length'),
    ('a README with an option nobody reads', 'README.md', '-mat_toy_size 3', '-mat_toy_length 3', 'names option -mat_toy_length'),
    ('a README with an option of an object inside nobody reads', 'README.md', '-mat_toy_mat_toy_size', '-mat_toy_mat_toy_length', 'names option -mat_toy_mat_toy_length'),
    ('a README with an option behind no prefix', 'README.md', '-mat_toy_ksp_type', '-mat_toy_kspp_type', 'names option -mat_toy_kspp_type'),
    ('a public function without a page', 'include/hepta.h', 'PETSC_EXTERN', 'PETSC_EXTERN PetscErrorCode HeptaOther(void);\nPETSC_EXTERN', 'function HeptaOther has no manual page'),
    ('a public type without a page', 'include/hepta.h', '#define', '#define MATOTHER "other"\n#define', 'type MATOTHER has no manual page'),
    ('a public enum without a page', 'include/hepta.h', '/*E', '/*', 'enum HeptaToyKind has no manual page'),
    ('a page of no public name', 'src/toy.cxx', 'HeptaToySetSize - Sets', 'HeptaToySetSizes - Sets', 'page HeptaToySetSizes is of no name'),
    ('a page that names what is not public', 'src/toy.cxx', '.seealso: `MATTOY`', '.seealso: `MATTOY`, `HeptaNone()`', 'names HeptaNone'),
    ('a function page without collectivity', 'src/toy.cxx', '  Logically Collective\n', '', 'says not whether it is collective'),
    ('a parameter that is not described', 'src/toy.cxx', '- n - the size\n', '', 'lacks parameter n'),
    ('an output parameter that is not described', 'src/toy.cxx', '. old - the size before\n', '', 'lacks parameter old'),
    ('a described parameter that is not there', 'src/toy.cxx', '- n - the size\n', '. n - the size\n- m - more\n', 'has parameter m'),
    ('a page without level', 'src/toy.cxx', '  Level: beginner\n', '', 'lacks Level'),
    ('a page without seealso', 'src/toy.cxx', '.seealso: `MATTOY`\n', '', 'lacks .seealso'),
    ('a type page without keys', 'include/hepta.h', 'Options Database Keys:', 'Options:', 'lacks section Options Database Keys'),
    ('a type page without an example', 'include/hepta.h', '     ./app -mat_type toy -mat_toy_size 5\n', '', 'lacks Example'),
    ('a type page that says not when to take it', 'include/hepta.h', '   When to take it:\n', '', 'lacks When to take it'),
    ('a type page without limits', 'include/hepta.h', '   Limits:\n', '', 'lacks Limits'),
    ('a type page with nothing below Limits', 'include/hepta.h', '   The size is positive.\n', '', 'lacks Limits'),
    ('a type page with an example of an option nobody reads', 'include/hepta.h', 'toy -mat_toy_size 5', 'toy -mat_toy_length 5', 'names option -mat_toy_length'),
    ('a type page without a source', 'include/hepta.h', ', section 2', '', 'lacks References'),
    ('an enum page without values', 'include/hepta.h', 'Values:', 'Value list:', 'lacks section Values'),
    ('a public structure without a page', 'include/hepta.h', '/*S', '/*', 'struct HeptaToyBox has no manual page'),
    ('a field that is not described', 'include/hepta.h', '-  height - of the box\n', '', 'lacks field height'),
    ('a described field that is not there', 'include/hepta.h', '-  height - of the box\n', '.  height - of the box\n-  depth - none\n', 'has field depth'),
    ('a matrix that knows a preconditioner', 'src/mat/toy.h', '../shared/toy.h', '../pc/toy.h', 'includes pc/toy.h, which src/mat must not know'),
    ('a base that knows a format', 'src/mat/blocked/toy.h', '../toy.h', '../bdia/toy.h', 'includes mat/bdia/toy.h, which src/mat/blocked must not know'),
    ('two types with one name', 'src/mat/blocked/toy.h', 'namespace\n{\nstruct Toy {\n};\n} // namespace', 'struct Toy {\n};', 'the type Toy is another one in'),
    ('a long file', 'src/toy.cxx', '#include', '\n' * 560 + '#include', 'lines, at most 600'),
    ('a wide line', 'src/toy.cxx', '#include', '/*' + ' ' * 127 + '*/\n#include', 'src/toy.cxx:1: 131 columns, at most 130'),
    ('a long function', 'src/toy.cxx', '#include <hepta.h>\n', LONG, 'function Long has 42 lines'),
    ('a long function that is no table', 'src/toy.cxx', '  A->ops->op7 =', '  if (1) A->ops->op7 =', 'function MatCreate_Toy'),
    ('an operation that may throw', 'src/toy.cxx', 'op7 = HeptaNoThrow<MatMult_Toy>', 'op7 = MatMult_Toy', 'PETSc gets MatMult_Toy without HeptaNoThrow'),
    ('one of two operations that may throw', 'src/toy.cxx', 'op7 = HeptaNoThrow<MatMult_Toy>', 'op7 = a ? HeptaNoThrow<MatMult_Toy> : SetSize', 'PETSc gets SetSize without HeptaNoThrow'),
    ('a composed function that may throw', 'src/toy.cxx', '  A->ops->op7 = HeptaNoThrow<MatMult_Toy>;', '  PetscObjectComposeFunction((PetscObject)A, "a_C", SetSize);', 'PETSc gets SetSize without HeptaNoThrow'),
    ('a table with a function that may throw', 'src/toy.cxx', '{HeptaNoThrow<MatMult_Toy>}', '{MatMult_Toy}', 'PETSc gets MatMult_Toy without HeptaNoThrow'),
    ('a public function that may throw', 'src/toy.cxx', 'HeptaNoThrow<SetSize>(A, n)', 'SetSize(A, n)', 'public function HeptaToySetSize may throw'),
    ('a block size that PETSc 3.22 may not have set', 'src/toy.cxx', 'PetscCall(Petsc', 'n = A->cmap->bs; PetscCall(Petsc', 'src/toy.cxx:6: cmap->bs is read by HeptaBlockSize()'),
    ('a link to nowhere', 'README.md', 'docs/guide.md', 'docs/guides.md', 'links to docs/guides.md'),
    ('a table that a blank line cuts', 'README.md', '| its size |\n', '| its size |\n\n', 'row of a table without head: | `-mat_type toy`'),
    ('a path to nowhere', 'README.md', '`src/*.cxx`', '`src/*.cu`', 'names src/*.cu'),
    ('a function that is not in its file', 'README.md', 'cxx:HeptaToySetSize', 'cxx:HeptaToySetSizes', 'names HeptaToySetSizes'),
    ('a function that its file calls and does not define', 'README.md', 'cxx:HeptaToySetSize', 'cxx:PetscCheck', 'names PetscCheck, which src/toy.cxx does not define'),
    ('an index that lacks a section', 'docs/papers.md', '| 1 introduction | - |\n', '', 'lacks section 1'),
    ('an index that has a section twice', 'docs/papers.md', '2.2, 3', '2.2, 2.1, 3', 'has section 2.1 twice'),
    ('an index in another order', 'docs/papers.md', '2 to 2.2, 3', '3, 2 to 2.2', 'another order'),
    ('an index with a section that the paper lacks', 'docs/papers.md', '2.2, 3', '2.2, 3, 3.1', 'the paper has no section 3.1'),
    ('an index with a row of no section', 'docs/papers.md', '| 1 introduction', '| introduction', 'begins with no section'),
    ('an index that says nothing of a section', 'docs/papers.md', '| - |', '| |', 'says nothing of 1'),
    ('an index without a paper', 'docs/papers.md', '## 000', '## 001', 'lacks the table of paper 000'),
    ('an index with a type that is not there', 'docs/papers.md', '`toy`', '`toys`', 'names toys'),
    ('an index with a value that is not there', 'docs/papers.md', '-mat_type toy', '-mat_type toys', 'names toys'),
    ('an index with an option that is not there', 'docs/papers.md', '-mat_type', '-mat_kind', 'names option -mat_kind'),
    ('an index with an option that a comment has', 'docs/papers.md', '-mat_toy_size', '-mat_toy_old', 'names option -mat_toy_old, which no code has'),
    ('an index with a function that is not there', 'docs/papers.md', 'SetSize()', 'SetSizes()', 'names function HeptaToySetSizes()'),
    ('an index with a name that is not there', 'docs/papers.md', 'TOY_A', 'TOY_C', 'names HEPTA_TOY_C'),
    ('an index with a program that is not there', 'docs/papers.md', 'examples/toy', 'examples/toys', 'names examples/toys'),
    ('a benchmark that is not there', 'bench/results/toy.md', '2 toy', '2 toys', 'bench/results/toy.md: runs bench/toys, which is no program'),
    ('a program that is not there', 'bench/results/toy.md', 'examples/toy', 'examples/toys', 'runs examples/toys, which is no program'),
    ('a benchmark with an option that it does not read', 'bench/results/toy.md', '-size', '-length', 'gives bench/toy the option -length'),
    ('a program with an option of another program', 'bench/results/toy.md', '-mat_type\n', '-size\n', 'gives examples/toy the option -size'),
    ('a program with an option that looks like PETSc\'s', 'bench/results/toy.md', '-ksp_type', '-kspp_type', 'the option -kspp_type'),
    ('a target with a variable that make lacks', 'bench/results/toy.md', 'make check', 'make tea', 'runs make tea'),
    ('a script that is not there', 'bench/results/toy.md', 'toy.sh 3', 'toys.sh 3', 'runs scripts/toys.sh'),
    ('a bundle that does something else', 'bench/results/toy.md', 'run.sh bench', 'run.sh work', 'runs run.sh work'),
    ('results with a link to nowhere', 'bench/results/toy.md', '# Times', '[times](none.md)', 'links to none.md'),
    ('a target that make lacks', 'README.md', 'make check', 'make coffee', 'names make coffee'),
    ('an excerpt of a file that is not there', 'README.md', '// src/toy.cxx: HeptaToySetSize', '# cmake/toy.cmake', 'which is not in cmake/toy.cmake'),
    ('an excerpt that is not in the code', 'README.md', 'PetscInt n, PetscInt *old)', 'PetscInt n)', 'which is not in src/toy.cxx'),
]
