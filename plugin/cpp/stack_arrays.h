//===- stack_arrays.h - Arrays that each step has on the stack --*- C++ -*-===//

#ifndef HEXPASS_STACK_ARRAYS_H
#define HEXPASS_STACK_ARRAYS_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Has loops around other loops keep the arrays that each of their steps would make on the stack
/// (stack_arrays.cpp), or have from the heap and give back. True if there was one.
bool keepStackArrays(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

} // namespace hexpass

#endif // HEXPASS_STACK_ARRAYS_H
