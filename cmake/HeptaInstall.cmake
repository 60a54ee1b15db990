# cmake --install: the library, the header, find_package(hepta) and pkg-config hepta. The tree may be moved afterwards; PETSc
# is referred to where it stands.

set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Where the library is installed, below CMAKE_INSTALL_PREFIX")
set_target_properties(hepta PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT SKBUILD) # a wheel has no links
  set_target_properties(hepta PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
install(TARGETS hepta EXPORT hepta-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(SKBUILD) # a wheel of pip's, see pyproject.toml; PETSc may be the package petsc beside it
  set_property(TARGET hepta APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../petsc/lib")
  install(TARGETS hepta LIBRARY DESTINATION . COMPONENT python)
endif()
install(FILES include/hepta.h DESTINATION include)
install(EXPORT hepta-targets NAMESPACE hepta:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hepta)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/hepta-config.cmake.in ${PROJECT_BINARY_DIR}/install/hepta-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hepta)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/hepta-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/hepta-config.cmake ${PROJECT_BINARY_DIR}/install/hepta-config-version.cmake cmake/HeptaPETSc.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hepta)

list(TRANSFORM hepta_petsc_include PREPEND -I OUTPUT_VARIABLE HEPTA_PC_CFLAGS)
list(JOIN HEPTA_PC_CFLAGS " " HEPTA_PC_CFLAGS)
get_filename_component(HEPTA_PC_PETSC_LIBDIR ${HEPTA_PETSC_LIBRARY} DIRECTORY)
get_filename_component(HEPTA_PC_PETSC_NAME ${HEPTA_PETSC_LIBRARY} NAME_WE)
string(REGEX REPLACE "^lib" "" HEPTA_PC_PETSC_NAME ${HEPTA_PC_PETSC_NAME})
file(RELATIVE_PATH HEPTA_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" HEPTA_PC_PREFIX ${HEPTA_PC_PREFIX})
configure_file(cmake/hepta.pc.in ${PROJECT_BINARY_DIR}/install/hepta.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/hepta.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
