//===- deferral.h - Bodies kept for link time -------------------*- C++ -*-===//

#ifndef HEXPASS_DEFERRAL_H
#define HEXPASS_DEFERRAL_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Before a link-time optimisation's compile step simplifies functions: those
/// that the link may need as they are get past it untouched.
struct DeferBodies : llvm::PassInfoMixin<DeferBodies> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
};

/// At the end of that compile step: optimisation is allowed again from here on,
/// and with `Import` every unit that calls such a function will see its body.
struct ReleaseBodies : llvm::PassInfoMixin<ReleaseBodies> {
  explicit ReleaseBodies(bool Import) : Import(Import) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

private:
  bool Import;
};

/// At the start of the link, before we look: takes the import's hint away.
struct ReceiveBodies : llvm::PassInfoMixin<ReceiveBodies> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
};

/// After we have looked: what the compile step would have done to the deferred
/// bodies, where the link's own pipeline would not; and the marks go.
struct SimplifyBodies : llvm::PassInfoMixin<SimplifyBodies> {
  explicit SimplifyBodies(llvm::FunctionPassManager Passes)
      : Passes(std::move(Passes)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

private:
  llvm::FunctionPassManager Passes;
};

/// Something in the loop is called that may have a body in another unit: no function that is known
/// for what it does, and none of the languages' own libraries.
bool callsAway(const llvm::Loop &L, const llvm::TargetLibraryInfo &TLI);
/// Marks `F` for DeferBodies, as one whose loops are to be looked at again.
void deferLook(llvm::Function &F);
/// Marks what came into being while we looked, and what we took, for
/// SimplifyBodies. `Before`: the functions that had a body.
void deferNew(llvm::Module &M,
              const llvm::SmallPtrSetImpl<const llvm::Function *> &Before);
/// Calls by declarations without parameters (C's `void step();`) are calls of the functions that
/// the link has found (unprototyped.cpp). Whether there were any.
bool giveCallsTheirTypes(llvm::Module &M);

} // namespace hexpass

#endif // HEXPASS_DEFERRAL_H
