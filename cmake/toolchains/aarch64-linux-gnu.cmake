# Cross-compilation to AArch64 Linux with the host's clang and lld, against the
# Debian packages that scripts/make-aarch64-sysroot unpacks.
#   -DNNHAL_SYSROOT=DIR  where it did
# Programs of the build execute under qemu-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

# Tests of the compiler run CMake again, which has to be told as well.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NNHAL_SYSROOT)
if(NOT IS_DIRECTORY "${NNHAL_SYSROOT}/usr/lib/aarch64-linux-gnu")
  message(FATAL_ERROR "NNHAL_SYSROOT='${NNHAL_SYSROOT}' is no AArch64 system: scripts/make-aarch64-sysroot makes one")
endif()
set(CMAKE_SYSROOT "${NNHAL_SYSROOT}")

foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
add_link_options(-fuse-ld=lld-22)

# Libraries and headers of the target, programs of the host.
set(CMAKE_FIND_ROOT_PATH "${NNHAL_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${NNHAL_SYSROOT}")
