# cmake --install: the library, the header, find_package(hepta) and pkg-config hepta. The tree may be moved afterwards; PETSc
# is referred to where it stands.

set_target_properties(hepta PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS hepta EXPORT hepta-targets LIBRARY DESTINATION lib)
if(SKBUILD) # a wheel of pip's, see pyproject.toml; PETSc may be the package petsc beside it
  set_property(TARGET hepta APPEND PROPERTY INSTALL_RPATH "$ORIGIN/../petsc/lib")
  install(TARGETS hepta LIBRARY DESTINATION . COMPONENT python)
endif()
install(FILES include/hepta.h DESTINATION include)
install(EXPORT hepta-targets NAMESPACE hepta:: DESTINATION lib/cmake/hepta)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/hepta-config.cmake.in ${PROJECT_BINARY_DIR}/install/hepta-config.cmake INSTALL_DESTINATION lib/cmake/hepta)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/hepta-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/hepta-config.cmake ${PROJECT_BINARY_DIR}/install/hepta-config-version.cmake cmake/HeptaPETSc.cmake
        DESTINATION lib/cmake/hepta)

list(TRANSFORM hepta_petsc_include PREPEND -I OUTPUT_VARIABLE HEPTA_PC_CFLAGS)
list(JOIN HEPTA_PC_CFLAGS " " HEPTA_PC_CFLAGS)
get_filename_component(HEPTA_PC_PETSC_LIBDIR ${HEPTA_PETSC_LIBRARY} DIRECTORY)
configure_file(cmake/hepta.pc.in ${PROJECT_BINARY_DIR}/install/hepta.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/hepta.pc DESTINATION lib/pkgconfig)
