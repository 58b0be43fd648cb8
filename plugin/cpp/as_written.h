//===- as_written.h - The original loop as the host would have it -*- C++ -*-===//

#ifndef HEXPASS_AS_WRITTEN_H
#define HEXPASS_AS_WRITTEN_H

#include "look.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

namespace hexpass {

/// What a working copy remembers of the function that it was made of.
struct Marks {
  /// The locals of that function, in order; null: nothing is left of one.
  llvm::SmallVector<llvm::WeakVH, 16> Locals;
  /// Those that the copy has before a nest of it is taken.
  llvm::SmallPtrSet<const llvm::AllocaInst *, 16> Known;
  /// Static arrays in whose place the copy has locals.
  llvm::SmallVector<const llvm::GlobalVariable *, 4> Moved;
};

/// A loop of the function calls one that takes remainders. Inlined before it has been
/// optimised, as in a working copy, they become choices, of which the host does not see in
/// which range they are: the function is better off with the body that it has.
bool losesRanges(llvm::Function &F, Look &Cheap, llvm::FunctionAnalysisManager &FAM);

/// Brings a new copy to where marks can be put: the clean-up that the host begins with,
/// if it has not (`Clean`), and blocks before and behind outermost loops.
void prepare(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM, bool Clean);

/// Marks in a copy where its outermost loops begin and end, and what is known
/// there.
Marks mark(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// Erases all marks: those of the copy, and of what was cut out of it.
void unmark(llvm::Module &M);

/// Has `Fresh`, prepared from the function that `Copy` was made of, call the
/// runtime where `Copy` does: before the nests whose headers in `Copy` these are.
/// False: that can't be had, and `Fresh` is of no use.
bool callAsIn(llvm::Function &Fresh, llvm::Function &Copy, const Marks &Of,
              llvm::ArrayRef<llvm::BasicBlock *> Nests,
              llvm::FunctionAnalysisManager &FAM);

} // namespace hexpass

#endif // HEXPASS_AS_WRITTEN_H
