/*
   Meshes of the elasticity example: a DMPlex of tetrahedra, made without a mesh generator, or a DMDA of hexahedra
*/
#include "elasticity.h"
#include <petscdmda.h>
#include <petscdmplex.h>

/* Six tetrahedra of a box, each along three edges from its first corner to the opposite one (Kuhn): neighboring boxes fit */
static void SplitBox(const PetscInt corner[], PetscInt tets[])
{
  const PetscInt axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};

  for (PetscInt t = 0; t < 6; t++) {
    const PetscInt one = 1 << axes[t][0], two = one | 1 << axes[t][1];

    tets[4 * t] = corner[0];
    tets[4 * t + 1] =
      corner[t < 3 ? one : two]; /* the later three are mirror images: the exchange of two nodes turns them round */
    tets[4 * t + 2] = corner[t < 3 ? two : one];
    tets[4 * t + 3] = corner[7];
  }
}

/* Corner c of box b, where z runs fastest: c's bits are its steps along x, y and z */
static PetscInt Corner(const PetscInt cells[], PetscInt b, PetscInt c)
{
  const PetscInt k = b % cells[2], j = b / cells[2] % cells[1], i = b / cells[2] / cells[1];

  return ((i + (c & 1)) * (cells[1] + 1) + j + (c >> 1 & 1)) * (cells[2] + 1) + k + (c >> 2);
}

