//===- steady_exits.h - Exits asked for in each step alike ------*- C++ -*-===//

#ifndef HEXPASS_STEADY_EXITS_H
#define HEXPASS_STEADY_EXITS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace hexpass {

/// Exits of a loop that all of its steps take, or none (steady_exits.cpp).
class SteadyExits {
public:
  SteadyExits(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT, llvm::AAResults &AA);

  /// The loop is left from there in such a way, and in no other.
  bool has(const llvm::BasicBlock *Exiting) const;
  /// A step has asked for all of them when it comes to `Place`.
  bool areAskedBefore(const llvm::BasicBlock *Place) const;
  /// Something has asked before the loop, whose steps need not do so again.
  void settle() const;

private:
  bool isSteady(llvm::Value *V, const llvm::Loop *In);
  bool stays(const llvm::LoadInst &Load);
  bool answersAlike(llvm::BasicBlock *Exiting);

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::BatchAAResults AA;
  llvm::SmallPtrSet<const llvm::Instruction *, 32> Known;
  llvm::SmallVector<llvm::BasicBlock *, 4> Found;
};

} // namespace hexpass

#endif // HEXPASS_STEADY_EXITS_H
