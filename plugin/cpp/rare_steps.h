//===- rare_steps.h - Two loops, for usual steps and for rare ones -*- C++ -*-===//

#ifndef HEXPASS_RARE_STEPS_H
#define HEXPASS_RARE_STEPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include <utility>

namespace hexpass {

/// From one block to another.
using Edge = std::pair<llvm::BasicBlock *, llvm::BasicBlock *>;

using Blocks = llvm::SmallPtrSet<llvm::BasicBlock *, 16>;

/// Blocks of the loop that `From` leads to in the same step, not through rare paths, `Until` or one
/// of `Not`.
Blocks blocksOfStep(const llvm::Loop &L, llvm::ArrayRef<Edge> Rare, llvm::BasicBlock *From,
                    const llvm::BasicBlock *Until = nullptr, const Blocks &Not = {});

/// Leaves the loop, which is in closed form, where one of the edges is taken, and does the rest of
/// such a step in a loop around it, whose header is returned.
llvm::BasicBlock *separateSteps(llvm::Loop &L, llvm::ArrayRef<Edge> Rare);

} // namespace hexpass

#endif // HEXPASS_RARE_STEPS_H
