//===- HalForm.td - Operations listed input by input -------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that are declared by the inputs of the HAL operation, in its order.
// HalSignatures.td, which the build makes from the table of signatures
// (nnhal/Backend/SignatureTable.h), lists them per operation. The list says which
// inputs are operands, which are attributes and what stands for a left-out one;
// operands and attributes, assembly format with the name of each attribute as its
// keyword, verifier and raising follow from it. The rule is checkOperation() of
// nnhal/Backend/Signatures.h, on the operation turned back into the HAL's form.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_HALFORM
#define NNHAL_DIALECT_NNHAL_IR_HALFORM

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

/// One input of a HAL operation. \p kind is an enumerator of nnhal::HalInput,
/// \p fallback the value of an attribute that the HAL operation leaves out.
class NNHal_HalInput<string inputName, string inputKind,
                     Constraint inputConstraint, string inputFallback = ""> {
  string name = inputName;
  string kind = inputKind;
  Constraint constraint = inputConstraint;
  string row = "{::nnhal::HalInput::" # inputKind # ", \"" # inputName # "\"" #
               !if(!empty(inputFallback), "", ", " # inputFallback) # "}";
  bit isAttribute = !and(!isa<Attr>(inputConstraint), !ne(inputName, ""));
  bit isOperand = !not(!isa<Attr>(inputConstraint));
  /// An attribute that may be left out is printed only where it says something.
  bit isOptional = !or(!isa<Optional>(inputConstraint),
                       !isa<OptionalAttr>(inputConstraint),
                       !isa<DefaultValuedAttr>(inputConstraint));
  /// Enumerators are printed with a space before them.
  string space = !if(!or(!eq(inputKind, "activation"),
                         !eq(inputKind, "recurrentActivation"),
                         !eq(inputKind, "softNmsKernel"),
                         !eq(inputKind, "lshKind")), "`` ", "");
  /// The input in the assembly format begins with its name: operands
  /// and attributes that state a type of their own are in parentheses, a flag
  /// that may be left out is nothing but its name, and other attributes follow
  /// their name.
  string assembly = !cond(
    !not(!or(isOperand, isAttribute)): "",
    !or(!eq(inputKind, "flag"), !eq(inputKind, "positiveFlag")):
      !if(isOptional,
          "(`" # inputName # "` `` custom<SetFlag>($" # inputName # ")^)?",
          "`" # inputName # "` $" # inputName),
    !or(isOperand, !eq(inputKind, "number")):
      !if(isOptional,
          "(`" # inputName # "` `(` $" # inputName # "^ `)`)?",
          "`" # inputName # "` `(` $" # inputName # " `)`"),
    isOptional: "(`" # inputName # "` " # space # "$" # inputName # "^)?",
    true: "`" # inputName # "` " # space # "$" # inputName);
}

class NNHal_In<string name, Constraint constraint = NNHal_Tensor>
    : NNHal_HalInput<name, "operand", constraint>;
/// A tensor with channels last here and in the stated layout in the HAL.
class NNHal_SpatialIn<string name>
    : NNHal_HalInput<name, "spatial", NNHal_Tensor>;
class NNHal_OptionalIn<string name>
    : NNHal_HalInput<name, "optional", Optional<NNHal_Tensor>>;
/// All tensors that the HAL operation has beside its other inputs.
class NNHal_VariadicIn<string name>
    : NNHal_HalInput<name, "variadic", Variadic<NNHal_Tensor>>;
/// INT32.
class NNHal_IntegerIn<string name> : NNHal_HalInput<name, "integer", I64Attr>;
class NNHal_OptionalIntegerIn<string name, string fallback>
    : NNHal_HalInput<name, "integer", DefaultValuedAttr<I64Attr, fallback>,
                     fallback>;
/// FLOAT16 where input 0 is a TENSOR_FLOAT16, FLOAT32 otherwise.
class NNHal_RealIn<string name> : NNHal_HalInput<name, "real", F32Attr>;
class NNHal_OptionalRealIn<string name, string fallback>
    : NNHal_HalInput<name, "real", DefaultValuedAttr<F32Attr, fallback>,
                     fallback>;
/// BOOL, or an INT32 that is 0 or 1.
class NNHal_FlagIn<string name> : NNHal_HalInput<name, "flag", BoolAttr>;
class NNHal_OptionalFlagIn<string name>
    : NNHal_HalInput<name, "flag", DefaultValuedAttr<BoolAttr, "false">,
                     "false">;
class NNHal_NumberFlagIn<string name>
    : NNHal_HalInput<name, "numberFlag", BoolAttr>;
/// An INT32 that means true where it is positive.
class NNHal_PositiveFlagIn<string name>
    : NNHal_HalInput<name, "positiveFlag", DefaultValuedAttr<BoolAttr, "false">>;
/// A FLOAT32, FLOAT16 or INT32 that says by its type which it is.
class NNHal_NumberIn<string name>
    : NNHal_HalInput<name, "number", AnyAttrOf<[F32Attr, I32Attr]>>;
/// A TENSOR_INT32 of rank 1.
class NNHal_IntegersIn<string name>
    : NNHal_HalInput<name, "integers", DenseI64ArrayAttr>;
/// A TENSOR_INT32 of shape [n, 2], row by row.
class NNHal_PairsIn<string name>
    : NNHal_HalInput<name, "pairs", DenseI64ArrayAttr>;
/// The dimensions of extent 1 and those in reverse stand for left-out ones.
class NNHal_UnitAxesIn<string name>
    : NNHal_HalInput<name, "unitAxes", DenseI64ArrayAttr>;
class NNHal_PermutationIn<string name>
    : NNHal_HalInput<name, "permutation", DenseI64ArrayAttr>;
/// An INT32 with a meaning per value.
def NNHal_ActivationIn
    : NNHal_HalInput<"activation", "activation", NNHal_OptionalActivation,
                     "0">;
class NNHal_RecurrentActivationIn<string name>
    : NNHal_HalInput<name, "recurrentActivation", NNHal_RecurrentActivationAttr>;
class NNHal_SoftNmsKernelIn<string name>
    : NNHal_HalInput<name, "softNmsKernel", NNHal_SoftNmsKernelAttr>;
class NNHal_LshKindIn<string name>
    : NNHal_HalInput<name, "lshKind", NNHal_LshKindAttr>;
/// Two INT32, a width and a height; the attribute is [height, width].
class NNHal_SizeIn<string name>
    : NNHal_HalInput<name, "size", DenseI64ArrayAttr>;
class NNHal_OptionalSizeIn<string name, string fallback>
    : NNHal_HalInput<name, "size",
                     DefaultValuedAttr<DenseI64ArrayAttr,
                                       "{" # fallback # ", " # fallback # "}">,
                     fallback>;
/// Four INT32, left, right, top and bottom, or a padding scheme. The attribute
/// is [top, bottom, left, right]; without it the scheme is SAME.
def NNHal_PadsIn : NNHal_HalInput<"pads", "pads",
                                  OptionalAttr<DenseI64ArrayAttr>>;
/// Likewise, but the scheme comes after the shape of the result.
def NNHal_TransposedPadsIn : NNHal_HalInput<"pads", "transposedPads",
                                            OptionalAttr<DenseI64ArrayAttr>>;
/// An INT32, the extent of the result, or a FLOAT32 or FLOAT16, the factor by
/// which it differs from that of the operand. The attribute is the factor,
/// where the extent of the result does not say it all.
def NNHal_WidthIn : NNHal_HalInput<"width_factor", "width",
                                   OptionalAttr<F32Attr>>;
def NNHal_HeightIn : NNHal_HalInput<"height_factor", "height",
                                    OptionalAttr<F32Attr>>;
/// A graph of the model.
class NNHal_GraphIn<string name>
    : NNHal_HalInput<name, "graph", FlatSymbolRefAttr>;
/// Shape and number of results, which their types say.
def NNHal_ResultShapeIn : NNHal_HalInput<"", "resultShape", BoolAttr>;
def NNHal_ResultCountIn : NNHal_HalInput<"", "resultCount", BoolAttr>;
/// The layout flag, which the canonical operation does not have.
def NNHal_LayoutIn : NNHal_HalInput<"", "layout", BoolAttr>;

/// An operation of the HAL: its code, the version that introduced it, its inputs.
/// \p halResultCount is 0 where several numbers are legal.
class NNHal_HalSignature<string halMnemonic, int halCode, string halVersion,
                         int halResultCount, list<NNHal_HalInput> halInputs> {
  string mnemonic = halMnemonic;
  int opCode = halCode;
  string version = halVersion;
  int resultCount = halResultCount;
  list<NNHal_HalInput> inputs = halInputs;
  list<NNHal_HalInput> stated = !filter(entry, inputs, !ne(entry.name, ""));
  dag arguments = !dag(ins, !foreach(entry, stated, entry.constraint),
                       !foreach(entry, stated, entry.name));
  dag results = !if(!eq(resultCount, 0), (outs Variadic<NNHal_Tensor>:$outputs),
                    (outs NNHal_Tensor:$output));
}

include "nnhal/Dialect/NNHal/IR/HalSignatures.td"

/// The HAL operation \p signature at the canonical level. Results are printed
/// under the name of the operation; where they have \p ownNames, under these.
class NNHal_HalOp<NNHal_HalSignature signature, dag halResults,
                  list<Trait> traits, bit ownNames = 0>
    : Op<NNHal_Dialect, signature.mnemonic,
         !listconcat([NNHal_HalFormOpInterface]<Trait>,
                     !if(ownNames, []<Trait>, [OpAsmOpInterface]<Trait>),
                     traits)> {
  assert !or(!eq(signature.resultCount, 0),
             !eq(signature.resultCount, !size(halResults))),
      "the HAL's " # signature.mnemonic # " has another number of results";
  let arguments = signature.arguments;
  let results = halResults;
  string halDeclaration = [{
    static ::nnhal::rt::OperationType getOperationCode() {
      return ::nnhal::rt::OperationType(}] # !cast<string>(signature.opCode) # [{);
    }
    static ::nnhal::rt::HalVersion getHalVersion() {
      return ::nnhal::rt::HalVersion::}] # signature.version # [{;
    }
    ::nnhal::rt::Status readHalForm(::nnhal::HalView &view);
  }] # !if(ownNames, "", [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      if ((*this)->getNumResults() != 0)
        setName((*this)->getResult(0), "}] # signature.mnemonic # [{");
    }
  }]);
  let extraClassDeclaration = halDeclaration;
  let hasVerifier = 1;
}

