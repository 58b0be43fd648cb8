//===- alarms.h - What a sweep does in case of an alarm ---------*- C++ -*-===//

#ifndef HEXPASS_ALARMS_H
#define HEXPASS_ALARMS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Has sweeps say whether an alarm was raised in them (alarms.cpp).
struct RaiseAlarms : llvm::PassInfoMixin<RaiseAlarms> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// The block is entered in case of an alarm only.
bool isAlarmed(const llvm::BasicBlock &B);

/// Says that what the builder writes is an alarmed block.
void markAlarmed(llvm::IRBuilderBase &B);

/// It is handed what a sweep leaves of its alarms.
bool isHeard(const llvm::Instruction &I);

/// The conditional branches into an alarmed block; none, if it is entered in another way, or if
/// somewhere that would not be said.
llvm::SmallVector<llvm::BranchInst *, 2> waysInto(llvm::BasicBlock &Alarmed);

/// The alarmed blocks of a function.
llvm::SmallVector<llvm::BasicBlock *, 2> alarmedBlocks(llvm::Function &F);

/// As if no alarm were ever raised, but what the function leaves says whether one would have been.
void expectNoAlarm(llvm::Function &F);

/// Takes all of that out again.
void silenceAlarms(llvm::Function &F);

} // namespace hexpass

#endif // HEXPASS_ALARMS_H
