# LLVM, MLIR and lld 22, whose archives lib/MLIR makes one library of.

find_package(MLIR 22.1 REQUIRED CONFIG)
find_package(LLD 22.1 REQUIRED CONFIG HINTS "${LLVM_DIR}/../lld")
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# MLIR knows traits by names that each compiler writes in its own way, and the
# libraries of Debian and LLVM are built by Clang: constants would not be such to
# them, and folding not end.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(WARNING "NNHal: ${CMAKE_CXX_COMPILER_ID} builds the compiler; MLIR has to be built by it, too")
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
# For the archives, which compress sections.
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(NNHAL_LLVM_INCLUDE_DIRS ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
list(REMOVE_DUPLICATES NNHAL_LLVM_INCLUDE_DIRS)
# As a list: the string form redefines _GLIBCXX_USE_CXX11_ABI with a warning.
separate_arguments(NNHAL_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# Where the headers of LLVM lie is known to whoever finds its package: the one
# that is installed beside NNHal is found by NNHalConfig.cmake.
add_library(NNHalLLVMHeaders INTERFACE)
foreach(folder ${NNHAL_LLVM_INCLUDE_DIRS})
  target_include_directories(NNHalLLVMHeaders SYSTEM INTERFACE "$<BUILD_INTERFACE:${folder}>")
endforeach()
target_include_directories(NNHalLLVMHeaders INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_compile_features(NNHalLLVMHeaders INTERFACE cxx_std_20)
target_compile_definitions(NNHalLLVMHeaders INTERFACE ${NNHAL_LLVM_DEFINITIONS})
if(NOT LLVM_ENABLE_ASSERTIONS)
  # Classes of the headers (llvm::Statistic) have another layout without it than
  # in the libraries.
  target_compile_definitions(NNHalLLVMHeaders INTERFACE NDEBUG)
endif()

# One precompiled header for every compiler translation unit: it takes a
# conversion unit from 8 s to 1 s.
add_library(NNHalPrecompiled OBJECT "${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp")
target_link_libraries(NNHalPrecompiled PRIVATE NNHalLLVMHeaders)
nnhal_compile_options(NNHalPrecompiled)
target_precompile_headers(NNHalPrecompiled PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/Quant/IR/QuantTypes.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/DialectConversion.h>)

# nnhal_find_archives(VARIABLE [OPTIONAL] NAMES...)
# The files of imported targets that are archives. Linked as targets they would
# bring LLVM's shared library. With OPTIONAL those that are none are left out: what
# LLVM lists may be another package's (BOLT, Polly).
function(nnhal_find_archives variable)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "OPTIONAL" "" "")
  set(files "")
  foreach(name IN LISTS ARG_UNPARSED_ARGUMENTS)
    set(type "no target")
    set(file "")
    if(TARGET ${name})
      get_target_property(type ${name} TYPE)
      get_target_property(file ${name} LOCATION)
    endif()
    if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${file}")
      list(APPEND files "${file}")
    elseif(NOT ARG_OPTIONAL)
      message(FATAL_ERROR "${name} of LLVM is no archive that there is (${type} '${file}'): "
        "llvm-22-dev, libmlir-22-dev and liblld-22-dev have them")
    endif()
  endforeach()
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()
