/*
   The text of a tuning file: what its numbers were measured on, then a line for each number with what it means. hepta-tune writes it,
   the library reads it.
*/
#pragma once

#include <string>
#include <vector>

#include "hepta_hd.hxx"
#include "tuning.hxx"

namespace hepta
{

/* What the numbers of a file hold for */
struct TuningKey {
  std::string gpu;                  /* name */
  int         multiprocessors = 0;  /* of it, or of the part of it that processes have (MIG, MPS) */
  int         driver = 0, cuda = 0; /* versions as CUDA gives them: 13000 is 13.0 */
  std::string library;              /* Hepta's version */
};

/* A number by which programs predict times, which the library does not use */
struct ModelNumber {
  std::string name, text;
  double      value;
};

struct TuningFile {
  TuningKey                key;
  Tuning                   numbers;
  std::vector<ModelNumber> model;
};

/* A number of Tuning: its name in the file, and what it means */
using TuningMember = double Tuning::*;
struct TuningNumber {
  const char  *name, *text;
  TuningMember value;
};

const std::vector<TuningNumber> &tuning_numbers();

std::string write_tuning(const TuningFile &);
/* What is wrong with the text, or nothing */
std::string read_tuning(const std::string &text, TuningFile *);
/* How the machine `here` differs from the one that was measured, or nothing */
std::string difference(const TuningKey &measured, const TuningKey &here);
/* in words */
std::string describe(const TuningKey &);

/* The user's folder for such files, $XDG_CACHE_HOME/hepta or ~/.cache/hepta; empty if neither variable is set */
std::string tuning_folder();
/* The files tuning-*.txt of that folder, in the order of their names */
std::vector<std::string> tuning_paths();
/* *text <- what the file holds, if it is a regular one of at most a mebibyte that can be read */
bool read_text(const std::string &path, std::string *text);
/*
   The index of the file that holds for this machine, or -1: then *old <- that of one which is to be named, or -1: of the same GPU but another
   driver, CUDA or Hepta, or whichever was `given` by name
*/
int choose_tuning(const std::vector<TuningFile> &, const TuningKey &here, bool given, int *old);

/* The key of the current device */
Status tuning_key_cuda(TuningKey *);

} // namespace hepta
