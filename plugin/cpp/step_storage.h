//===- step_storage.h - Storage that each step allocates --------*- C++ -*-===//

#ifndef HEXPASS_STEP_STORAGE_H
#define HEXPASS_STEP_STORAGE_H

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Has loops around other loops keep storage that each of their steps would allocate and free
/// (step_storage.cpp). True if there was one.
bool keepStorage(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// Rust calls this before it allocates, so that programs without an allocator don't link.
bool isMarkOfRust(const llvm::Function &F);
bool isMarkOfRust(const llvm::Instruction *I);

/// Says that a branch hardly ever goes this way, which rare_paths.cpp then takes out of loops that
/// allocate.
void markSeldom(llvm::BranchInst &Branch, unsigned Way);
/// Where `B` branches to hardly ever; null where nothing says so.
llvm::BasicBlock *seldomAfter(const llvm::BasicBlock &B);
/// The same of ways to a call, whatever leads there: branches may be turned round meanwhile.
void markSeldomReached(llvm::CallBase &Call);
bool isSeldomReached(const llvm::BasicBlock &B);

} // namespace hexpass

#endif // HEXPASS_STEP_STORAGE_H
