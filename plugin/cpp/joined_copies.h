//===- joined_copies.h - Elements that are copied together ------*- C++ -*-===//

#ifndef HEXPASS_JOINED_COPIES_H
#define HEXPASS_JOINED_COPIES_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Makes one copy of those that lie side by side, in innermost loops that copy all of a range
/// so. For what is left of the original, when nothing looks at it any more.
class JoinCopies : public llvm::PassInfoMixin<JoinCopies> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

} // namespace hexpass

#endif // HEXPASS_JOINED_COPIES_H
