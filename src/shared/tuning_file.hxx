/*
   The text of a tuning file, which hepta-tune writes and the library reads: the measured machine, then a line for each number
   with its meaning
*/
#pragma once

#include <string>
#include <vector>

#include "hepta_hd.hxx"
#include "tuning.hxx"

namespace hepta
{

/* The machine that the numbers of a file hold for */
struct TuningKey {
  std::string gpu;                  /* name */
  int         multiprocessors = 0;  /* of the GPU, or of the part that processes have (MIG, MPS) */
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
/* How the machine `here` differs from the measured machine, or nothing */
std::string difference(const TuningKey &measured, const TuningKey &here);
/* in words */
std::string describe(const TuningKey &);

/* The user's folder for tuning files, $XDG_CACHE_HOME/hepta or ~/.cache/hepta; empty if neither variable is set */
std::string tuning_folder();
/* The files tuning-*.txt of the user's folder, in the order of their names */
std::vector<std::string> tuning_paths();
/* *text <- the text of the file, if the file is regular, readable and at most a mebibyte long */
bool read_text(const std::string &path, std::string *text);
/*
   The index of the file that holds for this machine, or -1. After -1, *old <- the index of a file to name to the user, or -1: a
   file of the same GPU but another driver, CUDA or Hepta, or any file that was `given` by name.
*/
int choose_tuning(const std::vector<TuningFile> &, const TuningKey &here, bool given, int *old);

/* The key of the current device */
Status tuning_key_cuda(TuningKey *);

} // namespace hepta
