//===- fortran_descriptors.h - What flang says of arrays in memory -*- C++ -*-===//

#ifndef HEXPASS_FORTRAN_DESCRIPTORS_H
#define HEXPASS_FORTRAN_DESCRIPTORS_H

#include "llvm/IR/Instructions.h"
#include <cstdint>
#include <map>
#include <optional>

namespace hexpass {

/// Bytes at which the fields of a descriptor start; of further dimensions, after the first
/// (ISO_Fortran_binding.h), and the codes of integer and real types.
enum : int64_t {
  BaseAt = 0,
  ElementAt = 8,
  VersionAt = 16,
  RankAt = 20,
  TypeAt = 21,
  AttributeAt = 22,
  ExtraAt = 23,
  LowerAt = 24,
  ExtentAt = 32,
  StrideAt = 40,
  DimensionBytes = 24,
};
constexpr uint64_t MostDimensions = 3;
constexpr uint64_t Allocatable = 2;
constexpr uint64_t LastInteger = 10, Float = 27, Double = 28;

/// A code of an integer or real type.
inline bool isNumber(uint64_t Type) {
  return (Type >= 1 && Type <= LastInteger) || Type == Float || Type == Double;
}

/// Bytes of the field that starts there.
std::optional<unsigned> sizeOfField(int64_t At);

/// What was stored last to each field of a descriptor, in the block of the call
/// and before it; nothing if something else may have written there since.
std::map<int64_t, llvm::Value *> fieldsBefore(const llvm::CallInst &Call,
                                              const llvm::AllocaInst *Descriptor);

} // namespace hexpass

#endif // HEXPASS_FORTRAN_DESCRIPTORS_H
