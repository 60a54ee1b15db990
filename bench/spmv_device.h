/* The device half of bench/spmv: products and assembly on one GPU against cuSPARSE and PETSc's own types */
#pragma once

#include "device_timing.h"
#include "report.h"

/* Reads -assembly (that alone), -cases, -n, -f, -copies_to, -dense_n, -repeats, -graphs, -json and -markdown, and does all */
PetscErrorCode SpmvDevice(void);
/* MatSetPreallocationCOO() with indices on the host and on the device, and MatSetValuesCOO() with values on the device, up to
   7-point on n x n x n cells and General Hepta and finite elements of as many entries: fills two tables */
PetscErrorCode CompareDeviceAssembly(DeviceTimer &timer, PetscInt n, ReportTable &values, ReportTable &locations);
/* MatMatMult() with the numbers of columns that -columns lists, if any, 7-point, General Hepta and finite elements with sides of
   n: fills a table for bdia and one for brow */
PetscErrorCode CompareDeviceColumns(DeviceTimer &timer, PetscInt n, ReportTable &diagonals, ReportTable &rows);
