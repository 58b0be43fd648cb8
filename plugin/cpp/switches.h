//===- switches.h - Choices among values as two-way branches -----*- C++ -*-===//

#ifndef HEXPASS_SWITCHES_H
#define HEXPASS_SWITCHES_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Makes two-way branches of switches.
class BranchSwitches : public llvm::PassInfoMixin<BranchSwitches> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

} // namespace hexpass

#endif // HEXPASS_SWITCHES_H
