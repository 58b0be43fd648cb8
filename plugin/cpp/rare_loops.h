//===- rare_loops.h - Rare paths that loops lead to --------------*- C++ -*-===//

#ifndef HEXPASS_RARE_LOOPS_H
#define HEXPASS_RARE_LOOPS_H

#include "rare_steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
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

  /// Has all of that be asked when a step begins, if it says the same there; where the loop has no
  /// side code, of Fortran's arrays only.
  void bringForward(llvm::SmallVectorImpl<Edge> &Rare, bool HasSideCode);
  /// Once `L` has lost the rare steps: nothing asks again.
  void settle();

private:
  /// One question: a branch, or a loop with branches that lead away.
  struct Question {
    llvm::Loop *Asks;
    llvm::SmallVector<Edge, 2> Away;
    /// It need not be asked when a step begins.
    bool MayStay = false;
  };

  bool isRare(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  Blocks reached(const llvm::BasicBlock *Until) const;
  bool findQuestions(bool HasSideCode);
  bool isAskedAlways(const llvm::BasicBlock *B) const;
  bool mayEndBefore(const llvm::BasicBlock *B) const;
  llvm::Argument *absent(const llvm::LoadInst &Load) const;
  bool isThere(const llvm::LoadInst &Load) const;
  bool changes(const llvm::LoadInst &Load) const;
  llvm::Value *usual(llvm::Value *V) const;
  bool isKnown(llvm::Value *V, unsigned Depth = 0) const;
  bool isKnown(const Question &Q) const;
  void addAbsent(llvm::Value *V, llvm::SmallSetVector<llvm::Argument *, 2> &To) const;
  llvm::Value *copyOf(llvm::Value *V, llvm::Instruction *At);
  void ask(const Question &Q, llvm::BasicBlock *&At, llvm::BasicBlock &Slow);

  llvm::Loop &L;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::AAResults &AA;
  llvm::SmallVector<Edge, 8> All;
  /// What is known to be said when a step begins, and what says it there.
  mutable llvm::SmallPtrSet<const llvm::Instruction *, 32> Said;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> Copies;
  /// Blocks of steps that take no rare path.
  Blocks Usual;
  /// In the order in which a step asks them.
  llvm::SmallVector<Question, 4> Questions;
};

} // namespace hexpass

#endif // HEXPASS_RARE_LOOPS_H
