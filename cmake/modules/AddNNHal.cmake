# The functions with which every target of the project is declared.

set(NNHAL_WARNINGS -Wall -Wextra -Wpedantic -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Reports false positives inside std::variant and std::vector at -O2.
  list(APPEND NNHAL_WARNINGS -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()

# Options that every target of the project shares; targets that share a
# precompiled header must agree on them.
function(nnhal_compile_options target)
  target_compile_options(${target} PRIVATE ${NNHAL_WARNINGS} -ffunction-sections -fdata-sections)
  if(NNHAL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(NNHAL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${NNHAL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${NNHAL_SANITIZE})
  endif()
  # TARGET_PROPERTY in an OBJECT library is ignored by the linker, not an error.
  target_link_options(${target} PRIVATE -Wl,--gc-sections)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Keeps ccache effective with a precompiled header.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# Exports only what is marked (nnhal/Runtime/Api.h).
function(nnhal_hide_symbols target)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# The precompiled header of the runtime and of all that is linked with it: the
# standard library, {fmt} and the reader of JSON take half of the time in which a
# unit compiles. Only for Clang: what the GNU compiler instantiates takes it
# longer than what it reads.
function(nnhal_precompile_runtime_headers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_library(NNHalRuntimePrecompiled OBJECT "${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp")
    nnhal_compile_options(NNHalRuntimePrecompiled)
    nnhal_hide_symbols(NNHalRuntimePrecompiled)
    target_precompile_headers(NNHalRuntimePrecompiled PRIVATE "${PROJECT_SOURCE_DIR}/cmake/RuntimePrecompiled.h")
  endif()
endfunction()

# Compiles TARGET with the runtime's precompiled header.
function(nnhal_use_runtime_precompiled_header target)
  if(TARGET NNHalRuntimePrecompiled)
    target_precompile_headers(${target} REUSE_FROM NNHalRuntimePrecompiled)
  endif()
endfunction()

# Compiles TARGET, which may be linked into any library and exports only what is
# marked, as the runtime is compiled: with its precompiled header.
function(nnhal_compile_like_runtime target)
  nnhal_compile_options(${target})
  nnhal_hide_symbols(${target})
  nnhal_use_runtime_precompiled_header(${target})
endfunction()

# nnhal_add_runtime_component(NAME SOURCES... [LINK libs...])
# One folder of lib/Runtime. LLVM-free; an OBJECT library that
# lib/Runtime/CMakeLists.txt assembles.
function(nnhal_add_runtime_component name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  nnhal_compile_like_runtime(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# nnhal_add_compiler_library(NAME SOURCES... [SHARED] [DEPENDS targets...] [LINK libs...])
# A library of the compiler, with the shared precompiled header.
function(nnhal_add_compiler_library name)
  cmake_parse_arguments(ARG "SHARED" "" "DEPENDS;LINK" ${ARGN})
  if(ARG_SHARED)
    add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN")
  else()
    add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  endif()
  nnhal_compile_options(${name})
  target_precompile_headers(${name} REUSE_FROM NNHalPrecompiled)
  target_link_libraries(${name} PUBLIC NNHalLLVMHeaders ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# nnhal_add_tool(NAME SOURCES... [LINK libs...])
function(nnhal_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  nnhal_compile_like_runtime(${name})
  # Otherwise CMake gives programs -fPIE, with which the header was not made.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib"
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endfunction()

# Options that all GoogleTest programs and their precompiled header share.
function(nnhal_test_options target)
  nnhal_compile_options(${target})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # EXPECT_EQ and its like end in an if statement of their own.
    target_compile_options(${target} PRIVATE -Wno-dangling-else)
  endif()
  # Tests are compiled once and run for milliseconds: optimized, they would take
  # two thirds more of the time of a build.
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
endfunction()

# The precompiled header of all GoogleTest programs: GoogleTest and the standard
# library take half of the time in which a test compiles. An executable, since
# its code is to be as position independent as that of the programs.
function(nnhal_precompile_test_headers)
  add_executable(NNHalTestPrecompiled "${PROJECT_SOURCE_DIR}/test/Precompiled.cpp")
  nnhal_test_options(NNHalTestPrecompiled)
  target_link_libraries(NNHalTestPrecompiled PRIVATE GTest::gtest)
  target_precompile_headers(NNHalTestPrecompiled PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/test/Precompiled.h>")
endfunction()

# nnhal_add_unittest(NAME SOURCES... [LINK libs...])
# A GoogleTest program, registered with CTest under its own name.
function(nnhal_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  nnhal_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM NNHalTestPrecompiled)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    NNHAL_TEST_DATA="${PROJECT_SOURCE_DIR}/test" NNHAL_SHARED_DATA="${NNHAL_SHARED_DATA}")
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# nnhal_add_test_objects(NAME SOURCES... [LINK libs...])
# Tests that several programs have, compiled once.
function(nnhal_add_test_objects name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  nnhal_test_options(${name})
  # As in programs, whose precompiled header they share.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIE)
  target_precompile_headers(${name} REUSE_FROM NNHalTestPrecompiled)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} GTest::gtest)
endfunction()

# nnhal_add_c99_sources(NAME SOURCES... [LINK libs...])
# Sources in C99 for the test program NAME, which has none itself: CMake finds
# no precompiled header for another language.
function(nnhal_add_c99_sources name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name}C99 OBJECT ${ARG_UNPARSED_ARGUMENTS})
  nnhal_compile_options(${name}C99)
  set_target_properties(${name}C99 PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_link_libraries(${name}C99 PRIVATE ${ARG_LINK})
  target_link_libraries(${name} PRIVATE ${name}C99)
endfunction()
