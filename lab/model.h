/* Times that are predicted from what hepta-tune has measured */
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <petscmat.h>

#include "shared/tuning_file.hxx"

/*
   The throughput of kernels that move x bytes, B(x) = nu / (1 + exp(-(log2 x - mu) / sigma)): M. Verschoor and A. C. Jalba,
   Parallel Computing 38 (2012), eq. 3, with bytes in place of elements. With sigma = 1 / ln 2 the time is latency + bytes /
   bandwidth, with latency 2^mu / nu. Measured times are met exactly. Between two measured times the logarithm of time over bytes
   / B is linear. Beyond the last measured time the time is linear, with the slope of the last two times, since a sigmoid fitted
   to small sizes expects too much of large sizes.
*/
struct HeptaThroughput {
  double                                 mu = 0, sigma = 0, nu = 0; /* nu: bytes a microsecond */
  double                                 off = 0;                   /* see Uncertainty() */
  std::vector<std::pair<double, double>> measured;                  /* bytes and microseconds, by ascending bytes */

  double Fitted(double bytes) const { return bytes / nu * (1 + std::exp(-(std::log2(bytes) - mu) / sigma)); }
  double Time(double bytes) const;
  /*
     As well for a matrix of other bytes than those that were measured, `usual` for as many rows: a kernel without much work takes
     a time that depends on its rows, and further bytes take that of long arrays
  */
  double Time(double bytes, double usual) const
  {
    return bytes <= usual ? Time(bytes) : std::min(Time(bytes), Time(usual) + (bytes - usual) * Slope());
  }
  /* `bytes`, or between the two measured bytes about `step`, where times jump, the measured bytes on the same side */
  double Aside(double bytes, double step) const;
  /* root mean square error of logarithms of measured times, each time predicted from its neighbors */
  double Uncertainty() const;
  /* microseconds of a byte more, beyond the last measured time */
  double Slope() const;
  /* bytes at which a cache ends: between the neighboring measured times of which the later is the most times the earlier */
  double Jump() const;

private:
  /* of the logarithm of Fitted(), without the measured time number `but` */
  double Correction(double bytes, size_t but) const;
};

/* *B <- the throughput whose times are nearest to us[k] for bytes[k], by least squares of logarithms */
PetscErrorCode HeptaThroughputFit(const std::vector<double> &bytes, const std::vector<double> &us, HeptaThroughput *B);

/* The errors of predicted times over the error of the fit: root mean square of 42 matrices on an H200 */
constexpr double hepta_model_spread = 1.2;
/* The same of products of aijcusparse, for which hepta-tune measures 0.1 more than advise does: not over the error of the fit */
constexpr double hepta_model_off_aij = 0.12;
/* Rows up to which a pass of an iteration is one thread block, which hands no sums to another */
constexpr double hepta_model_block = 1024;

/*
   A Krylov method with a preconditioner, and the traffic of an iteration: `matrices` times the matrix, `vectors` vectors, `more`
   bytes a row; on several GPUs `exchanges` exchanges of ghost values and of sums between two passes. The unit is the exchange of
   fusedcg with jacobi, as measured by hepta-tune; other methods' multiples come from two H200s. The memory: the matrix, as much
   again `copies` times, and `kept` bytes a row, x and b included.
*/
struct HeptaModelMethod {
  const char *name, *options;
  double      matrices, vectors, more, exchanges;
  bool        sets_up;     /* is its set-up for new values worth a prediction? */
  bool        of_grids;    /* does it take operators of grids alone? */
  PetscInt    least, most; /* rows for which the library chooses it; 0: for any number */
  double      copies, kept;

  bool Holds(PetscInt rows) const { return rows >= least && (!most || rows <= most); }
};
extern const std::vector<HeptaModelMethod> hepta_model_methods;

/*
   A method that hepta-tune does not measure, as a sum: multiples of measured methods, of fusedcg_icc too, and applications of ip
   between passes. by_rows: for matrices that do not fit bdia alone, with which ip multiplies by blocked rows, in place of the
   measured method
*/
struct HeptaModelSum {
  const char                                  *name, *options;
  std::vector<std::pair<const char *, double>> methods;
  double                                       applications;
  bool                                         by_rows;
};
extern const std::vector<HeptaModelSum> hepta_model_sums;
extern const std::vector<HeptaModelSum> hepta_model_factored; /* with the triangles of icc */
/* The measured method of this name */
const HeptaModelMethod           &HeptaModelFind(const std::string &name);
extern const std::vector<MatType> hepta_model_types; /* whose products are predicted */

/* Bytes of a 7-point matrix of a cube of cells, of which hepta-tune measures the throughputs */
double HeptaModelGridBytes(const std::string &type, double rows);
/* Bytes of an iteration with a matrix of so many bytes; axes: of the grid, of fewer of which gridmg reads fewer couplings */
double HeptaModelBytes(const HeptaModelMethod &, double matrix, double rows, double axes = 3);

struct HeptaModel {
  hepta::TuningFile file;

  /* threads that keep the GPU busy */
  double BusyThreads() const { return (double)file.key.multiprocessors * hepta::whole(file.numbers.busy_threads); }

  /* of a product with so many block diagonals, see advise_chain.hxx */
  double ChainOfDiagonals(double rows, double bs, double offsets) const;
  /* bytes that the second-level cache keeps from product to product, infinitely many if unknown */
  double Cache() const;
  /* of the file's lines `model`, 0 if the file has none of this name */
  double Number(const std::string &name) const;
  /* of "product_<type>", or "iteration_<format>_<method>" and "setup_..." for bdia and brow; false if the file has none */
  bool Find(const std::string &what, HeptaThroughput *) const;
};

/* A matrix that is multiplied, or a part of one. slots: values that are stored; bs: of blocks or tiles */
struct HeptaModelMatrix {
  std::string type;
  double      rows = 0, bytes = 0, slots = 0, bs = 1;
  double      chain = -1; /* see HeptaCandidate, negative: as for the cubes of hepta-tune */
  bool        alone = false;
};

/* Microseconds of a product, 0 if the file has no throughput of its type */
double HeptaModelProduct(const HeptaModel &, const HeptaModelMatrix &);

/* A triangle of an incomplete factor. fetched: rows that chunks take from other chunks, summed over the chunks */
struct HeptaModelTriangle {
  double rows, entries, levels, fetched;

  /* the chunks in which bbs arranges so many rows */
  static double Chunks(const hepta::TuningFile &, double rows);
  /* microseconds of a solve by bbs */
  double Time(const hepta::TuningFile &) const;
};

/* path: of a tuning file, or empty for the user's file of this GPU, if found. The first process reads the file. Collective. */
PetscErrorCode HeptaModelLoad(MPI_Comm, const std::string &path, HeptaModel *, bool *found);
/* The numbers of a throughput, as lines of a tuning file */
void HeptaModelAdd(const std::string &what, const HeptaThroughput &, hepta::TuningFile *);
