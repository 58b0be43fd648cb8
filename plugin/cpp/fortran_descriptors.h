//===- fortran_descriptors.h - What flang says of arrays in memory -*- C++ -*-===//

#ifndef HEXPASS_FORTRAN_DESCRIPTORS_H
#define HEXPASS_FORTRAN_DESCRIPTORS_H

#include "llvm/ADT/StringRef.h"
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

/// A call that flang makes where it can't make loops of an assignment, or that gives one array
/// another's memory.
bool mayAllocateAnew(const llvm::Instruction &I);

/// What the program says of the words of a descriptor, wherever it reads its first one.
llvm::MDNode *tagOfWords(const llvm::Function &F, const llvm::Value *Descriptor);

/// What flang says of any array's elements, in the tree (each function has its own) in which
/// `Words` says it of a descriptor's words; null if that says something else.
llvm::MDNode *tagOfData(const llvm::MDNode *Words);

/// Names of flang's types for what accesses touch: words of descriptors, and elements of any array.
constexpr llvm::StringLiteral WordsType = "descriptor member", DataType = "any data access";

/// The type of that name that an access is tagged with, or that lies above it; null if there is none.
llvm::MDNode *typeAbove(const llvm::MDNode *Tag, llvm::StringRef Name);

/// One is an access of a descriptor's words and the other one of elements, as flang says, in the trees
/// of whatever functions: LLVM compares those of one only.
bool areWordsAndData(const llvm::MDNode *X, const llvm::MDNode *Y);

/// Bytes of the field that starts there.
std::optional<unsigned> sizeOfField(int64_t At);

/// What its function stores to a field of a local array's descriptor, wherever it stores there.
/// Calls of the runtime leave an array's rank and type as they are.
std::optional<uint64_t> fieldOfLocal(const llvm::AllocaInst &Descriptor, int64_t At);

/// A local descriptor is of an array of integers or reals wherever it is filled, also from that of an
/// array in a module, whose type nobody changes.
bool isOfNumbers(const llvm::AllocaInst &Descriptor);

/// What was stored last to each field of a descriptor, in the block of the call
/// and before it; nothing if something else may have written there since.
std::map<int64_t, llvm::Value *> fieldsBefore(const llvm::CallInst &Call,
                                              const llvm::AllocaInst *Descriptor);

/// What fills a descriptor moves to the call that needs it, if that is all that it is for.
void sinkDescriptor(llvm::AllocaInst &Descriptor, llvm::CallInst &Call);

} // namespace hexpass

#endif // HEXPASS_FORTRAN_DESCRIPTORS_H
