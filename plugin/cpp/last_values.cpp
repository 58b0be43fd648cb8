//===- last_values.cpp - What counters are behind their loops --------------===//
//
// Consumes: loops in simplified and closed form whose counters, or what each iteration makes of them,
// go to variables of the whole program, which anybody may look at later:
//
//     for (i = 0; i < n; i++) {                    int i, above;
//         above = i == n - 1 ? 0 : i + 1;
//         v[i] = u[i] + u[above];
//     }
//
// Produces: these values from the loop's bounds, behind it, so that the sweep computes nothing that is
// wanted there. Refuses what elements are read for, and what an iteration makes of the one before.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Operations that the last value of a counter is made of.
constexpr unsigned MaxLastValue = 24;
/// Values between such a one and where it is stored.
constexpr unsigned MostOnTheWay = 64;

/// What a variable holds when a loop is left whose iterations each set it to what the counter says,
/// as a neighbour's number is that lies in a variable of the whole program.
class LastIteration {
public:
  LastIteration(Loop &L, ScalarEvolution &SE, SCEVExpander &Rewriter)
      : L(L), SE(SE), Rewriter(Rewriter) {}

  /// Code was moved out of the loop.
  bool Moved = false;

  /// Null if that can't be told behind the loop, where `At` is.
  Value *valueOf(PHINode &Kept, BasicBlock::iterator At) {
    if (Kept.getParent() != L.getHeader() || L.getExitingBlock() != L.getHeader() ||
        !L.getLoopPreheader() || !L.getLoopLatch())
      return nullptr;
    Times = SE.getBackedgeTakenCount(&L);
    if (isa<SCEVCouldNotCompute>(Times) || !canBeTold(Kept, At))
      return nullptr;
    Where = At;
    Value *First = Kept.getIncomingValueForBlock(L.getLoopPreheader());
    Value *Last = told(next(Kept));
    IRBuilder<> B(At->getParent(), At);
    for (auto [Asks, Sets] : Conditions)
      Last = B.CreateSelect(Asks, Sets ? Last : First, Sets ? First : Last);
    Value *Some = Rewriter.expandCodeFor(Times, Times->getType(), At);
    return B.CreateSelect(B.CreateIsNotNull(Some), Last, First);
  }

private:
  /// What each iteration sets it to, if it does: whether it does is the same for all of them.
  Value *next(PHINode &Kept) {
    Value *V = Kept.getIncomingValueForBlock(L.getLoopLatch());
    Conditions.clear();
    for (auto *Choice = dyn_cast<SelectInst>(V); Choice; Choice = dyn_cast<SelectInst>(V)) {
      bool Sets = Choice->getFalseValue() == &Kept;
      if (!(Sets || Choice->getTrueValue() == &Kept) ||
          !L.makeLoopInvariant(Choice->getCondition(), Moved))
        break;
      Conditions.push_back({Choice->getCondition(), Sets});
      V = Sets ? Choice->getTrueValue() : Choice->getFalseValue();
    }
    return V;
  }

