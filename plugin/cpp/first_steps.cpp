//===- first_steps.cpp - The first step of a loop by itself ----------------===//
//
// Consumes: a time loop whose first step is another one, as where an older time level than the
// first is needed.
//
//     for (t = 0; t < steps; t++) {
//         if (t == 0)
//             first(next, now);
//         else
//             leapfrog(next, now, before);
//         rotate(before, now, next);
//     }
//
// Produces: the first step, if there is one, and a loop for the others, which asks no more. Refuses
// branches of which it is not known that they go one way in the first step and the other way in
// all others, and those without a sweep: what else a step does is no matter.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "rare_paths.h"
#include "taken.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Instructions of a step that is copied.
constexpr unsigned MaxStep = 6000;

/// Casts and comparisons between a flag and the branch.
constexpr unsigned MaxDepth = 4;

/// Looks in a loop for a branch that goes another way in the first step.
class FirstStep {
public:
  FirstStep(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE)
      : L(L), LI(LI), DT(DT), SE(SE) {}

  /// The branch, and its condition in the first step; null if there is none.
  std::pair<BranchInst *, bool> find() const {
    for (BasicBlock *B : L.blocks()) {
      auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
      if (!Branch || !Branch->isConditional() || LI.getLoopFor(B) != &L || !choosesSweep(*Branch))
        continue;
      std::optional<bool> First = byCount(*Branch->getCondition());
      if (!First)
        First = byFlag(*Branch);
      if (First)
        return {Branch, *First};
    }
    return {nullptr, false};
  }

private:
  /// A loop runs on one of its ways only.
  bool choosesSweep(const BranchInst &Branch) const {
    return any_of(L.getSubLoops(), [&](const Loop *Inner) {
      return any_of(successors(&Branch), [&](const BasicBlock *Way) {
        return DT.dominates(BasicBlockEdge(Branch.getParent(), Way), Inner->getHeader());
      });
    });
  }

  const SCEV *inFirst(const SCEV *S) const {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(S);
    return Counter && Counter->getLoop() == &L ? Counter->getStart() : S;
  }

  /// The value is that of a phi of the header: what that gets for the next step says more than a
  /// sum that is made for the occasion.
  const SCEV *inOthers(Value *V, const SCEV *S) const {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(S);
    if (!Counter || Counter->getLoop() != &L)
      return S;
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && Phi->getParent() == L.getHeader()
               ? SE.getSCEV(Phi->getIncomingValueForBlock(L.getLoopLatch()))
               : Counter->getPostIncExpr(SE);
  }

  /// What is compared is counted by the steps, or doesn't change in the loop.
  std::optional<bool> byCount(Value &Condition) const {
    auto *Asks = dyn_cast<ICmpInst>(&Condition);
    if (!Asks || !Asks->getOperand(0)->getType()->isIntegerTy())
      return std::nullopt;
    const SCEV *S[2], *First[2], *Others[2];
    for (unsigned I : {0, 1}) {
      S[I] = SE.getSCEV(Asks->getOperand(I));
      First[I] = inFirst(S[I]);
      Others[I] = inOthers(Asks->getOperand(I), S[I]);
      if (!SE.isLoopInvariant(First[I], &L))
        return std::nullopt;
    }
    CmpInst::Predicate Is = Asks->getPredicate(), IsNot = Asks->getInversePredicate();
    auto Known = [&](CmpInst::Predicate P, const SCEV *(&Of)[2]) {
      return SE.isKnownPredicate(P, Of[0], Of[1]);
    };
    bool StartsSo = Known(Is, First);
    // A counter that doesn't come round is not where it began any more.
    if (Asks->isEquality() && (leaves(S[0], S[1]) || leaves(S[1], S[0])) &&
        Known(CmpInst::ICMP_EQ, First))
      return StartsSo;
    if (StartsSo ? Known(IsNot, Others) : Known(IsNot, First) && Known(Is, Others))
      return StartsSo;
    return std::nullopt;
  }

  bool leaves(const SCEV *Counter, const SCEV *From) const {
    auto *Steps = dyn_cast<SCEVAddRecExpr>(Counter);
    return Steps && Steps->getLoop() == &L && Steps->isAffine() && Steps->hasNoSelfWrap() &&
           SE.isKnownNonZero(Steps->getStepRecurrence(SE)) && SE.isLoopInvariant(From, &L);
  }

