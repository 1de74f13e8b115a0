// Carries the precompiled header of the compiler's translation units; see
// cmake/modules/NNHalLLVM.cmake.
