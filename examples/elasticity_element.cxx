/*
   Elements of the elasticity example: tetrahedra with linear and hexahedra with trilinear shape functions
*/
#include "elasticity.h"

/* A point of a quadrature: weight times the Jacobian's determinant, shape functions and their gradients in x, y, z */
typedef struct {
  PetscReal weight, value[ELEMENT_NODES], gradient[ELEMENT_NODES][3];
} Point;

/* Shape functions and their slopes along the sides of the reference element at point p; the weight on that element */
static PetscReal Reference(PetscInt n, PetscInt p, PetscReal value[], PetscReal slope[][3])
{
  const PetscReal gauss[2] = {(PetscReal)0.21132486540518713, (PetscReal)0.78867513459481287}; /* (1 -+ 1/sqrt(3))/2 */
  const PetscInt  turn[4]  = {0, 1, 3, 2};                                                     /* round a face */

  for (PetscInt a = 0; a < n && n == 4; a++) { /* the center: 1 - r - s - t, r, s, t */
    value[a] = 0.25;
    for (PetscInt c = 0; c < 3; c++) slope[a][c] = a ? a == c + 1 : -1;
  }
  for (PetscInt a = 0; a < n && n == 8; a++) { /* products of r or 1 - r, s or 1 - s, t or 1 - t */
    const PetscInt corner = turn[a % 4] + a / 4 * 4;
    PetscReal      f[3];

    for (PetscInt c = 0; c < 3; c++) f[c] = corner >> c & 1 ? gauss[p >> c & 1] : 1 - gauss[p >> c & 1];
    value[a] = f[0] * f[1] * f[2];
    for (PetscInt c = 0; c < 3; c++) slope[a][c] = (corner >> c & 1 ? 1 : -1) * f[(c + 1) % 3] * f[(c + 2) % 3];
  }
  return n == 4 ? (PetscReal)1 / 6 : (PetscReal)1 / 8;
}

/* J[r][c] = slope of coordinate c along side r; gradient = J^-1 slope by cofactors */
static void PointGet(PetscInt n, const PetscReal x[], PetscInt p, Point *q)
{
  PetscReal slope[ELEMENT_NODES][3], J[3][3] = {}, I[3][3], det = 0;

  const PetscReal weight = Reference(n, p, q->value, slope);
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt r = 0; r < 3; r++) {
      for (PetscInt c = 0; c < 3; c++) J[r][c] += slope[a][r] * x[3 * a + c];
    }
  }
  for (PetscInt r = 0; r < 3; r++) {
    const PetscInt s = (r + 1) % 3, t = (r + 2) % 3;

    for (PetscInt c = 0; c < 3; c++) {
      const PetscInt d = (c + 1) % 3, e = (c + 2) % 3;

      I[c][r] = J[s][d] * J[t][e] - J[s][e] * J[t][d];
    }
    det += J[r][0] * I[0][r];
  }
  q->weight = weight * PetscAbsReal(det);
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt c = 0; c < 3; c++)
      q->gradient[a][c] = (I[c][0] * slope[a][0] + I[c][1] * slope[a][1] + I[c][2] * slope[a][2]) / det;
  }
}

void ElementStiffness(PetscInt n, const PetscReal x[], const PetscReal lame[], PetscScalar K[])
{
  const PetscInt ld = 3 * n;
  Point          q;

  for (PetscInt k = 0; k < ld * ld; k++) K[k] = 0;
  for (PetscInt p = 0; p < (n == 4 ? 1 : 8); p++) {
    PointGet(n, x, p, &q);
    for (PetscInt a = 0; a < n; a++) {
      for (PetscInt b = 0; b < n; b++) {
        const PetscReal *g = q.gradient[a], *h = q.gradient[b], mixed = lame[1] * (g[0] * h[0] + g[1] * h[1] + g[2] * h[2]);

        for (PetscInt i = 0; i < 3; i++) {
          for (PetscInt j = 0; j < 3; j++) {
            K[(3 * a + i) * ld + 3 * b + j] += q.weight * (lame[0] * g[i] * h[j] + lame[1] * g[j] * h[i] + (i == j ? mixed : 0));
          }
        }
      }
    }
  }
}

void ElementShares(PetscInt n, const PetscReal x[], PetscReal share[])
{
  Point q;

  for (PetscInt a = 0; a < n; a++) share[a] = 0;
  for (PetscInt p = 0; p < (n == 4 ? 1 : 8); p++) {
    PointGet(n, x, p, &q);
    for (PetscInt a = 0; a < n; a++) share[a] += q.weight * q.value[a];
  }
}
