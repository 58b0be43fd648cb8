//===- joined_signs.cpp - Conditions on several numbers' signs, one by one -===//
//
// Consumes: a working copy after scalar clean-up, which makes one comparison of several numbers'
// signs by joining their bits:
//
//     (i - 1 | j - 1) > -1        of        i - 1 >= 0 && j - 1 >= 0
//
// Produces: comparisons of the numbers themselves, which say something about a position. And what
// asks for the sign of narrow numbers as a bit of wide ones, as a comparison of the narrow ones:
//
//     (i - 1 ^ n) & 0x80000000     of        int(i - 1) ^ int(n) < 0, in Fortran's modulo
//
// Refuses numbers that are not counted by the loops around them: of data, the one comparison is as
// good.
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

/// A comparison of narrow numbers' signs that is made with a bit of wide ones; whether it was one.
bool narrowsSigns(ICmpInst &Compare) {
  Value *X = nullptr, *Y = nullptr;
  const APInt *Bit = nullptr;
  if (!Compare.isEquality() || !Compare.getType()->isIntegerTy() ||
      !match(Compare.getOperand(0), m_And(m_Xor(m_Value(X), m_Value(Y)), m_APInt(Bit))) ||
      !match(Compare.getOperand(1), m_Zero()) || !Bit->isPowerOf2() || Bit->isSignMask())
    return false;
  unsigned Bits = Bit->logBase2() + 1;
  if (Bits != 8 && Bits != 16 && Bits != 32)
    return false;
  IRBuilder<> B(&Compare);
  Type *Narrow = B.getIntNTy(Bits);
  Value *Joined = B.CreateXor(B.CreateTrunc(X, Narrow), B.CreateTrunc(Y, Narrow));
  Value *Zero = ConstantInt::get(Narrow, 0);
  bool Differ = Compare.getPredicate() == ICmpInst::ICMP_NE;
  Compare.replaceAllUsesWith(Differ ? B.CreateICmpSLT(Joined, Zero)
                                    : B.CreateICmpSGE(Joined, Zero));
  Compare.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses JoinedSigns::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  bool Narrowed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Compare = dyn_cast<ICmpInst>(&I); Compare && LI.getLoopFor(I.getParent()))
      Narrowed |= narrowsSigns(*Compare);
  SmallVector<ICmpInst *, 8> Work;
  for (Instruction &I : instructions(F))
    if (auto *Compare = dyn_cast<ICmpInst>(&I);
        Compare && Compare->getType()->isIntegerTy() && LI.getLoopFor(I.getParent()))
      if (auto *Joined = dyn_cast<BinaryOperator>(Compare->getOperand(0)))
        if (saysOf(Compare->getPredicate(), Compare->getOperand(1), Joined->getOpcode()) !=
            Says::Nothing)
          Work.push_back(Compare);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  if (Work.empty())
    return Narrowed ? Kept : PreservedAnalyses::all();
  if (Narrowed)
    FAM.invalidate(F, Kept);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = Narrowed;
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
  return Changed ? Kept : PreservedAnalyses::all();
}

} // namespace hexpass
