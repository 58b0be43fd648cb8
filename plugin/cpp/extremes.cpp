//===- extremes.cpp - Largest elements of arrays ---------------------------===//
//
// Consumes: a working copy with loops in simplified and closed form. What flang makes of
// `maxval` and `minval` begins with the array's first element, and lets a NaN give way to any
// number:
//
//     most = a(1, 1)
//     do over all of a
//       if (a(i, j) > most .or. (most /= most .and. a(i, j) == a(i, j))) most = a(i, j)
//
// Produces: the same, begun with a NaN, so that nothing has to be read before. Which NaN is left
// of an array of NaNs is not said by LLVM either. Where the loops might have no iterations, they
// are asked whether they have: that the element is read then is a rare path (rare_paths.cpp).
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "step_storage.h"
#include "turns.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {

bool givesWay(const Value &New, const Value &Best, const Value *&Other, CmpInst::Predicate &Wins) {
  Value *X = nullptr, *Better, *Unless;
  if (!match(&New, m_Select(m_Or(m_Value(Better), m_Value(Unless)), m_Value(X), m_Specific(&Best))))
    return false;
  auto IsNaN = [&](Value *V) {
    CmpPredicate None, Some;
    return match(V, m_c_And(m_FCmp(None, m_Specific(&Best), m_AnyZeroFP()),
                            m_FCmp(Some, m_Specific(X), m_AnyZeroFP()))) &&
           None == FCmpInst::FCMP_UNO && Some == FCmpInst::FCMP_ORD;
  };
  if (IsNaN(Better))
    std::swap(Better, Unless);
  CmpPredicate P;
  if (!IsNaN(Unless) || !match(Better, m_FCmp(P, m_Specific(X), m_Specific(&Best))) ||
      (P != FCmpInst::FCMP_OGT && P != FCmpInst::FCMP_OLT))
    return false;
  Other = X;
  Wins = P;
  return true;
}

namespace {

/// A largest or smallest element, by the phis of the loops' headers from the outermost inwards.
struct Extreme {
  SmallVector<PHINode *, 3> Chain;
  const LoadInst *Element = nullptr;
};

/// Whether an innermost loop finds one.
std::optional<Extreme> findExtreme(Loop &Innermost, LoopInfo &LI) {
  for (PHINode &Phi : Innermost.getHeader()->phis()) {
    const Value *X = nullptr;
    CmpInst::Predicate Wins;
    if (!Phi.getType()->isFloatingPointTy() || !Innermost.getLoopLatch() ||
        !givesWay(*Phi.getIncomingValueForBlock(Innermost.getLoopLatch()), Phi, X, Wins) ||
        !isa<LoadInst>(X))
      continue;
    Extreme E{{&Phi}, cast<LoadInst>(X)};
    for (Loop *At = &Innermost;;) {
      Loop *Around = At->getParentLoop();
      auto *Outer =
          dyn_cast<PHINode>(E.Chain.front()->getIncomingValueForBlock(At->getLoopPreheader()));
      if (!Around || !Outer || Outer->getParent() != Around->getHeader() ||
          throughExits(Outer->getIncomingValueForBlock(Around->getLoopLatch())) != E.Chain.front())
        break;
      E.Chain.insert(E.Chain.begin(), Outer);
      At = Around;
    }
    return E;
  }
  return std::nullopt;
}

bool writes(const BasicBlock &B) {
  return any_of(B, [](const Instruction &I) { return I.mayWriteToMemory(); });
}

/// `S` is more than zero where `At` is executed.
bool isPositive(const SCEV *S, const Instruction &At, ScalarEvolution &SE) {
  if (auto *Wide = dyn_cast<SCEVZeroExtendExpr>(S))
    return isPositive(Wide->getOperand(), At, SE);
  if (auto *Most = dyn_cast<SCEVSMaxExpr>(S))
    return any_of(Most->operands(), [&](const SCEV *Of) { return isPositive(Of, At, SE); });
  if (auto *Sum = dyn_cast<SCEVAddExpr>(S); Sum && Sum->getNumOperands() == 2)
    if (auto *Most = dyn_cast<SCEVSMaxExpr>(Sum->getOperand(1)))
      return any_of(Most->operands(), [&](const SCEV *Of) {
        return isPositive(SE.getAddExpr(Sum->getOperand(0), Of), At, SE);
      });
  return SE.isKnownPredicateAt(ICmpInst::ICMP_SGT, S, SE.getZero(S->getType()), &At);
}

/// Where it is asked whether the element is read; where it is read, if nobody asks.
Instruction *questionOf(LoadInst &First) {
  BasicBlock *Asks = First.getParent()->getSinglePredecessor();
  auto *Branch = Asks ? dyn_cast<BranchInst>(Asks->getTerminator()) : nullptr;
  BasicBlock *Behind = First.getParent()->getSingleSuccessor();
  bool IsAsked = Branch && Branch->isConditional() && is_contained(successors(Asks), Behind);
  return IsAsked ? cast<Instruction>(Branch) : &First;
}

/// The first element as the beginning.
struct Beginning {
  Use *First;
  /// How often loops are executed that may not be executed at all.
  SmallVector<const SCEV *, 2> Unsure;
};

/// That, if the element is read right before the loops.
std::optional<Beginning> beginningOf(const Extreme &E, LoopInfo &LI, ScalarEvolution &SE) {
  PHINode &Root = *E.Chain.front();
  const Loop &L = *LI.getLoopFor(Root.getParent());
  BasicBlock *Before = L.getLoopPreheader();
  Use *Begin = &Root.getOperandUse(Root.getBasicBlockIndex(Before));
  if (auto *Either = dyn_cast<PHINode>(Begin->get());
      Either && Either->hasOneUse() && !L.contains(Either))
    for (Use &U : Either->incoming_values())
      if (isa<LoadInst>(U) && Either->getParent() == Before)
        Begin = &U;
  auto *First = dyn_cast<LoadInst>(Begin->get());
  if (!First || !First->isSimple() || !E.Element->isSimple() ||
      (First->getParent() != Before && First->getParent()->getSingleSuccessor() != Before))
    return std::nullopt;
  bool Behind = false;
  for (const BasicBlock *B : SmallPtrSet<const BasicBlock *, 2>{First->getParent(), Before})
    for (const Instruction &I : *B) {
      Behind |= &I == First || B != First->getParent();
      if (Behind && I.mayWriteToMemory())
        return std::nullopt;
    }
  if (any_of(L.blocks(), [](const BasicBlock *B) { return writes(*B); }))
    return std::nullopt;
  Beginning Found{Begin, {}};
  const SCEV *Address = SE.getSCEV(const_cast<Value *>(E.Element->getPointerOperand()));
  for (PHINode *Phi : reverse(E.Chain)) {
    const Loop *Of = LI.getLoopFor(Phi->getParent());
    const SCEV *Times = SE.getBackedgeTakenCount(Of);
    auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Address);
    if (isa<SCEVCouldNotCompute>(Times) || !Recurrence || Recurrence->getLoop() != Of ||
        !SE.isLoopInvariant(Times, &L))
      return std::nullopt;
    if (!isPositive(Times, *First, SE))
      Found.Unsure.push_back(Times);
    Address = Recurrence->getStart();
  }
  SCEVExpander Expander(SE, "times");
  Instruction *Asked = questionOf(*First);
  auto IsKnown = [&](const SCEV *Times) { return Expander.isSafeToExpandAt(Times, Asked); };
  // Nothing else comes of the block that reads.
  auto IsAlone = [&] {
    return First->hasOneUse() &&
           (Asked == First || all_of(Before->phis(), [&](PHINode &Phi) {
              auto *Other = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(First->getParent()));
              return !Other || Other == First || Other->getParent() != First->getParent();
            }));
  };
  if (Address != SE.getSCEV(First->getPointerOperand()) ||
      !(Found.Unsure.empty() || (IsAlone() && all_of(Found.Unsure, IsKnown))))
    return std::nullopt;
  return Found;
}

