//===- plain_flags.h - Flags of the original loop as flags ------*- C++ -*-===//

#ifndef HEXPASS_PLAIN_FLAGS_H
#define HEXPASS_PLAIN_FLAGS_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Makes flags again of the largest of zeros and ones, in what is left of the original, when
/// nothing looks at it any more.
struct NumbersToFlags : llvm::PassInfoMixin<NumbersToFlags> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

} // namespace hexpass

#endif // HEXPASS_PLAIN_FLAGS_H
