/* HeptaMatAdvise(): the cost of a matrix in each format */
#pragma once

#include <memory>
#include <vector>

#include "hepta_lab.h"
#include "model.h"
#include "shared/heptaimpl.h"

/* Host or device, with its measurements */
struct HeptaAdviceSpace {
  bool   there     = true; /* on all ranks */
  double bandwidth = 0;    /* bytes a second that a copy reads and writes, over all ranks */
  double launch    = 0;    /* seconds that a copy of one number takes */
};

/* The time of a product in seconds, negative if it is not known */
struct HeptaAdviceTime {
  double estimated = -1, measured = -1;
  double off     = 0;     /* uncertainty of the logarithm of the estimated time, by a tuning file; 0: not known */
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
  HeptaMatFormat format;
  PetscInt       bs      = 0; /* block or tile size, 0 where there is none */
  double         bytes   = 0; /* values and indices, over all ranks */
  double         slots   = 0; /* values, including the zeros that fill blocks */
  double         offsets = 0; /* bdia: block offsets, the maximum over the ranks */
  /* loads of a thread that wait for each other, see advise_chain.hxx; 0: not counted */
  double          chain   = 0;
  double          alone   = 0;     /* brow: block rows that stand alone */
  bool            ordered = false; /* are rows and columns permuted by HeptaAdvice::order? */
  std::string     misfit;          /* the limit that the candidate exceeds; empty if the candidate fits */
  HeptaAdviceTime time[2];         /* host, device */

  /* this part of a matrix with so many rows, on the device of the model */
  HeptaModelMatrix Model(const HeptaModel &, double rows, double part) const;

  explicit HeptaCandidate(HeptaMatFormat f, PetscInt size = 0) : format(f), bs(size) {}
};

struct HeptaAdvice {
  MPI_Comm                    comm;
  Mat                         aij     = nullptr; /* the matrix, for MatGetRow() */
  double                      entries = 0;
  PetscBool                   measure = PETSC_FALSE; /* products and, if predicted, iterations */
  HeptaAdviceSpace            space[2];              /* host, device */
  std::vector<HeptaCandidate> candidates;
  std::unique_ptr<HeptaModel> model;                 /* of this GPU, or of a file's GPU; null: no model */
  PetscBool                   predict = PETSC_FALSE; /* iterations */
  PetscBool                   iterate = PETSC_FALSE; /* measure iterations, products or not */
  std::string                 grid;                  /* -pc_gridmg_grid, empty: not given */
  double                      axes       = 3;        /* of the grid, along which it has several cells */
  PetscInt                    iterations = 0;        /* of a solve; 0: not given, -1: to be estimated */
  std::vector<PetscInt>       order;                 /* of rows and columns, for denser tiles; empty if no order saves enough */
};

/* the type on the host or the device, null where there is none */
MatType HeptaMatFormatType(HeptaMatFormat, bool device);
/* the options that make a matrix of the candidate's format */
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
/*
   *B <- W, of type aij, converted to the candidate. W gets the candidate's block size for formats that take W's block size,
   otherwise `given`. After an error, raised on all ranks, *B may exist.
*/
PETSC_INTERN PetscErrorCode HeptaAdviceConvert(Mat W, PetscInt given, const HeptaCandidate &, bool device, Mat *B);