  const SCEVAddRecExpr *counterOf(Value *V) const {
    auto *Phi = dyn_cast<PHINode>(V);
    bool IsCounter = Phi && Phi->getParent() == L.getHeader() && Phi->getType()->isIntegerTy();
    auto *Counts = IsCounter ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Phi)) : nullptr;
    return Counts && Counts->isAffine() && Counts->getLoop() == &L ? Counts : nullptr;
  }

  const SCEV *lastOf(const SCEVAddRecExpr &Counts) const {
    const SCEV *Number = SE.getMinusSCEV(Times, SE.getOne(Times->getType()));
    return Counts.evaluateAtIteration(Number, SE);
  }

  bool canBeTold(PHINode &Kept, BasicBlock::iterator At) {
    SmallVector<std::pair<Value *, unsigned>, 8> Work{{next(Kept), 0}};
    while (!Work.empty()) {
      auto [V, Depth] = Work.pop_back_val();
      if (L.isLoopInvariant(V))
        continue;
      if (const SCEVAddRecExpr *Counts = counterOf(V)) {
        const SCEV *Last = lastOf(*Counts);
        if (!SE.isLoopInvariant(Last, &L) || !Rewriter.isSafeToExpandAt(Last, &*At))
          return false;
        continue;
      }
      auto *I = cast<Instruction>(V);
      if (isa<PHINode>(I) || I->mayReadOrWriteMemory() || Depth == MaxDepth ||
          (isa<CallBase>(I) && !isa<IntrinsicInst>(I)) || !isSafeToSpeculativelyExecute(I))
        return false;
      for (Value *Of : I->operands())
        Work.push_back({Of, Depth + 1});
    }
    return true;
  }

  Value *told(Value *V) {
    if (L.isLoopInvariant(V))
      return V;
    Value *&Known = Told[V];
    if (Known)
      return Known;
    if (const SCEVAddRecExpr *Counts = counterOf(V))
      return Known = Rewriter.expandCodeFor(lastOf(*Counts), V->getType(), Where);
    Instruction *Copy = cast<Instruction>(V)->clone();
    for (Use &Of : Copy->operands())
      Of.set(told(Of));
    Copy->insertBefore(Where);
    Copy->dropUBImplyingAttrsAndMetadata();
    Copy->dropPoisonGeneratingFlags();
    Told[V] = Copy;
    return Copy;
  }

  /// Operations that the value is made of, one upon the other.
  static constexpr unsigned MaxDepth = 8;

  Loop &L;
  ScalarEvolution &SE;
  SCEVExpander &Rewriter;
  const SCEV *Times = nullptr;
  BasicBlock::iterator Where;
  /// Under which it is set, or not.
  SmallVector<std::pair<Value *, bool>, 2> Conditions;
  DenseMap<Value *, Value *> Told;
};

/// It is stored to a variable of the whole program, as it is or as one of several values.
bool isKeptGlobally(const PHINode &Phi) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 8> Work{&Phi};
  while (!Work.empty() && Seen.size() < MostOnTheWay) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (const User *U : V->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (Store && Store->getValueOperand() == V &&
          isa<GlobalVariable>(getUnderlyingObject(Store->getPointerOperand())))
        return true;
      if (isa<CastInst, PHINode, SelectInst>(U))
        Work.push_back(U);
    }
  }
  return false;
}

} // namespace

PreservedAnalyses LastValues::run(Loop &L, LoopAnalysisManager &, LoopStandardAnalysisResults &AR,
                                  LPMUpdater &) {
  Loop *Around = L.getParentLoop();
  SmallVector<PHINode *, 4> Left;
  SmallVector<BasicBlock *, 2> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis())
      if (Phi.getType()->isIntegerTy() && Phi.getNumIncomingValues() == 1 && isKeptGlobally(Phi))
        Left.push_back(&Phi);
  SCEVExpander Rewriter(AR.SE, "last");
  bool Changed = false;
  for (PHINode *Phi : Left) {
    // What it is is not said by itself.
    AR.SE.forgetValue(Phi);
    const SCEV *Last = AR.SE.getSCEVAtScope(Phi->getIncomingValue(0), Around);
    auto At = Phi->getParent()->getFirstInsertionPt();
    Value *Known = nullptr;
    // Steps are counted by others.
    if (Around && !isa<SCEVCouldNotCompute>(Last) && Last->getExpressionSize() <= MaxLastValue &&
        AR.SE.isLoopInvariant(Last, &L) && Rewriter.isSafeToExpandAt(Last, &*At)) {
      Known = Rewriter.expandCodeFor(Last, Phi->getType(), At);
    } else if (auto *Kept = dyn_cast<PHINode>(Phi->getIncomingValue(0))) {
      LastIteration Iteration(L, AR.SE, Rewriter);
      Known = Iteration.valueOf(*Kept, At);
      Changed |= Iteration.Moved;
    }
    if (!Known || Known == Phi)
      continue;
    Phi->replaceAllUsesWith(Known);
    Phi->eraseFromParent();
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  DeleteDeadPHIs(L.getHeader(), &AR.TLI);
  PreservedAnalyses Kept = getLoopPassPreservedAnalyses();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
