//===- narrow_remainders.cpp - Remainders by 256 in a byte ------------------===//
//
// Consumes: a working copy after scalar clean-up, which keeps the remainder of a counter by 256, or
// by 65536, in a number of so many bits where it is only compared:
//
//     trunc k to i8 == -1
//
// Produces: the remainder, and what it was compared with: k & 255 == 255. Rows of that length are
// found by it, as those of any other are. Refuses numbers that no loop around counts: what is data
// may have been a byte.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {

PreservedAnalyses NarrowRemainders::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<ICmpInst *, Value *>, 8> Found;
  for (Instruction &I : instructions(F)) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    Value *Counter = nullptr;
    if (!Compare || !Compare->isEquality() || !LI.getLoopFor(I.getParent()) ||
        !isa<ConstantInt>(Compare->getOperand(1)) ||
        !match(Compare->getOperand(0), m_Trunc(m_Value(Counter))))
      continue;
    Type *Narrow = Compare->getOperand(0)->getType();
    if (!(Narrow->isIntegerTy(8) || Narrow->isIntegerTy(16)) ||
        !isa<SCEVAddRecExpr>(FAM.getResult<ScalarEvolutionAnalysis>(F).getSCEV(Counter)))
      continue;
    Found.push_back({Compare, Counter});
  }
  for (auto [Compare, Counter] : Found) {
    IRBuilder<> B(Compare);
    APInt With = cast<ConstantInt>(Compare->getOperand(1))->getValue();
    Type *Wide = Counter->getType();
    unsigned Bits = Wide->getIntegerBitWidth();
    Value *Rest = B.CreateAnd(Counter, APInt::getLowBitsSet(Bits, With.getBitWidth()));
    Compare->setOperand(0, Rest);
    Compare->setOperand(1, ConstantInt::get(Wide, With.zext(Bits)));
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
