/* HeptaMatAdvise(): what a matrix would cost in each format */
#pragma once

#include <memory>
#include <vector>

#include "hepta_lab.h"
#include "model.h"
#include "shared/heptaimpl.h"

/* Host or device, and what was measured there */
struct HeptaAdviceSpace {
  bool   there     = true; /* on all ranks */
  double bandwidth = 0;    /* bytes a second that a copy reads and writes, over all ranks */
  double launch    = 0;    /* seconds that a copy of one number takes */
};

/* The time of a product in seconds, negative if it is not known */
struct HeptaAdviceTime {
  double estimated = -1, measured = -1;
  bool   refused = false; /* the conversion or the product raised an error */
};

enum class HeptaMatFormat {
  aij,
  baij,
  bdia,
  brow,
  sell
};

struct HeptaCandidate {
  HeptaMatFormat  format;
  PetscInt        bs      = 0;     /* block or tile size, 0 where there is none */
  double          bytes   = 0;     /* values and indices, over all ranks */
  double          slots   = 0;     /* values, including the zeros that fill blocks */
  double          offsets = 0;     /* bdia: block offsets, the maximum over the ranks */
  bool            ordered = false; /* are rows and columns permuted by HeptaAdvice::order? */
  std::string     misfit;          /* the limit that it exceeds; empty if it fits */
  HeptaAdviceTime time[2];         /* host, device */

  explicit HeptaCandidate(HeptaMatFormat f, PetscInt size = 0) : format(f), bs(size) {}
};

struct HeptaAdvice {
  MPI_Comm                    comm;
  Mat                         aij     = nullptr; /* the matrix, for MatGetRow() */
  double                      entries = 0;
  PetscBool                   measure = PETSC_FALSE;
  HeptaAdviceSpace            space[2]; /* host, device */
  std::vector<HeptaCandidate> candidates;
  std::unique_ptr<HeptaModel> model;                  /* of this GPU, or of that of a file; null: there is none */
  PetscBool                   predict    = PETSC_FALSE; /* iterations */
  std::string                 grid;                     /* -pc_gridmg_grid, empty: not given */
  PetscInt                    iterations = 0;           /* of a solve; 0: not given, -1: to be estimated */
  std::vector<PetscInt>       order; /* of rows and columns, in which tiles are denser; empty if none saves enough */
};

/* the type on the host or the device, null where there is none */
MatType HeptaMatFormatType(HeptaMatFormat, bool device);
/* the options that make such a matrix */
std::string HeptaCandidateOptions(const HeptaCandidate &, bool device);

/* All collective */
/* the candidates, with bytes, slots and whether they fit */
PETSC_INTERN PetscErrorCode HeptaAdviceCount(HeptaAdvice &);
/* the bandwidths of host and device, measured at the first call */
PETSC_INTERN PetscErrorCode HeptaAdviceBandwidths(HeptaAdvice &);
/* converts to each candidate that fits and times its product */
PETSC_INTERN PetscErrorCode HeptaAdviceMeasure(HeptaAdvice &);
PETSC_INTERN PetscErrorCode HeptaAdviceReport(const HeptaAdvice &, PetscViewer);
/* what iterations would take */
PETSC_INTERN PetscErrorCode HeptaAdvicePredict(const HeptaAdvice &, PetscViewer);
/* *B <- W, of type aij, converted to the candidate. The block size of W is set to the candidate's for formats that take theirs from W, otherwise to `given`. After an error, which all ranks have, *B may exist. */
PETSC_INTERN PetscErrorCode HeptaAdviceConvert(Mat W, PetscInt given, const HeptaCandidate &, bool device, Mat *B);
