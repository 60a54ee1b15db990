# What the tests share. A test that cannot run here prints a line "skipped: why" (and exits with 77); CTest then counts it as
# skipped. The line decides, not the exit code: 77 is also PETSC_ERR_PLIB, with which a PETSc program fails.

# What some of the tests, examples and benchmarks need, and nothing else: what is not there leaves them out, which a line says
find_package(GTest QUIET)
find_package(nlohmann_json QUIET)
find_package(ZLIB QUIET)
find_path(HEPTA_CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(HEPTA_CHOLMOD_LIBRARY cholmod)
mark_as_advanced(HEPTA_CHOLMOD_INCLUDE HEPTA_CHOLMOD_LIBRARY)
set(HEPTA_MATRIX_MARKET OFF)
if(ZLIB_FOUND AND HEPTA_CHOLMOD_INCLUDE AND HEPTA_CHOLMOD_LIBRARY)
  set(HEPTA_MATRIX_MARKET ON)
else()
  message(STATUS "Without zlib or CHOLMOD (zlib1g-dev, libsuitesparse-dev): programs refuse Matrix Market files, and tests that read some are left out")
endif()
if(NOT GTest_FOUND)
  message(STATUS "Without GoogleTest (libgtest-dev): tests of launchers and row functions are left out")
endif()
if(NOT nlohmann_json_FOUND)
  message(STATUS "Without nlohmann-json (nlohmann-json3-dev): benchmarks are left out")
endif()

# HEPTA_CACHE and HEPTA_PYTHON as scripts/env.sh has them, also where cmake and ctest are called by hand
execute_process(COMMAND bash -ec "source scripts/env.sh; printf '%s\\n' \"HEPTA_CACHE=$HEPTA_CACHE\" \"HEPTA_PYTHON=$HEPTA_PYTHON\""
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE places ERROR_QUIET)
set(HEPTA_PYTHON "")
set(HEPTA_TEST_PLACES "")
if(places MATCHES "(HEPTA_CACHE=[^\n]+)\n(HEPTA_PYTHON=([^\n]+))")
  set(HEPTA_PYTHON ${CMAKE_MATCH_3})
  set(HEPTA_TEST_PLACES ${CMAKE_MATCH_1})
  if(EXISTS ${HEPTA_PYTHON})
    list(APPEND HEPTA_TEST_PLACES ${CMAKE_MATCH_2})
  endif()
endif()

# Tuning files of the user change what is chosen: tests have a folder of their own for them
set(HEPTA_TEST_ENVIRONMENT ${HEPTA_TEST_PLACES} XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PETSC_OPTIONS= HEPTA_PLUGIN=$<TARGET_FILE:hepta> HEPTA_MPIEXEC=${HEPTA_MPIEXEC}
                           PETSC_DIR=${PETSC_DIR} PETSC_ARCH=${PETSC_ARCH} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                           OMPI_MCA_rmaps_base_oversubscribe=1 LD_PRELOAD=$<TARGET_FILE:oversubscribe>)
set(HEPTA_SANITIZE_FLAG "") # for what the tests compile themselves
if(HEPTA_SANITIZE)
  set(HEPTA_SANITIZE_FLAG -fsanitize=${HEPTA_SANITIZE})
  # the leak check must be able to name the library that a block was allocated in, so the programs unload none
  add_library(hepta_keep_loaded OBJECT ${CMAKE_CURRENT_LIST_DIR}/keep_loaded.c)
  link_libraries(hepta_keep_loaded)
  list(APPEND HEPTA_TEST_ENVIRONMENT ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
       LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks.supp:print_suppressions=0)
endif()

# Whether there is a GPU to run tests on
execute_process(COMMAND nvidia-smi -L OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_device)
if(no_device EQUAL 0 OR "$ENV{HEPTA_TEST_GPU}" STREQUAL "1")
  set(HEPTA_TEST_GPU ON)
else()
  set(HEPTA_TEST_GPU OFF)
endif()

# The loader relocates 25 000 pages of cublasLt in every process that has libpetsc, which takes 0.1 of the 0.16 seconds that such a process takes at least, and nothing calls it where there is no GPU.
# There the tests find a library with its names first (tests/cublaslt); those of the ways to load Hepta, and the examples, take HEPTA_TEST_ENVIRONMENT_CUDA and have the real one.
set(HEPTA_TEST_CUBLASLT "")
set(HEPTA_TEST_ENVIRONMENT_CUDA ${HEPTA_TEST_ENVIRONMENT})
if(TARGET CUDA::cublasLt AND CMAKE_NM AND NOT HEPTA_TEST_GPU)
  get_target_property(HEPTA_TEST_CUBLASLT CUDA::cublasLt IMPORTED_LOCATION)
  string(JOIN ":" path $<TARGET_FILE_DIR:cublaslt> $ENV{LD_LIBRARY_PATH})
  list(APPEND HEPTA_TEST_ENVIRONMENT LD_LIBRARY_PATH=${path})
endif()

# hepta_petsc_program(<target> <source>...): a program that knows PETSc and not Hepta
function(hepta_petsc_program target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE hepta::petsc m)
endfunction()

# hepta_test(<name> COMMAND <command>... [TIMEOUT <s>] [RANKS <n>] [ENV <name=value>...] [LABELS <label>...]): any command, which starts so many ranks
function(hepta_test name)
  cmake_parse_arguments(T "" "TIMEOUT;RANKS" "COMMAND;ENV;LABELS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(NOT T_RANKS)
    set(T_RANKS 1)
  endif()
  if(NOT HEPTA_MATRIX_MARKET AND "${T_COMMAND}" MATCHES "tests/matrices|[.]mtx|mm_roundtrip|:readmm>")
    return()
  endif()
  math(EXPR busy "(${T_RANKS} + 3) / 4") # ranks that wait give their cores away (tests/oversubscribe): 35 tests of 1 to 7 ranks took 115 s on two cores where each rank counted for one, and 77 so
  add_test(NAME ${name} COMMAND ${T_COMMAND})
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "(^|\n)[Ss]kipped: " TIMEOUT ${T_TIMEOUT} PROCESSORS ${busy} LABELS "${T_LABELS}"
                                          ENVIRONMENT "${HEPTA_TEST_ENVIRONMENT};${T_ENV}")
endfunction()

# hepta_mpi_test(<name> <program> NP <n>... [ARGS <argument>...] [TIMEOUT <s>] [ENV ...] [LABELS ...]): one test per number of
# ranks, named <name>.np<n>; <program> is a target or a path
function(hepta_mpi_test name program)
  cmake_parse_arguments(T "" "TIMEOUT" "NP;ARGS;ENV;LABELS" ${ARGN})
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  foreach(np ${T_NP})
    hepta_test(${name}.np${np} COMMAND ${HEPTA_MPIEXEC} -n ${np} ${program} ${T_ARGS} TIMEOUT ${T_TIMEOUT} RANKS ${np} ENV ${T_ENV} LABELS ${T_LABELS})
  endforeach()
endfunction()

# hepta_device_test(<name> <program> [NP <n>...] [ARGS ...] [TIMEOUT <s>] [ENV ...]): the program with matrices and vectors on the device, in a build with CUDA, on 1, 2, 3 and 4 ranks unless told otherwise. Without a device it says on one
# rank that it is skipped; on several ranks it would say nothing more. The property HEPTA_DEVICE_TESTS has all of them, a line for each, as the list of tests in the bundle has them, in any build.
function(hepta_device_test name program)
  cmake_parse_arguments(T "" "TIMEOUT" "NP;ARGS;ENV" ${ARGN})
  if(NOT T_NP)
    set(T_NP 1 2 3 4)
  endif()
  set(kind "")
  if("${T_ENV}" MATCHES "HEPTA_TEST_TYPE=([a-z]+)")
    set(kind " ${CMAKE_MATCH_1}")
  endif()
  foreach(np ${T_NP})
    set_property(GLOBAL APPEND_STRING PROPERTY HEPTA_DEVICE_TESTS "device ${program} ${np}${kind}\n")
  endforeach()
  if(NOT HEPTA_HAVE_CUDA)
    return()
  endif()
  if(NOT HEPTA_TEST_GPU)
    list(REMOVE_ITEM T_NP 2 3 4)
  endif()
  target_compile_definitions(${program} PRIVATE HEPTA_HAVE_CUDA)
  target_link_libraries(${program} PRIVATE CUDA::cudart)
  hepta_mpi_test(${name} ${program} NP ${T_NP} ARGS ${T_ARGS} -use_gpu_aware_mpi 0 TIMEOUT ${T_TIMEOUT} ENV HEPTA_TEST_DEVICE=1 ${T_ENV} LABELS device)
endfunction()

# The kinds of blocked matrices that programs run with. HEPTA_TEST_TYPE tells them which; unset, it is bdia.
set(HEPTA_TEST_KINDS bdia brow)

# hepta_test_kinds(<function> <part of the name> <program> <what the function takes>...): petsc.<part><program> for bdia, petsc.<kind>.<part><program> for others
function(hepta_test_kinds test part program)
  cmake_parse_arguments(T "" "" "ENV" ${ARGN})
  foreach(kind ${HEPTA_TEST_KINDS})
    if(kind STREQUAL "bdia")
      cmake_language(CALL ${test} petsc.${part}${program} ${program} ${T_UNPARSED_ARGUMENTS} ENV ${T_ENV})
    elseif(NOT program MATCHES "^ex_(half|prefix|device_shapes)$") # of bdia alone
      cmake_language(CALL ${test} petsc.${kind}.${part}${program} ${program} ${T_UNPARSED_ARGUMENTS} ENV ${T_ENV} HEPTA_TEST_TYPE=${kind})
    endif()
  endforeach()
endfunction()