/* The first of n things that a process gets, and how many it gets */
static PetscErrorCode Split(MPI_Comm comm, PetscInt n, PetscInt *first, PetscInt *count)
{
  PetscInt end;

  PetscFunctionBeginUser;
  *count = PETSC_DECIDE;
  PetscCall(PetscSplitOwnership(comm, count, &n));
  PetscCallMPI(MPI_Scan(count, &end, 1, MPIU_INT, MPI_SUM, comm));
  *first = end - *count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each process makes the tetrahedra of its own boxes; x varies slowest, so that its boxes are a piece of the beam */
static PetscErrorCode PlexCreate(MPI_Comm comm, const Beam *beam, DM *dm)
{
  const PetscInt *m = beam->cells, planes[3] = {m[0] + 1, m[1] + 1, m[2] + 1};
  PetscInt        b, boxes, v, vertices, corner[8];

  PetscFunctionBeginUser;
  PetscCall(Split(comm, m[0] * m[1] * m[2], &b, &boxes));
  PetscCall(Split(comm, planes[0] * planes[1] * planes[2], &v, &vertices));
  std::vector<PetscInt>  tets(24 * boxes + 1);
  std::vector<PetscReal> x(3 * vertices + 1);

  for (PetscInt e = 0; e < boxes; e++) {
    for (PetscInt c = 0; c < 8; c++) corner[c] = Corner(m, b + e, c);
    SplitBox(corner, &tets[24 * e]);
  }
  for (PetscInt k = 0; k < vertices; k++) {
    const PetscInt at[3] = {(v + k) / planes[2] / planes[1], (v + k) / planes[2] % planes[1], (v + k) % planes[2]};

    for (PetscInt c = 0; c < 3; c++) x[3 * k + c] = at[c] * beam->size[c] / m[c];
  }
  PetscCall(DMPlexCreateFromCellListParallelPetsc(comm, 3, 6 * boxes, vertices, PETSC_DECIDE, 4, PETSC_FALSE, tets.data(), 3,
                                                  x.data(), NULL, NULL, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One field, three unknowns at each vertex; its name stays empty, because PETSc's VTK files append it to the vector's */
static PetscErrorCode PlexSetUnknowns(DM dm, PetscInt first, PetscInt end)
{
  PetscSection section;

  PetscFunctionBeginUser;
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)dm), &section));
  PetscCall(PetscSectionSetNumFields(section, 1));
  PetscCall(PetscSectionSetFieldName(section, 0, ""));
  PetscCall(PetscSectionSetFieldComponents(section, 0, 3));
  PetscCall(PetscSectionSetChart(section, first, end));
  for (PetscInt v = first; v < end; v++) {
    PetscCall(PetscSectionSetDof(section, v, 3));
    PetscCall(PetscSectionSetFieldDof(section, v, 0, 3));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices are a cell's cone, since the mesh has neither faces nor edges; node k is the vertex whose unknowns begin at 3 k */
static PetscErrorCode PlexElements(Mesh *mesh)
{
  PetscInt           cell, end, first, last, offset, at;
  PetscSection       section, places;
  Vec                coordinates;
  const PetscInt    *cone;
  const PetscScalar *x;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetHeightStratum(mesh->dm, 0, &cell, &end));
  PetscCall(DMPlexGetDepthStratum(mesh->dm, 0, &first, &last));
  PetscCall(PlexSetUnknowns(mesh->dm, first, last));
  PetscCall(DMGetLocalSection(mesh->dm, &section));
  mesh->n        = 4;
  mesh->elements = end - cell;
  mesh->x.resize(3 * (last - first));
  for (PetscInt c = cell; c < end; c++) {
    PetscCall(DMPlexGetCone(mesh->dm, c, &cone));
    for (PetscInt a = 0; a < 4; a++) {
      PetscCall(PetscSectionGetOffset(section, cone[a], &offset));
      mesh->node.push_back(offset / 3);
    }
  }
  PetscCall(DMGetCoordinateSection(mesh->dm, &places));
  PetscCall(DMGetCoordinatesLocal(mesh->dm, &coordinates));
  PetscCall(VecGetArrayRead(coordinates, &x));
  for (PetscInt v = first; v < last; v++) {
    PetscCall(PetscSectionGetOffset(section, v, &offset));
    PetscCall(PetscSectionGetOffset(places, v, &at));
    for (PetscInt c = 0; c < 3; c++) mesh->x[offset + c] = PetscRealPart(x[at + c]);
  }
  PetscCall(VecRestoreArrayRead(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BoxCreate(MPI_Comm comm, const Beam *beam, DM *da)
{
  PetscFunctionBeginUser;
  PetscCall(DMDACreate(comm, da));
  PetscCall(DMSetDimension(*da, 3));
  PetscCall(DMDASetSizes(*da, beam->cells[0] + 1, beam->cells[1] + 1, beam->cells[2] + 1));
  PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_BOX));
  PetscCall(DMDASetDof(*da, 3));
  PetscCall(DMDASetStencilWidth(*da, 1));
  PetscCall(DMDASetElementType(*da, DMDA_ELEMENT_Q1));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscCall(DMDASetUniformCoordinates(*da, 0, beam->size[0], 0, beam->size[1], 0, beam->size[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BoxElements(Mesh *mesh)
{
  const PetscInt    *node;
  const PetscScalar *x;
  PetscInt           size;
  Vec                coordinates;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetElements(mesh->dm, &mesh->elements, &mesh->n, &node));
  mesh->node.assign(node, node + mesh->elements * mesh->n);
  PetscCall(DMDARestoreElements(mesh->dm, &mesh->elements, &mesh->n, &node));
  mesh->elements = (PetscInt)mesh->node.size() / 8;
  mesh->n        = 8;
  PetscCall(DMGetCoordinatesLocal(mesh->dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArrayRead(coordinates, &x));
  mesh->x.assign(x, x + size);
  PetscCall(VecRestoreArrayRead(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshCreate(MPI_Comm comm, const Beam *beam, Mesh *mesh)
{
  PetscFunctionBeginUser;
  PetscCall(beam->tets ? PlexCreate(comm, beam, &mesh->dm) : BoxCreate(comm, beam, &mesh->dm));
  PetscCall(beam->tets ? PlexElements(mesh) : BoxElements(mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeshDestroy(Mesh *mesh)
{
  PetscFunctionBeginUser;
  PetscCall(DMDestroy(&mesh->dm));
  mesh->node.clear();
  mesh->x.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}
