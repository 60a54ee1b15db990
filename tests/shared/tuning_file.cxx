/* The text of a tuning file: what is written is read, and what is damaged is named */
#include <gtest/gtest.h>

#include "shared/tuning_file.hxx"

using namespace hepta;

namespace
{

TuningFile example()
{
  TuningFile file;

  file.key                   = {"NVIDIA H200", 132, 13000, 12080, "0.1.0"};
  file.numbers.recording     = 4.25;
  file.numbers.mpi_bandwidth = 1 / 3.;
  file.model                 = {{"copy", "bytes a microsecond", 4.1e6}, {"copy", "again", 5}};
  return file;
}

/* What the reader says of the example with one text in place of another */
std::string with(const std::string &from, const std::string &to)
{
  std::string text = write_tuning(example());
  TuningFile  file;

  EXPECT_NE(text.find(from), std::string::npos) << from;
  return read_tuning(text.replace(text.find(from), from.size(), to), &file);
}

} // namespace

TEST(TuningFile, IsReadAsWritten)
{
  TuningFile        file;
  const std::string text = write_tuning(example());

  EXPECT_EQ(read_tuning("# a line before\n" + text, &file), "");
  EXPECT_EQ(write_tuning(file), text);
  EXPECT_EQ(file.key.gpu, "NVIDIA H200");
  EXPECT_EQ(file.key.cuda, 12080);
  EXPECT_EQ(file.numbers.recording, 4.25);
  EXPECT_NEAR(file.numbers.mpi_bandwidth, 1 / 3., 1e-9);
  ASSERT_EQ(file.model.size(), 2U);
  EXPECT_EQ(file.model[1].text, "again");
  for (const TuningNumber &n : tuning_numbers())
    EXPECT_NE(text.find("\n" + std::string(n.name) + " "), std::string::npos) << n.name;
  EXPECT_EQ(tuning_numbers().size() * sizeof(double), sizeof(Tuning)); /* each number of Tuning has a line */
}

TEST(TuningFile, DamageIsNamed)
{
  EXPECT_EQ(with("hepta tuning 1", "hepta tuning 2"), "its first line is not \"hepta tuning 1\"");
  EXPECT_EQ(with("recording 4.25", "recording -4"),
            "line 9: recording is \"-4 # microseconds to launch a recording of iterations\", not a number from 1e-9 to 1e9");
  EXPECT_NE(with("recording 4.25", "recording nan"), "");
  EXPECT_NE(with("recording 4.25", "recording 1e300"), "");
  EXPECT_NE(with("recording 4.25", "recording 4 25"), "");
  EXPECT_NE(with("recording 4.25", "recording"), "");
  EXPECT_EQ(with("recording 4.25", "recordings 4.25"), "line 9: there is no number recordings");
  EXPECT_EQ(with("recording 4.25", "pass 4.25"), "line 9: pass stands there twice");
  EXPECT_EQ(with("model copy 4100000", "model copy"),
            "line 38: model \"copy # bytes a microsecond\" is not a name and a number from 1e-9 to 1e9");
  EXPECT_EQ(with("end\n", ""), "it has no line \"end\": a part of it is lost");
  EXPECT_EQ(with("driver 13000\n", ""), "it has no line \"driver\"");
  EXPECT_EQ(with("gpu NVIDIA H200", "gpu"), "line 2: gpu has no value");
  EXPECT_EQ(with("driver 13000", "driver new"), "line 4: driver is \"new\", not a whole number");
  EXPECT_EQ(with("recording 4.25 # microseconds to launch a recording of iterations\n", ""), "it has no line \"recording\"");
  TuningFile file;
  EXPECT_NE(read_tuning("", &file), "");
}

TEST(TuningFile, HoldsForOneMachine)
{
  const TuningKey key = example().key;

  EXPECT_EQ(difference(key, key), "");
  for (int k = 0; k < 5; k++) {
    TuningKey other = key;
    (k == 0 ? other.gpu : other.library) += k == 0 || k == 4 ? "x" : "";
    other.multiprocessors += k == 1;
    other.driver += k == 2;
    other.cuda += k == 3;
    EXPECT_NE(difference(key, other), "") << k;
  }
  TuningKey other = key;
  other.gpu       = "NVIDIA H100";
  EXPECT_EQ(difference(key, other),
            "it is of NVIDIA H200 with 132 multiprocessors, driver for CUDA 13.0, CUDA 12.8, Hepta 0.1.0, and this is NVIDIA "
            "H100 with 132 multiprocessors, driver for CUDA 13.0, CUDA 12.8, Hepta 0.1.0");
}

TEST(TuningFile, TheFileOfTheMachineIsChosen)
{
  const TuningKey         here = example().key;
  std::vector<TuningFile> files(3, example());
  int                     old;

  files[0].key.gpu    = "NVIDIA H100";
  files[1].key.driver = 12000;
  EXPECT_EQ(choose_tuning(files, here, false, &old), 2);
  files.pop_back();
  EXPECT_EQ(choose_tuning(files, here, false, &old), -1);
  EXPECT_EQ(old, 1);
  files.pop_back();
  EXPECT_EQ(choose_tuning(files, here, false, &old), -1);
  EXPECT_EQ(old, -1); /* another machine of the same user */
  EXPECT_EQ(choose_tuning(files, here, true, &old), -1);
  EXPECT_EQ(old, 0);
  EXPECT_EQ(choose_tuning({}, here, true, &old), -1);
  EXPECT_EQ(old, -1);
}
