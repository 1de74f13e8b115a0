//===- NeuralNetworksExtensions.h - Vendors' own types ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions for operand types and operations that a vendor defines for
// its devices, as extensions with a name: "com.example.operations".
//
// C99 and C++.
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_NEURALNETWORKSEXTENSIONS_H
#define ANDROID_NEURALNETWORKSEXTENSIONS_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Tells in \p isExtensionSupported whether \p device has the extension
/// \p extensionName. UNEXPECTED_NULL when an argument is null (J-060).
/// API level 29.
int ANeuralNetworksDevice_getExtensionSupport(
    const ANeuralNetworksDevice *device, const char *extensionName,
    bool *isExtensionSupported);

/// Gives in \p type the code in \p model of a type of the extension
/// \p extensionName. There is a code also for an extension that no device has:
/// ANeuralNetworksModel_addOperand() refuses it. UNEXPECTED_NULL when a pointer
/// is null (J-061), BAD_DATA when there is no code left. API level 29.
int ANeuralNetworksModel_getExtensionOperandType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operandCodeWithinExtension, int32_t *type);

/// Gives in \p type the code in \p model of an operation of the extension
/// \p extensionName. An operation that no device has fails
/// ANeuralNetworksCompilation_finish(). UNEXPECTED_NULL when a pointer is null
/// (J-062), BAD_DATA when there is no code left. API level 29.
int ANeuralNetworksModel_getExtensionOperationType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType *type);

/// Copies \p length bytes as the parameters of the operand \p index, which has
/// a type of an extension. Null with length 0 takes them away. UNEXPECTED_NULL
/// for a null model, or null data with a length; BAD_DATA for a wrong index or
/// type, or a length above 0xFFFFFFFF; BAD_STATE after finish (J-063).
/// API level 29.
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model,
                                                 int32_t index,
                                                 const void *data,
                                                 size_t length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // ANDROID_NEURALNETWORKSEXTENSIONS_H
