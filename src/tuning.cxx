/* Options for the numbers of shared/tuning.hxx */
#include "shared/tuning.hxx"

#include "shared/heptaimpl.h"

using hepta::Tuning;

static const struct {
  const char *name, *text;
  double Tuning::*value;
} Numbers[] = {
  {"-hepta_tuning_bandwidth",           "bytes a microsecond of a pass over vectors",                                      &Tuning::bandwidth          },
  {"-hepta_tuning_pass",                "microseconds of the shortest iteration of a Krylov method that is recorded",      &Tuning::pass               },
  {"-hepta_tuning_recording",           "microseconds to launch a recording of iterations",                                &Tuning::recording          },
  {"-hepta_tuning_level_kernel",        "bbs: microseconds of a level that is a kernel of its own",                        &Tuning::level_kernel       },
  {"-hepta_tuning_level_bandwidth",     "bbs: bytes a microsecond that such kernels read",                                 &Tuning::level_bandwidth    },
  {"-hepta_tuning_level_alone",         "bbs: microseconds of a level in one thread block",                                &Tuning::level_alone        },
  {"-hepta_tuning_level_shared",        "bbs: microseconds of a level of one of several chunks",                           &Tuning::level_shared       },
  {"-hepta_tuning_chunk_bandwidth",     "bbs: bytes a microsecond that one multiprocessor reads",                          &Tuning::chunk_bandwidth    },
  {"-hepta_tuning_chunk_step",          "bbs: microseconds of a step of the threads of a chunk",                           &Tuning::chunk_step         },
  {"-hepta_tuning_chunk_share",         "bbs: microseconds to halve the number of partial sums of a row",                  &Tuning::chunk_share        },
  {"-hepta_tuning_chunk_barrier",       "bbs: microseconds of a barrier of a thread block",                                &Tuning::chunk_barrier      },
  {"-hepta_tuning_chunk_fetches",       "bbs: values a microsecond that are fetched from other chunks",                    &Tuning::chunk_fetches      },
  {"-hepta_tuning_chunk_fetch",         "bbs: microseconds of a value of another chunk, many right-hand sides",            &Tuning::chunk_fetch        },
  {"-hepta_tuning_syncfree_level",      "bbs: microseconds of a level, and of 128 entries of a row, that waits for warps", &Tuning::syncfree_level     },
  {"-hepta_tuning_syncfree_bandwidth",  "bbs: bytes a microsecond that warps read while they wait",                        &Tuning::syncfree_bandwidth },
  {"-hepta_tuning_together_level",      "bbs: microseconds of a level for many right-hand sides together",                 &Tuning::together_level     },
  {"-hepta_tuning_together_long_entry", "bbs: microseconds of an entry of the longest row, for them together",             &Tuning::together_long_entry},
  {"-hepta_tuning_together_value",      "bbs: microseconds of a value of a right-hand side and of the solution",           &Tuning::together_value     },
  {"-hepta_tuning_together_entry",      "bbs: microseconds of an entry, for each right-hand side",                         &Tuning::together_entry     },
  {"-hepta_tuning_ipc_latency",         "microseconds of the shortest exchange by the transport ipc",                      &Tuning::ipc_latency        },
  {"-hepta_tuning_ipc_bandwidth",       "bytes a microsecond of long ones",                                                &Tuning::ipc_bandwidth      },
  {"-hepta_tuning_nccl_latency",        "microseconds of the shortest exchange by the transport nccl",                     &Tuning::nccl_latency       },
  {"-hepta_tuning_nccl_bandwidth",      "bytes a microsecond of long ones",                                                &Tuning::nccl_bandwidth     },
  {"-hepta_tuning_mpi_latency",         "microseconds of the shortest exchange by the transport mpi",                      &Tuning::mpi_latency        },
  {"-hepta_tuning_mpi_bandwidth",       "bytes a microsecond of long ones",                                                &Tuning::mpi_bandwidth      },
};

PetscErrorCode HeptaTuningFromOptions(void)
{
  Tuning   &t    = hepta::tuning();
  PetscBool view = PETSC_FALSE;

  PetscFunctionBegin;
  t = Tuning();
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "What a GPU takes, by which libhepta chooses its kernels", "HeptaRegisterAll");
  for (const auto &n : Numbers) {
    PetscReal value = (PetscReal)(t.*n.value);
    PetscCall(PetscOptionsReal(n.name, n.text, "HeptaRegisterAll", value, &value, nullptr));
    PetscCheck(value > 0 && !PetscIsInfOrNanReal(value), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "%s %g must be positive and finite: %s", n.name, (double)value, n.text);
    t.*n.value = (double)value;
  }
  PetscCall(PetscOptionsBool("-hepta_tuning_view", "Print the numbers as lines of an options file", "HeptaRegisterAll", view, &view, nullptr));
  PetscOptionsEnd();
  for (const auto &n : Numbers) {
    if (view) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %.9g # %s\n", n.name, t.*n.value, n.text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
