//===- unset_values.cpp - Variables that no way through a body sets ---------===//
//
// Consumes: a working copy in closed form, out of whose loops has been moved what is the same in all
// of their iterations. A variable is set in branches of which a setting chooses one, but for settings
// that nobody has:
//
//     if (scheme == 0) then                      what x was before, where scheme is 2
//       x = a
//     else if (scheme == 1) then
//       x = b
//     end if
//
// so that x seems to be carried from point to point. Produces: what it was before the loops, which it
// still is then: the setting is the same at all points. Refuses variables that are set otherwise.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hexpass {
namespace {

/// A value that loops hand on from iteration to iteration.
class Carried {
public:
  Carried(PHINode &Merge, const LoopInfo &LI) : Merge(Merge), LI(LI) {}

  /// What comes to `Merge` from its incoming value `At`, if that way is taken in all iterations or
  /// in none; null where there is no such thing.
  Value *before(unsigned At) {
    auto *Header = dyn_cast<PHINode>(Merge.getIncomingValue(At));
    Value *First = nullptr;
    Loop *Outermost = nullptr;
    // As far as loops around hand it on and do nothing else with it.
    while (Header && isHanded(*Header)) {
      Handed.insert(Header);
      Outermost = LI.getLoopFor(Header->getParent());
      First = Header->getIncomingValueForBlock(Outermost->getLoopPreheader());
      Header = dyn_cast<PHINode>(First);
    }
    for (; Outermost; Handed.pop_back()) {
      if (all_of(Handed, [&](PHINode *P) { return comesBack(*P); }))
        return isSettled(Merge.getIncomingBlock(At), *Outermost) ? First : nullptr;
      First = Handed.back();
      Outermost = Handed.size() > 1 ? LI.getLoopFor(Handed[Handed.size() - 2]->getParent()) : nullptr;
    }
    return nullptr;
  }

private:
  bool isHanded(const PHINode &P) const {
    Loop *L = LI.getLoopFor(P.getParent());
    return L && L->getHeader() == P.getParent() && L->getLoopPreheader() && L->getLoopLatch() &&
           L->contains(&Merge);
  }

  /// It is one of those that are handed on, what is merged, or either.
  bool isSame(const Value *V, unsigned Depth) const {
    auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi)
      return false;
    if (Phi == &Merge || Handed.contains(const_cast<PHINode *>(Phi)))
      return true;
    return Depth && !LI.isLoopHeader(Phi->getParent()) &&
           all_of(Phi->incoming_values(), [&](const Use &U) { return isSame(U, Depth - 1); });
  }

  bool comesBack(const PHINode &P) const {
    constexpr unsigned MostJoins = 4;
    const Loop *L = LI.getLoopFor(P.getParent());
    return isSame(P.getIncomingValueForBlock(L->getLoopLatch()), MostJoins);
  }

  /// Whether control goes from `From` to what merges is the same in all iterations of `Outermost`.
  bool isSettled(const BasicBlock *From, const Loop &Outermost) const {
    const Loop *In = LI.getLoopFor(Merge.getParent());
    constexpr unsigned MostBranches = 32;
    for (unsigned Branches = 0; Branches < MostBranches && In->contains(From); ++Branches) {
      auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
      if (LI.getLoopFor(From) != In || !Branch)
        return false;
      // The loop's own test leads to all that is in it.
      if (From == In->getHeader() && In->isLoopExiting(From))
        return true;
      if (Branch->isConditional() && !Outermost.isLoopInvariant(Branch->getCondition()))
        return false;
      From = From->getSinglePredecessor();
      if (!From)
        return false;
    }
    return false;
  }

  PHINode &Merge;
  const LoopInfo &LI;
  /// Innermost first.
  SmallSetVector<PHINode *, 4> Handed;
};

} // namespace

PreservedAnalyses UnsetValues::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  bool Changed = false;
  for (BasicBlock &B : F) {
    const Loop *In = LI.getLoopFor(&B);
    if (!In || In->getHeader() == &B)
      continue;
    for (PHINode &Merge : B.phis())
      for (unsigned At = 0; At < Merge.getNumIncomingValues(); ++At)
        if (Value *Before = Carried(Merge, LI).before(At)) {
          // Nobody says what was never set.
          bool IsUnset = isa<UndefValue>(Before);
          Merge.setIncomingValue(At, IsUnset ? Constant::getNullValue(Merge.getType()) : Before);
          Changed = true;
        }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
