//===- rare_paths.h - Time loops without what they hardly ever do -*- C++ -*-===//

#ifndef HEXPASS_RARE_PATHS_H
#define HEXPASS_RARE_PATHS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Takes steps that allocate memory out of loops that hardly ever do, after `separatePaths`, and
/// others that are marked (`Marked`: there may be some). True if there was one.
bool separateRarePaths(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM, bool Marked);

/// `B` is where a loop goes on with such a step.
bool isRarePath(const llvm::BasicBlock &B);

/// All such steps have been taken out of the loop.
bool isSettled(const llvm::Loop &L);
void markSettled(llvm::Loop &L);

/// The loop of a settled one and its other steps.
bool resumesSettled(const llvm::Loop &L);

} // namespace hexpass

#endif // HEXPASS_RARE_PATHS_H
