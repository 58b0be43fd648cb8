//===- joined_signs.cpp - Conditions on several numbers' signs, one by one -===//
//
// Consumes: a working copy after scalar clean-up, which makes one comparison of several numbers'
// signs by joining their bits:
//
//     (i - 1 | j - 1) > -1        of        i - 1 >= 0 && j - 1 >= 0
//
// Produces: comparisons of the numbers themselves, which say something about a position. Refuses
// numbers that are not counted by the loops around them: of data, the one comparison is as good.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Numbers that are joined in one comparison.
constexpr unsigned MostNumbers = 8;

/// `How` (a comparison with `With`) of what `Opcode` joins is that of all of the numbers, or of
/// one of them.
enum class Says { Nothing, All, One };

Says saysOf(CmpInst::Predicate How, const Value *With, Instruction::BinaryOps Opcode) {
  bool Or = Opcode == Instruction::Or;
  if (!Or && Opcode != Instruction::And)
    return Says::Nothing;
  if (How == ICmpInst::ICMP_SGT && match(With, m_AllOnes()))
    return Or ? Says::All : Says::One;
  if (How == ICmpInst::ICMP_SLT && match(With, m_Zero()))
    return Or ? Says::One : Says::All;
  return Says::Nothing;
}

/// The numbers that `V` joins; false where there are too many.
bool listJoined(Value *V, unsigned Opcode, SmallVectorImpl<Value *> &Found) {
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || I->getOpcode() != Opcode) {
    Found.push_back(V);
    return Found.size() <= MostNumbers;
  }
  return listJoined(I->getOperand(0), Opcode, Found) && listJoined(I->getOperand(1), Opcode, Found);
}

/// It is counted by the loops around, or stays the same in the innermost of them.
bool isCounted(Value *V, const Loop &L, ScalarEvolution &SE) {
  const SCEV *S = SE.getSCEV(V);
  return SE.isLoopInvariant(S, &L) || SE.hasComputableLoopEvolution(S, &L);
}

} // namespace

PreservedAnalyses JoinedSigns::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<ICmpInst *, 8> Work;
  for (Instruction &I : instructions(F))
    if (auto *Compare = dyn_cast<ICmpInst>(&I);
        Compare && Compare->getType()->isIntegerTy() && LI.getLoopFor(I.getParent()))
      if (auto *Joined = dyn_cast<BinaryOperator>(Compare->getOperand(0)))
        if (saysOf(Compare->getPredicate(), Compare->getOperand(1), Joined->getOpcode()) !=
            Says::Nothing)
          Work.push_back(Compare);
  if (Work.empty())
    return PreservedAnalyses::all();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = false;
  for (ICmpInst *Compare : Work) {
    auto *Joined = cast<BinaryOperator>(Compare->getOperand(0));
    auto Opcode = Joined->getOpcode();
    const Loop &L = *LI.getLoopFor(Compare->getParent());
    SmallVector<Value *, MostNumbers> Numbers;
    if (!listJoined(Joined, Opcode, Numbers) ||
        !all_of(Numbers, [&](Value *V) { return isCounted(V, L, SE); }))
      continue;
    CmpInst::Predicate How = Compare->getPredicate();
    Value *With = Compare->getOperand(1), *Said = nullptr;
    bool All = saysOf(How, With, Opcode) == Says::All;
    IRBuilder<> B(Compare);
    for (Value *Number : Numbers) {
      Value *Each = B.CreateICmp(How, Number, With);
      Said = !Said ? Each : All ? B.CreateAnd(Said, Each) : B.CreateOr(Said, Each);
    }
    SE.forgetValue(Compare);
    Compare->replaceAllUsesWith(Said);
    Compare->eraseFromParent();
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