/// Begins with nothing, unless there may be nothing else.
void beginWithNothing(const Beginning &Of, LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT) {
  auto *First = cast<LoadInst>(Of.First->get());
  Constant *Nothing = ConstantFP::getNaN(First->getType());
  if (Of.Unsure.empty())
    return Of.First->set(Nothing);
  SCEVExpander Expander(SE, "times");
  Instruction *At = questionOf(*First);
  auto *Branch = dyn_cast<BranchInst>(At);
  BasicBlock *Reads = First->getParent(), *Asks = At->getParent();
  IRBuilder<> B(At);
  Value *Any = B.getTrue();
  if (Branch)
    Any = Branch->getSuccessor(0) == Reads ? Branch->getCondition()
                                           : B.CreateNot(Branch->getCondition());
  for (const SCEV *Times : Of.Unsure) {
    Value *Of = Expander.expandCodeFor(Times, Times->getType(), At->getIterator());
    Any = B.CreateAnd(Any, B.CreateICmpSGT(Of, Constant::getNullValue(Of->getType())));
  }
  BasicBlock *Seldom = SplitBlock(Asks, At, &DT, &LI);
  if (!Branch)
    Reads = Seldom;
  BasicBlock *Behind =
      Branch ? Reads->getSingleSuccessor() : SplitBlock(Reads, First->getNextNode(), &DT, &LI);
  if (!Branch) {
    PHINode *Either = PHINode::Create(First->getType(), 2, "beginning", Behind->begin());
    Of.First->set(Either);
    Either->addIncoming(First, Reads);
  }
  for (PHINode &Phi : Behind->phis()) {
    Value *Read = Phi.getIncomingValueForBlock(Reads);
    Phi.addIncoming(Read == First ? Nothing : Read, Asks);
  }
  B.SetInsertPoint(Asks->getTerminator());
  markSeldom(*B.CreateCondBr(B.CreateFreeze(Any), Behind, Seldom), 1);
  Asks->getTerminator()->eraseFromParent();
  DT.insertEdge(Asks, Behind);
}

} // namespace

PreservedAnalyses ExtremesFromNothing::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SmallVector<Beginning, 4> Found;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->isLoopSimplifyForm())
      continue;
    if (auto E = findExtreme(*L, LI))
      if (std::optional<Beginning> Of = beginningOf(*E, LI, SE))
        Found.push_back(*Of);
  }
  for (const Beginning &Of : Found)
    beginWithNothing(Of, LI, SE, FAM.getResult<DominatorTreeAnalysis>(F));
  return Found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace hexpass
