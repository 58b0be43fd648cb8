//===- rare_checks.h - Rare paths known when a step begins ------*- C++ -*-===//

#ifndef HEXPASS_RARE_CHECKS_H
#define HEXPASS_RARE_CHECKS_H

#include "rare_steps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"

namespace hexpass {

/// What leads to rare paths of a loop, and is known when a step begins (rare_checks.cpp).
class RareChecks {
public:
  RareChecks(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT) : L(L), LI(LI), DT(DT) {}

  /// Replaces those of the edges whose conditions the other steps don't change by one at the
  /// beginning of a step.
  void bringForward(llvm::SmallVectorImpl<Edge> &Rare);
  /// Once `L` has lost the rare steps: nothing asks again.
  void settle();

private:
  bool isRare(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  llvm::Value *usual(llvm::Value *V) const;
  llvm::Value *lengthOf(llvm::Value *V) const;
  void findSteady();
  bool isAskedAlways(const llvm::BasicBlock *Asks) const;
  bool isKnown(llvm::Value *V, bool Always) const;
  llvm::Value *copyOf(llvm::Value *V, llvm::Instruction *At);

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ArrayRef<Edge> All;
  llvm::SmallVector<Edge, 8> Known;
  /// Blocks of steps that take no rare path.
  Blocks Usual;
  /// Of the header's: those that such steps leave as they are, and those that they set to what
  /// does not change either.
  llvm::SmallPtrSet<llvm::PHINode *, 8> Stays;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::Value *>, 4> Settles;
};

} // namespace hexpass

#endif // HEXPASS_RARE_CHECKS_H
