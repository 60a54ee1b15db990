/*
   The clamped beam of the elasticity example: stiffness matrix, loads, rigid-body modes, and what beam theory says
*/
#include "elasticity.h"

/* Coordinates of an element's nodes, 3 each, and their mean */
static void GetElement(const Mesh *mesh, PetscInt e, PetscReal x[], PetscReal center[])
{
  for (PetscInt c = 0; c < 3; c++) center[c] = 0;
  for (PetscInt a = 0; a < mesh->n; a++) {
    for (PetscInt c = 0; c < 3; c++) {
      x[3 * a + c] = mesh->x[3 * mesh->node[e * mesh->n + a] + c];
      center[c] += x[3 * a + c] / mesh->n;
    }
  }
}

/* The inclusion is a bar: a quarter of the beam's length, from a quarter on, and the inner half of its width and height */
static PetscBool InInclusion(const Beam *beam, const PetscReal center[])
{
  const PetscReal r[3] = {center[0] / beam->size[0], center[1] / beam->size[1], center[2] / beam->size[2]};

  return (PetscBool)(r[0] > 0.249 && r[0] < 0.501 && PetscAbsReal(r[1] - 0.5) < 0.251 && PetscAbsReal(r[2] - 0.5) < 0.251);
}

static PetscBool IsClamped(const PetscReal x[])
{
  return (PetscBool)(x[0] <= 0);
}

/* The clamped displacement is zero, so nothing goes to the right-hand side; diagonal entries stay, of the others' size */
static void ClampElement(PetscInt n, const PetscReal x[], PetscScalar K[])
{
  for (PetscInt i = 0; i < 3 * n; i++) {
    for (PetscInt j = 0; j < 3 * n; j++) {
      if (i != j && (IsClamped(&x[i / 3 * 3]) || IsClamped(&x[j / 3 * 3]))) K[i * 3 * n + j] = 0;
    }
  }
}

PetscErrorCode BeamStiffness(const Beam *beam, const Mesh *mesh, PetscBool clamped, Mat A)
{
  const PetscReal nu = beam->poisson, shear = beam->young / (2 * (1 + nu));
  PetscScalar     K[9 * ELEMENT_NODES * ELEMENT_NODES];
  PetscReal       x[3 * ELEMENT_NODES], center[3];

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *node = &mesh->node[e * mesh->n];

    GetElement(mesh, e, x, center);
    const PetscReal factor  = InInclusion(beam, center) ? beam->stiff : 1;
    const PetscReal lame[2] = {factor * shear * 2 * nu / (1 - 2 * nu), factor * shear};

    ElementStiffness(mesh->n, x, lame, K);
    if (clamped) ClampElement(mesh->n, x, K);
    PetscCall(MatSetValuesBlockedLocal(A, mesh->n, node, mesh->n, node, K, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  if (clamped) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The nodes of an element on the face x = size[0], of which a tetrahedron with a side there has three and a hexahedron four,
   and the share of that side that each has
*/
static PetscInt EndShares(const Beam *beam, PetscInt n, const PetscReal x[], PetscInt at[], PetscReal *share)
{
  PetscInt m = 0;

  for (PetscInt a = 0; a < n; a++) {
    if (x[3 * a] > beam->size[0] * (1 - 0.5 / beam->cells[0])) at[m++] = a;
  }
  if (m < 3) return 0;
  const PetscReal *o = &x[3 * at[0]], *p = &x[3 * at[1]], *q = &x[3 * at[2]]; /* a hexahedron's third is above its first */

  *share = PetscAbsReal((p[1] - o[1]) * (q[2] - o[2]) - (p[2] - o[2]) * (q[1] - o[1])) / (n == 4 ? 6 : 4);
  return m;
}

/* Adds -value along z at a node */
static PetscErrorCode AddDown(Vec b, PetscInt node, PetscReal value)
{
  const PetscScalar down[3] = {0, 0, -value};

  PetscFunctionBeginUser;
  PetscCall(VecSetValuesBlockedLocal(b, 1, &node, down, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeamLoads(const Beam *beam, const Mesh *mesh, Vec weight, Vec end)
{
  const PetscReal area = beam->size[1] * beam->size[2], volume = area * beam->size[0];
  PetscReal       x[3 * ELEMENT_NODES], center[3], share[ELEMENT_NODES], side = 0;
  PetscInt        at[ELEMENT_NODES];

  PetscFunctionBeginUser;
  for (PetscInt e = 0; e < mesh->elements; e++) {
    const PetscInt *node = &mesh->node[e * mesh->n];

    GetElement(mesh, e, x, center);
    ElementShares(mesh->n, x, share);
    for (PetscInt a = 0; a < mesh->n; a++) {
      if (!IsClamped(&x[3 * a])) PetscCall(AddDown(weight, node[a], share[a] / volume));
    }
    const PetscInt m = EndShares(beam, mesh->n, x, at, &side);

    for (PetscInt k = 0; k < m; k++) PetscCall(AddDown(end, node[at[k]], side / area));
  }
  for (Vec b : {weight, end}) {
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeamRigidModes(const Mesh *mesh, Mat A, MatNullSpace *modes, PetscReal *largest)
{
  const Vec *mode;
  Vec        coordinates, x, y;
  PetscInt   n;
  PetscReal  norm, all;

  PetscFunctionBeginUser;
  PetscCall(DMGetCoordinates(mesh->dm, &coordinates));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecCopy(coordinates, x)); /* modes are vectors of the matrix's type */
  PetscCall(MatNullSpaceCreateRigidBody(x, modes));
  PetscCall(MatNullSpaceGetVecs(*modes, NULL, &n, &mode));
  PetscCall(MatNorm(A, NORM_INFINITY, &all));
  *largest = 0;
  for (PetscInt k = 0; k < n; k++) { /* of length 1 */
    PetscCall(MatMult(A, mode[k], y));
    PetscCall(VecNorm(y, NORM_2, &norm));
    *largest = PetscMax(*largest, norm / all);
  }
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bending, F L^3 / (3 E I) or F L^3 / (8 E I), and shear, F L / (k G A) or half of it, with Cowper's k of a rectangle */
PetscReal BeamTheory(const Beam *beam)
{
  const PetscReal L = beam->size[0], E = beam->young, nu = beam->poisson, G = E / (2 * (1 + nu));
  const PetscReal area = beam->size[1] * beam->size[2], moment = area * beam->size[2] * beam->size[2] / 12;
  const PetscReal k = 10 * (1 + nu) / (12 + 11 * nu);

  return beam->force * (L * L * L / ((beam->end ? 3 : 8) * E * moment) + L / ((beam->end ? 1 : 2) * k * G * area));
}
