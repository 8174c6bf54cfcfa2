# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install` puts where, and how other projects find it.
#
# The engine's headers include each other as "engine/...", so their include root is include/phutex.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/phutex)

install(TARGETS phutex_headers EXPORT phutexTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS phutex_engine EXPORT phutexTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/phutex)
install(TARGETS phutex_shared phutex_native EXPORT phutexTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS phutex_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS phutex_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT phutexTargets NAMESPACE phutex:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/phutexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/phutexConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/phutexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/phutexConfig.cmake ${PROJECT_BINARY_DIR}/phutexConfigVersion.cmake
  DESTINATION ${package_dir})

# The file finds its prefix from where it lies, so that an installation can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pkgconfig_to_prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/phutex.pc.in ${PROJECT_BINARY_DIR}/phutex.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/phutex.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