/// With \p isNamed operands are printed with their names. With
/// \p hasSpatialResult result 0 has the layout of spatial inputs. Without
/// \p infersResults an operation states the types of its results.
///
/// The assembly has the operands, the attributes in the order of the inputs, but
/// a fused activation, which is what is done last, after the others, and the
/// types of operands and results.
class NNHal_FormOp<NNHal_HalSignature signature,
                   dag halResults = signature.results, bit isNamed = 0,
                   bit hasSpatialResult = 0,
                   bit infersResults = !ne(signature.resultCount, 0),
                   list<Trait> traits = []>
    : NNHal_HalOp<signature, halResults, !listconcat([Pure]<Trait>, traits,
        !if(!empty(!filter(entry, signature.inputs,
                           !eq(entry.kind, "activation"))),
            []<Trait>, [NNHal_FusedActivationOpInterface]<Trait>),
        !if(!lt(!size(!filter(entry, signature.inputs,
                              !eq(entry.kind, "optional"))),
                2), []<Trait>, [AttrSizedOperandSegments]<Trait>),
        !if(infersResults,
            [DeclareOpInterfaceMethods<InferTypeOpInterface>]<Trait>,
            []<Trait>)),
        /*ownNames=*/!and(infersResults, !lt(1, signature.resultCount))> {
  defvar halInputs = signature.inputs;
  list<NNHal_HalInput> ownAssembly = !listconcat(
      !if(isNamed, !filter(entry, halInputs, entry.isOperand),
          []<NNHal_HalInput>),
      !filter(entry, halInputs,
              !and(entry.isAttribute, !ne(entry.kind, "activation"))),
      !filter(entry, halInputs, !eq(entry.kind, "activation")));
  let assemblyFormat =
      !interleave(!listconcat(
          !if(!or(isNamed,
                  !empty(!filter(entry, halInputs, entry.isOperand))),
              []<string>, ["operands"]),
          !foreach(entry, ownAssembly, entry.assembly),
          ["attr-dict", "`:`", "functional-type(operands, results)"]), " ");

  string rows = !interleave(!foreach(entry, halInputs, entry.row), ", ");
  let extraClassDeclaration = halDeclaration # [{
    /// The inputs of the HAL operation, in its order.
    static ::llvm::ArrayRef<::nnhal::HalInput> getHalInputs();
    static constexpr bool hasSpatialResult = }] #
    !if(hasSpatialResult, "true", "false") # [{;
    /// The types of \p resultCount results.
    static ::nnhal::RuleResult inferTypes(Adaptor adaptor,
                                          unsigned resultCount);
  }] # !if(!not(infersResults), "", [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange stated) {
      return ::nnhal::areCompatibleReturnTypes(inferred, stated);
    }
    /// The verifier runs the same rule and names the operation in its message.
    static ::llvm::LogicalResult refineReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
        ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
  }]);
  let extraClassDefinition = [{
    ::llvm::ArrayRef<::nnhal::HalInput> $cppClass::getHalInputs() {
      static constexpr ::nnhal::HalInput inputs[] = {}] # rows # [{};
      return inputs;
    }
    ::nnhal::rt::Status $cppClass::readHalForm(::nnhal::HalView &view) {
      ::nnhal::readHalForm<$cppClass>(Adaptor(*this),
                                      (*this)->getResultTypes(), view);
      return ::nnhal::rt::Status(view.getStatus());
    }
    ::nnhal::RuleResult $cppClass::inferTypes(Adaptor adaptor,
                                              unsigned resultCount) {
      ::nnhal::HalView view;
      view.setOutputCount(resultCount);
      ::nnhal::readHalForm<$cppClass>(adaptor, {}, view);
      return ::nnhal::inferHalForm(view);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::nnhal::verifyHalForm(*this);
    }
  }] # !if(!not(infersResults), "", [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      Adaptor adaptor(operands, attributes, properties, regions);
      return ::nnhal::inferFromRule(context, location,
                                    inferTypes(adaptor, }] # signature.resultCount # [{),
                                    inferredReturnTypes);
    }
  }]);
}

#endif // NNHAL_DIALECT_NNHAL_IR_HALFORM
