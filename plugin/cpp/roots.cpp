//===- roots.cpp - Functions of libm that only compute -----------------------===//
//
// Consumes: a working copy in which C's `sqrt`, `sin` and their like are called, which write errno of
// what they are not defined for. Produces: the root that an instruction takes, which may stand under
// a condition or in a sum, and be taken where the source does not; and calls of the others that touch
// no memory, so that sweeps with them may wait beside other code. Refuses units that ask where errno
// is, and calls that must keep what they may do (`nobuiltin`, strict floating point).
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "stretches.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

void hexpass::letFunctionsOnlyCompute(Function &F, const TargetLibraryInfo &TLI) {
  if (F.getParent()->getFunction("__errno_location") || F.hasFnAttribute(Attribute::StrictFP))
    return;
  SmallVector<CallInst *, 8> Roots;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    LibFunc Known;
    if (!Call || Call->isNoBuiltin() || Call->isMustTailCall() ||
        !TLI.getLibFunc(*Call, Known) || !TLI.has(Known))
      continue;
    if (Known == LibFunc_sqrt || Known == LibFunc_sqrtf) {
      Roots.push_back(Call);
    } else if (isMathematics(*Call)) {
      Call->setDoesNotAccessMemory();
      Call->setDoesNotThrow();
      Call->addFnAttr(Attribute::WillReturn);
    }
  }
  for (CallInst *Call : Roots) {
    IRBuilder<> B(Call);
    Value *Root = B.CreateUnaryIntrinsic(Intrinsic::sqrt, Call->getArgOperand(0), Call);
    Root->takeName(Call);
    Call->replaceAllUsesWith(Root);
    Call->eraseFromParent();
  }
}