  /// The phi of the header that a condition is made of, and nothing else that changes.
  PHINode *flagOf(Value *Condition) const {
    for (unsigned Depth = 0; Depth < MaxDepth; ++Depth) {
      if (auto *Phi = dyn_cast<PHINode>(Condition))
        return Phi->getParent() == L.getHeader() ? Phi : nullptr;
      auto *I = dyn_cast<Instruction>(Condition);
      bool IsOfOne = I && (isa<CastInst>(I) || ((isa<ICmpInst>(I) || isa<BinaryOperator>(I)) &&
                                                isa<ConstantInt>(I->getOperand(1))));
      if (!IsOfOne)
        return nullptr;
      Condition = I->getOperand(0);
    }
    return nullptr;
  }

  /// What it is where its flag is `Flag`.
  Constant *conditionFor(Value *Condition, const PHINode &Of, Constant *Flag) const {
    if (Condition == &Of)
      return Flag;
    auto *I = cast<Instruction>(Condition);
    Constant *Operand = conditionFor(I->getOperand(0), Of, Flag);
    if (!Operand)
      return nullptr;
    SmallVector<Constant *, 2> Operands{Operand};
    if (I->getNumOperands() == 2)
      Operands.push_back(cast<Constant>(I->getOperand(1)));
    return ConstantFoldInstOperands(I, Operands, I->getDataLayout());
  }

  /// What the flag is after each step: a constant that it gets in the first, at the latest, if the
  /// branch goes to `Way` in that. Null if that is not so.
  Constant *flagAfter(const PHINode &Flag, const BranchInst &Branch, const BasicBlock *Way) const {
    Value *Next = Flag.getIncomingValueForBlock(L.getLoopLatch());
    auto *Join = dyn_cast<PHINode>(Next);
    if (!Join || Join == &Flag || !L.contains(Join))
      return dyn_cast<ConstantInt>(Next);
    const BasicBlock *B = Branch.getParent();
    const BasicBlock *Other = Branch.getSuccessor(Branch.getSuccessor(0) == Way ? 1 : 0);
    Constant *Set = nullptr;
    for (unsigned I = 0; I < Join->getNumIncomingValues(); ++I) {
      Value *V = Join->getIncomingValue(I);
      const BasicBlock *From = Join->getIncomingBlock(I);
      if (V == &Flag) {
        // Not in the first step.
        if (Other == Way || !(From == B ? Join->getParent() == Other
                                        : DT.dominates(BasicBlockEdge(B, Other), From)))
          return nullptr;
        continue;
      }
      auto *Number = dyn_cast<ConstantInt>(V);
      if (!Number || (Set && Set != Number))
        return nullptr;
      Set = Number;
    }
    return Set;
  }

  /// `if (first) { first = 0; ... }`
  std::optional<bool> byFlag(const BranchInst &Branch) const {
    PHINode *Flag = flagOf(Branch.getCondition());
    auto *Begin =
        Flag ? dyn_cast<ConstantInt>(Flag->getIncomingValueForBlock(L.getLoopPreheader())) : nullptr;
    auto Asked = [&](Constant *Is) {
      return Is ? dyn_cast_or_null<ConstantInt>(conditionFor(Branch.getCondition(), *Flag, Is))
                : nullptr;
    };
    ConstantInt *First = Asked(Begin);
    if (!First)
      return std::nullopt;
    ConstantInt *Others = Asked(flagAfter(*Flag, Branch, Branch.getSuccessor(First->isOne() ? 0 : 1)));
    return Others && Others != First ? std::optional(First->isOne()) : std::nullopt;
  }

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
};

} // namespace

PreservedAnalyses FirstStepApart::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (L->isInnermost() || !L->isLoopSimplifyForm() || isTaken(*L) || !canPeel(L))
      continue;
    auto [Branch, IsFirst] = FirstStep(*L, LI, DT, SE).find();
    if (!Branch || instructionsOf(*L) > MaxStep)
      continue;
    formLCSSARecursively(*L, DT, &LI, &SE);
    ValueToValueMapTy First;
    if (!peelLoop(L, 1, /*PeelLast=*/false, &LI, &SE, DT, &FAM.getResult<AssumptionAnalysis>(F),
                  /*PreserveLCSSA=*/true, First))
      continue;
    auto Always = [&](bool Is) { return ConstantInt::getBool(F.getContext(), Is); };
    // Or what either step stores last would be stored where the loop begins, before it is asked
    // whether there is another one.
    IRBuilder<>(L->getLoopPreheader()->getTerminator()).CreateIntrinsic(Intrinsic::sideeffect, {});
    cast<BranchInst>(First[Branch])->setCondition(Always(IsFirst));
    Branch->setCondition(Always(!IsFirst));
    markSettled(*L);
    return PreservedAnalyses::none();
  }
  return PreservedAnalyses::all();
}

} // namespace hexpass
