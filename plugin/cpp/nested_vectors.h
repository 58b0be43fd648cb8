//===- nested_vectors.h - Vectors of vectors that steps copy ----*- C++ -*-===//

#ifndef HEXPASS_NESTED_VECTORS_H
#define HEXPASS_NESTED_VECTORS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// A method of vectors: not to be inlined before `copyNestedInPlace` has looked for it.
bool isOfVectors(const llvm::Function &Callee);
/// It may be one of vectors of vectors.
bool isOfNestedVectors(const llvm::Function &Callee);
/// There are calls of such methods of vectors of vectors.
bool hasNestedVectors(const llvm::Function &Copy);

/// Has loops around other loops copy vectors of vectors row by row where their shapes are the same
/// (nested_vectors.cpp). True if there were any.
bool copyNestedInPlace(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

} // namespace hexpass

#endif // HEXPASS_NESTED_VECTORS_H
