# What `cmake --install` copies, in eight components, and the Debian packages that
# are made of them (`cpack`, scripts/package).
#
#   runtime       libNNHalRuntime: loads and executes compiled models; and
#                 libnativewindow
#   compiler      libNNHalCompiler, its dialects and libNNHalMLIR, nnhal-opt,
#                 nnhal-translate, nnhal-lsp-server, nnhal-reduce and its tests
#   tools         nnhal-run: no shared library but the C library's; nnhal-cache,
#                 nnhal-benchmark
#   service       libNNHalServiceClient and nnhal-service, which need Cap'n
#                 Proto, and the units of systemd
#   serve         nnhal-serve, which needs cpp-httplib, prometheus-cpp and gRPC,
#                 and its unit of systemd
#   python        the package nnhal of Python, with the runtime inside
#   ndk           libneuralnetworks: the C interface of the NDK, which programs
#                 open by name
#   development   headers, CMake package, pkg-config file, compiler archives,
#                 nnhal-conformance, nnhal-stress

include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/NNHal")

install(TARGETS NNHalRuntime EXPORT NNHalTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development)
# Opened by every program that makes devices (nnhal/Runtime/DevicePlugins.h).
install(TARGETS NNHalTFLiteExtension NNHalTFLiteCustom
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nnhal/extensions" COMPONENT runtime)
install(FILES "${PROJECT_SOURCE_DIR}/lib/Extensions/TFLite/nnhal.tflite.json"
  "${PROJECT_SOURCE_DIR}/lib/Extensions/TFLiteCustom/nnhal.tflite_custom.json"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/nnhal/extensions" COMPONENT runtime)
# Drivers are whoever wants them's to install: the loader of Vulkan is opened.
if(TARGET NNHalGpu)
  install(TARGETS NNHalGpu LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
endif()
install(TARGETS NNHalNativeWindow LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/android" "${PROJECT_SOURCE_DIR}/include/vndk"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
# Opened by name, never linked.
install(TARGETS NNHalServiceClient LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT service)
install(TARGETS nnhal-service RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT service)
configure_file(cmake/package/nnhal-service.service.in nnhal-service.service @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nnhal-service.service" "${PROJECT_SOURCE_DIR}/cmake/package/nnhal-service.socket"
  DESTINATION lib/systemd/system COMPONENT service)
install(TARGETS neuralnetworks EXPORT NNHalTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ndk)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/android" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development FILES_MATCHING PATTERN "*.h")
install(TARGETS nnhal-run nnhal-cache nnhal-benchmark RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
if(TARGET nnhal-serve)
  install(TARGETS nnhal-serve RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT serve)
  configure_file(cmake/package/nnhal-serve.service.in nnhal-serve.service @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/nnhal-serve.service" DESTINATION lib/systemd/system COMPONENT serve)
endif()
if(TARGET NNHalPython)
  # Where the Python of Debian looks, whatever its version.
  install(TARGETS NNHalPython LIBRARY DESTINATION "${NNHAL_PYTHON_FOLDER}/nnhal" COMPONENT python)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/nnhal" DESTINATION "${NNHAL_PYTHON_FOLDER}" COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/nnhal/Runtime" "${PROJECT_SOURCE_DIR}/include/nnhal/Backend"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nnhal" COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(FILES "${PROJECT_BINARY_DIR}/include/nnhal/Runtime/Version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nnhal/Runtime" COMPONENT development)
if(NNHAL_ENABLE_TESTS)
  install(TARGETS nnhal-conformance nnhal-stress RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development)
endif()
install(EXPORT NNHalTargets NAMESPACE NNHal:: DESTINATION "${package_directory}" COMPONENT development)

if(NNHAL_ENABLE_COMPILER)
  # Opened by name, never linked.
  install(TARGETS NNHalCompiler LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiler)
  install(TARGETS NNHalTFLiteCompilerHalf
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nnhal/extensions" COMPONENT compiler)
  install(TARGETS nnhal-lsp-server nnhal-opt nnhal-reduce nnhal-translate
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT compiler)
  install(PROGRAMS tools/nnhal-reduce/nnhal-reduce-failure tools/nnhal-reduce/nnhal-reduce-wrong-result
    DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT compiler)
  set(libraries MLIR Dialect Foundation Transforms ConversionCommon GraphToFunc ToLinalg Codegen Target TargetCPU TargetGPU Targets Passes
    ModelIR LLVMHeaders)
  # libNNHalMLIR has code of LLVM, whose parts have terms of their own.
  install(FILES /usr/share/doc/llvm-22-dev/copyright DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/nnhal-compiler"
    RENAME copyright.llvm COMPONENT compiler OPTIONAL)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/nnhal-compiler" COMPONENT compiler)
  list(TRANSFORM libraries PREPEND NNHal OUTPUT_VARIABLE targets)
  install(TARGETS ${targets} EXPORT NNHalCompilerTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiler NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  # NNHal::Dialect, not NNHal::NNHalDialect.
  foreach(name ${libraries})
    set_target_properties(NNHal${name} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  install(EXPORT NNHalCompilerTargets NAMESPACE NNHal:: DESTINATION "${package_directory}" COMPONENT development)
  foreach(root "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
    foreach(folder Codegen Compiler Conversion Dialect ModelIR Target)
      if(EXISTS "${root}/include/nnhal/${folder}")
        install(DIRECTORY "${root}/include/nnhal/${folder}"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nnhal" COMPONENT development
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
      endif()
    endforeach()
  endforeach()
endif()

get_filename_component(NNHAL_CXX_COMPILER_NAME "${CMAKE_CXX_COMPILER}" NAME)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/package/NNHalConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/NNHalConfig.cmake" INSTALL_DESTINATION "${package_directory}"
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/NNHalConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/NNHalConfig.cmake" "${PROJECT_BINARY_DIR}/NNHalConfigVersion.cmake"
  DESTINATION "${package_directory}" COMPONENT development)
configure_file(cmake/package/nnhal-runtime.pc.in nnhal-runtime.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nnhal-runtime.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

configure_file(cmake/package/neuralnetworks.pc.in neuralnetworks.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/neuralnetworks.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR NNHal)
set(CPACK_PACKAGE_CONTACT "The NNHal project <nnhal@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_COMPONENTS_ALL runtime tools service ndk development)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME nnhal-runtime)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Executes NN HAL / NNAPI models that NNHal has compiled
 A shared library without any LLVM dependency.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME nnhal-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS nnhal-compiler)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS nnhal-service)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Runs and measures NN HAL / NNAPI models, and looks after their compilation cache
 Models are compiled where nnhal-compiler is installed, and run without it
 where they have been compiled before.")
set(CPACK_DEBIAN_SERVICE_PACKAGE_NAME nnhal-service)
set(CPACK_COMPONENT_SERVICE_DESCRIPTION "Devices of NN HAL / NNAPI in processes of their own
 The service that hosts devices, and the library through which programs reach
 them. Only programs that ask for such devices load it, and Cap'n Proto with
 it.")
if(TARGET nnhal-serve)
  list(APPEND CPACK_COMPONENTS_ALL serve)
  set(CPACK_DEBIAN_SERVE_PACKAGE_NAME nnhal-serve)
  set(CPACK_DEBIAN_SERVE_PACKAGE_SECTION net)
  set(CPACK_DEBIAN_SERVE_PACKAGE_RECOMMENDS nnhal-compiler)
  set(CPACK_DEBIAN_SERVE_PACKAGE_SUGGESTS nnhal-service)
  set(CPACK_COMPONENT_SERVE_DESCRIPTION "Serves TensorFlow Lite and NN HAL / NNAPI models by the Open Inference Protocol
 Requests over HTTP and gRPC, a repository of models with versions, metrics for
 Prometheus. Models are compiled where nnhal-compiler is installed, and run
 without it where they have been compiled before.")
endif()
if(TARGET NNHalPython)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-nnhal)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${NNHAL_PYTHON_DEPENDS}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS nnhal-compiler)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "nnhal-service, python3-distributed")
  # Byte code is of whoever installs it, and goes with the package.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/cmake/package/python/postinst;${PROJECT_SOURCE_DIR}/cmake/package/python/prerm")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Runs TensorFlow Lite and NN HAL / NNAPI models from Python
 The package nnhal, and nnhal.tflite, which has the calls of TensorFlow Lite's
 interpreter. Models are compiled where nnhal-compiler is installed, and run
 without it where they have been compiled before.")
endif()
set(CPACK_DEBIAN_NDK_PACKAGE_NAME nnhal-ndk)
set(CPACK_DEBIAN_NDK_PACKAGE_RECOMMENDS nnhal-compiler)
set(CPACK_DEBIAN_NDK_PACKAGE_SUGGESTS nnhal-service)
set(CPACK_COMPONENT_NDK_DESCRIPTION "The C interface of NNAPI, for programs that open libneuralnetworks.so
 TensorFlow Lite's delegate for example. Models are compiled where
 nnhal-compiler is installed, and interpreted elsewhere.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME nnhal-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "nnhal-runtime (= ${PROJECT_VERSION}), nnhal-ndk (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and CMake package of NNHal
 For programs that run models, for devices, and, with nnhal-compiler,
 libmlir-22-dev, llvm-22-dev, libssl-dev and clang-22, for compiler plug-ins.")
if(NNHAL_ENABLE_COMPILER)
  list(APPEND CPACK_COMPONENTS_ALL compiler)
  set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME nnhal-compiler)
  set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  set(CPACK_COMPONENT_COMPILER_DESCRIPTION "Compiles NN HAL / NNAPI models to native code
 The compiler library that the runtime opens, and the tools of who works on
 passes: nnhal-opt, nnhal-translate, nnhal-lsp-server and nnhal-reduce.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "nnhal-compiler (= ${PROJECT_VERSION}), libmlir-22-dev, llvm-22-dev, libssl-dev, clang-22")
endif()
include(CPack)
