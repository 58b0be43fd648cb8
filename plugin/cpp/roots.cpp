//===- roots.cpp - Square roots that only compute ----------------------------===//
//
// Consumes: a working copy in which C's `sqrt` is called, which writes errno of a negative number.
// Produces: the root that an instruction takes, which may stand under a condition or in a sum, and
// be taken where the source does not. Refuses units that ask where errno is, and calls that must
// keep what they may do (`nobuiltin`, strict floating point).
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

void hexpass::takeRootsAlone(Function &F, const TargetLibraryInfo &TLI) {
  if (F.getParent()->getFunction("__errno_location") || F.hasFnAttribute(Attribute::StrictFP))
    return;
  SmallVector<CallInst *, 8> Roots;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    LibFunc Known;
    if (Call && !Call->isNoBuiltin() && !Call->isMustTailCall() &&
        TLI.getLibFunc(*Call, Known) && TLI.has(Known) &&
        (Known == LibFunc_sqrt || Known == LibFunc_sqrtf))
      Roots.push_back(Call);
  }
  for (CallInst *Call : Roots) {
    IRBuilder<> B(Call);
    Value *Root = B.CreateUnaryIntrinsic(Intrinsic::sqrt, Call->getArgOperand(0), Call);
    Root->takeName(Call);
    Call->replaceAllUsesWith(Root);
    Call->eraseFromParent();
  }
}
