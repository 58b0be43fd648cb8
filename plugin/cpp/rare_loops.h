//===- rare_loops.h - Rare paths that loops lead to --------------*- C++ -*-===//

#ifndef HEXPASS_RARE_LOOPS_H
#define HEXPASS_RARE_LOOPS_H

#include "rare_steps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Dominators.h"

namespace hexpass {

/// Rare paths to calls that are marked as seldom made, and what is asked before them, by loops too
/// (rare_loops.cpp).
class RareLoops {
public:
  RareLoops(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT, llvm::AAResults &AA)
      : L(L), LI(LI), DT(DT), AA(AA) {}

  /// Has all of that be asked when a step begins, if it says the same there.
  void bringForward(llvm::SmallVectorImpl<Edge> &Rare);
  /// Once `L` has lost the rare steps: nothing asks again.
  void settle();

private:
  /// One question: a branch, or a loop with branches that lead away.
  struct Question {
    llvm::Loop *Asks;
    llvm::SmallVector<Edge, 2> Away;
  };

  bool isRare(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  llvm::SmallPtrSet<llvm::BasicBlock *, 32> reached(const llvm::BasicBlock *Until) const;
  bool findQuestions();
  bool isAskedAlways(const llvm::BasicBlock *B) const;
  bool changes(const llvm::LoadInst &Load) const;
  llvm::Value *usual(llvm::Value *V) const;
  bool isKnown(llvm::Value *V, unsigned Depth = 0) const;
  bool isKnown(const Question &Q) const;
  llvm::Value *copyOf(llvm::Value *V, llvm::Instruction *At);
  void ask(const Question &Q, llvm::BasicBlock *&At, llvm::BasicBlock &Slow);

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::AAResults &AA;
  llvm::SmallVector<Edge, 8> All;
  /// Blocks of steps that take no rare path.
  llvm::SmallPtrSet<llvm::BasicBlock *, 32> Usual;
  /// In the order in which a step asks them.
  llvm::SmallVector<Question, 4> Questions;
};

} // namespace hexpass

#endif // HEXPASS_RARE_LOOPS_H
