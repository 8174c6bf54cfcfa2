# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How a target of this project is made: the flags all of them share, libraries, and tests.

# phutex_target(<name> [NO_EXCEPTIONS])
#
# Gives a target the project's warnings, visibility and definitions. NO_EXCEPTIONS is for what ends
# up in somebody else's process: native and shim.
function(phutex_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_EXCEPTIONS" "" "")
  set_target_properties(${name} PROPERTIES
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE
    $<$<BOOL:${PHUTEX_ASSERTIONS}>:PHUTEX_ASSERTIONS=1>)
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror ${PHUTEX_SANITIZE_FLAGS})
  target_link_options(${name} PRIVATE ${PHUTEX_SANITIZE_FLAGS})
  if(arg_NO_EXCEPTIONS)
    target_compile_options(${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
      $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
    if(PHUTEX_SANITIZE)
      target_compile_options(${name} PRIVATE -fno-sanitize=vptr)  # it needs the type information
    endif()
  endif()
endfunction()

# phutex_library(<name> ALIAS <alias> SOURCES <files...> LIBRARIES <targets...>)
#
# A static library of this project that is not installed. Without sources it is header-only.
function(phutex_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ALIAS" "SOURCES;LIBRARIES")
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    phutex_target(${name})
    target_link_libraries(${name} PUBLIC ${arg_LIBRARIES})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LIBRARIES})
  endif()
  add_library(${arg_ALIAS} ALIAS ${name})
endfunction()

# Everything the tests need, so that a sanitizer build need not make the tools.
if(NOT TARGET phutex_tests)
  add_custom_target(phutex_tests)
endif()

# phutex_test(NAME <name> LABEL <label> SOURCES <files...> [LIBRARIES <targets...>]
#             [TIMEOUT <seconds>] [DEFINITIONS <d...>] [ENVIRONMENT <VAR=value...>]
#             [ALSO_WITH <VAR=value...>] [DEPENDS <targets...>]
#             [WHOLE] [OWN_MAIN] [FAILS_WITH <regex>])
# phutex_test(NAME <name> LABEL <label> COMMAND <command...> [DEPENDS <targets...>] ...)
#
# One test program with GoogleTest's main; each of its cases is one CTest test, `<name>.Suite.Case`.
#   ALSO_WITH   for each of these environment variables, all cases run once more with it set
#   WHOLE       the program is one CTest test
#   OWN_MAIN    as WHOLE, and the program brings its own main; exit status 77 means skipped
#   COMMAND     no program of its own: the test is this command
#   DEPENDS     what must be built before it can run
#   LABEL compile  without LIBRARIES nothing is linked or run: the test is whether the one source
#                  compiles, or, with FAILS_WITH, whether the compiler refuses it with a matching
#                  message
function(phutex_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "WHOLE;OWN_MAIN" "NAME;LABEL;TIMEOUT;FAILS_WITH"
    "SOURCES;LIBRARIES;DEFINITIONS;ENVIRONMENT;ALSO_WITH;COMMAND;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "phutex_test(${arg_NAME}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  set(kinds unit check stress conformance compile codegen shim)
  if(NOT arg_LABEL IN_LIST kinds)
    message(FATAL_ERROR "phutex_test(${arg_NAME}): LABEL '${arg_LABEL}' is none of ${kinds}")
  endif()
  if(NOT arg_LABEL IN_LIST PHUTEX_TEST_LABELS)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(timeouts 60 300 600 60 120 120 120)  # in the order of kinds
    list(FIND kinds ${arg_LABEL} index)
    list(GET timeouts ${index} arg_TIMEOUT)
  endif()
  set(properties LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  if(arg_LABEL STREQUAL stress)
    list(APPEND properties PROCESSORS 2)  # its threads want the machine to themselves
  endif()

  if(arg_LABEL STREQUAL compile AND NOT arg_COMMAND AND NOT arg_LIBRARIES)
    if(arg_SOURCES MATCHES "\\.c$")
      set(compile ${CMAKE_C_COMPILER} -std=c11)
    else()
      set(compile ${CMAKE_CXX_COMPILER} -std=c++20)
    endif()
    list(TRANSFORM arg_DEFINITIONS PREPEND -D)
    cmake_path(ABSOLUTE_PATH arg_SOURCES BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    add_test(NAME ${arg_NAME} COMMAND ${compile} -fsyntax-only -D_GNU_SOURCE ${arg_DEFINITIONS}
      -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
      -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include ${arg_SOURCES})
    set_tests_properties(${arg_NAME} PROPERTIES ${properties})
    if(arg_FAILS_WITH)
      set_tests_properties(${arg_NAME} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_FAILS_WITH}")
    endif()
    return()
  endif()

  if(arg_COMMAND)
    add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
    set_tests_properties(${arg_NAME} PROPERTIES ${properties} ENVIRONMENT "${arg_ENVIRONMENT}")
    if(arg_DEPENDS)
      add_dependencies(phutex_tests ${arg_DEPENDS})
    endif()
    return()
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  phutex_target(${arg_NAME})
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_definitions(${arg_NAME} PRIVATE ${arg_DEFINITIONS})
  target_compile_options(${arg_NAME} PRIVATE
    $<$<CXX_COMPILER_ID:Clang>:-Wno-gnu-zero-variadic-macro-arguments>)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} Threads::Threads)
  add_dependencies(phutex_tests ${arg_NAME})
  if(arg_DEPENDS)
    add_dependencies(${arg_NAME} ${arg_DEPENDS})
  endif()
  if(NOT arg_OWN_MAIN)
    target_link_libraries(${arg_NAME} PRIVATE GTest::gtest GTest::gtest_main)
  endif()
  if(arg_WHOLE OR arg_OWN_MAIN)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    set_tests_properties(${arg_NAME} PROPERTIES ${properties} ENVIRONMENT "${arg_ENVIRONMENT}")
  else()
    list(LENGTH arg_ENVIRONMENT count)
    if(count GREATER 1 OR (count EQUAL 1 AND arg_ALSO_WITH))
      message(FATAL_ERROR "phutex_test(${arg_NAME}): discovered cases take one variable at a time")
    elseif(count EQUAL 1)
      list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
    endif()
    gtest_discover_tests(${arg_NAME} TEST_PREFIX "${arg_NAME}." DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
    foreach(variable IN LISTS arg_ALSO_WITH)
      gtest_discover_tests(${arg_NAME} TEST_PREFIX "${arg_NAME}.${variable}."
        TEST_LIST "${arg_NAME}.${variable}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES ${properties} ENVIRONMENT "${variable}")
    endforeach()
  endif()
endfunction()

# phutex_tests_here(LABEL <label> [FOLDER <folder>] [EXCEPT <folders...>] [LIBRARIES <targets...>] ...)
#
# One phutex_test for every .cpp below the calling folder, or below one or without some of its
# folders, named for the label and its path: tests/unit/base/key.cpp is unit.base.key. Further
# arguments go to each phutex_test.
function(phutex_tests_here)
  set(lists LIBRARIES DEFINITIONS ENVIRONMENT ALSO_WITH DEPENDS)
  cmake_parse_arguments(PARSE_ARGV 0 arg "WHOLE;OWN_MAIN" "LABEL;FOLDER;TIMEOUT" "EXCEPT;${lists}")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "phutex_tests_here: what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  set(passed_on LABEL ${arg_LABEL})
  foreach(keyword TIMEOUT ${lists})
    if(arg_${keyword})
      list(APPEND passed_on ${keyword} ${arg_${keyword}})
    endif()
  endforeach()
  foreach(option WHOLE OWN_MAIN)
    if(arg_${option})
      list(APPEND passed_on ${option})
    endif()
  endforeach()

  set(root ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB_RECURSE sources RELATIVE ${root} CONFIGURE_DEPENDS "${root}/${arg_FOLDER}/*.cpp")
  foreach(folder IN LISTS arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  foreach(source IN LISTS sources)
    cmake_path(REMOVE_EXTENSION source LAST_ONLY OUTPUT_VARIABLE name)
    string(REPLACE "/" "." name "${arg_LABEL}.${name}")
    phutex_test(NAME ${name} SOURCES ${source} ${passed_on})
  endforeach()
endfunction()

# phutex_links_libc_only(<name> <exports.map>)
#
# For libraries that others load: exports what the map lists, is never unloaded (the kernel keeps
# pointing into its restartable sequences), and fails to link if anything but the C library is
# needed. A sanitizer brings its own runtime, so its builds are not held to the last.
function(phutex_links_libc_only name map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,--as-needed
    -Wl,-z,nodelete)
  if(PHUTEX_SANITIZE)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
