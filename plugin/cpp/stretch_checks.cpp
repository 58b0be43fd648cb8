//===- stretch_checks.cpp - Checks that fail where nothing comes back from ---===//
//
// Consumes: the sweeps and stores of a stretch's plan. Rust, and C++ by `at()`, look at each index
// before they use it, and panic where it is none; so they do at one point among the sweeps:
//
//     sweep(now, next);
//     if (source >= next.len()) panic(source, next.len());
//     next[source] += amplitude;
//     swap(now, next);
//
// Produces: such checks made with the sweeps, when their turn has come; the blocks in which they
// fail, which go with them unless something else leads there; and who must not be ahead of a check
// that may yet fail.
//
// Refuses exits that are no dead ends, and checks among sweeps that stand apart.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "look.h"
#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace hexpass;

/// Blocks of a way out that nothing comes back from, with what it cleans up.
static bool isDeadEnd(BasicBlock *From, const Loop &Around,
                      SmallVectorImpl<BasicBlock *> &Blocks) {
  constexpr unsigned MostBlocks = 256;
  SmallPtrSet<const BasicBlock *, 32> Seen(from_range, Blocks);
  return walkOut(*From, Around, MostBlocks, Seen, [&](const BasicBlock &B) {
    Blocks.push_back(const_cast<BasicBlock *>(&B));
    bool EndsOrGoesOn = isa<BranchInst, SwitchInst, InvokeInst, ResumeInst, UnreachableInst>(
        B.getTerminator());
    return EndsOrGoesOn && (!B.isEHPad() || B.isLandingPad());
  });
}

/// The one way on, the blocks of dead ends, and those in which an alarm leaves the time loop.
bool ShimStretches::findExits(Loop &C, Block *&Normal, SmallVectorImpl<Block *> &DeadEnds,
                             SmallVectorImpl<Block *> &Out) const {
  SmallVector<Block *, 4> Exits;
  C.getUniqueExitBlocks(Exits);
  Normal = nullptr;
  for (Block *Exit : Exits) {
    if (!L.contains(Exit)) {
      size_t Before = DeadEnds.size();
      if (isDeadEnd(Exit, L, DeadEnds))
        continue;
      DeadEnds.truncate(Before);
      if (!isAlarmed(*Exit) || !Exit->getSinglePredecessor())
        return false;
      Out.push_back(Exit);
    } else if (Normal)
      return false;
    else
      Normal = Exit;
  }
  return Normal;
}

/// Which way of a check goes on.
unsigned ShimStretches::wayOn(const BranchInst &Check) const {
  return L.contains(Check.getSuccessor(0)) ? 0 : 1;
}

/// The block ends in a check: one way goes on, and the other is a dead end.
bool ShimStretches::findCheck(const Block &B, SmallVectorImpl<Block *> &DeadEnds) const {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  return Branch && Branch->isConditional() && isDirect(&B) &&
         L.contains(Branch->getSuccessor(0)) != L.contains(Branch->getSuccessor(1)) &&
         isDeadEnd(Branch->getSuccessor(1 - wayOn(*Branch)), L, DeadEnds);
}

/// A check that stands among the sweeps is made when their turn has come: of an index at which
/// something is added to what they have computed, say.
bool ShimStretches::joinCheck(Block &B) {
  SmallVector<Block *, 8> DeadEnds;
  if (Apart || !findCheck(B, DeadEnds))
    return false;
  auto At = SpineOf.find(&B);
  KeptSegments.insert(At == SpineOf.end() ? SegmentOf.lookup(&B) : At->second);
  Failing.insert_range(DeadEnds);
  Checks.insert(&B);
  return true;
}

/// Where the loop is left directly among these places, or under a condition that belongs to the
/// sweeps, but for checks that join them; null where it is not.
BasicBlock *ShimStretches::leavesAmong(Place From, Place To) {
  SmallVector<Block *, 8> Exiting;
  L.getExitingBlocks(Exiting);
  for (Block *B : Exiting) {
    if (isInSweep(*B->getTerminator()))
      continue;
    auto It = SpineOf.find(B);
    bool Between = It == SpineOf.end();
    unsigned Segment = Between ? SegmentOf.lookup(B) : It->second;
    Place End = Between ? Place{Segment, true, 0} : Place{Segment, false, ~0u};
    bool Among = !(End < From) && !(To < End);
    if ((Among || (Between && isKept(Segment))) && !Checks.contains(B) && !joinCheck(*B))
      return B;
  }
  return nullptr;
}

/// What decides about them is part of what the sweeps need.
void ShimStretches::gatherChecks() {
  auto [From, To] = ends();
  // Where it is left otherwise, `findPlaces` refuses.
  leavesAmong(From, To);
  for (unsigned Segment : KeptSegments)
    for (Block *B : L.blocks())
      if (isDirect(B) && (B == Spine[Segment] ||
                          (!SpineOf.contains(B) && SegmentOf.lookup(B) == Segment)))
        for (Value *Operand : B->getTerminator()->operands())
          addSlice(Operand);
}

/// It is no longer the host's: part of a sweep, or a check that is made with them.
bool ShimStretches::isWithSweeps(const Instruction &I) const {
  return isInSweep(I) || (I.isTerminator() && Checks.contains(I.getParent()));
}

/// Who comes from there comes from a sweep, or from a check that is made with them.
bool ShimStretches::isFromSweep(const Block *B) const {
  return Failing.contains(const_cast<Block *>(B)) || Checks.contains(const_cast<Block *>(B)) ||
         any_of(SweepLoops, [&](const Loop *C) { return C->contains(B); });
}

/// The blocks of failing checks that only sweeps lead to: they go where the sweeps go.
void ShimStretches::findGone() {
  Gone.insert_range(Failing);
  for (bool Again = true; Again;) {
    Again = false;
    for (const Block *B : Failing) {
      auto FromElsewhere = [&](const Block *From) {
        return !Gone.contains(From) && !isWithSweeps(*From->getTerminator());
      };
      if (Gone.contains(B) && any_of(predecessors(B), FromElsewhere))
        Again = Gone.erase(B);
    }
  }
}

/// Who uses the value is gone when the sweeps are.
bool ShimStretches::goesWithSweeps(const Use &U) const {
  auto *By = cast<Instruction>(U.getUser());
  auto *Phi = dyn_cast<PHINode>(By);
  const Block *From = Phi ? Phi->getIncomingBlock(U) : nullptr;
  return Gone.contains(By->getParent()) ||
         (Phi && (Gone.contains(From) || isWithSweeps(*From->getTerminator())));
}

/// Where a check of a sweep may fail, nothing that is done after it may be seen
/// before. What lies on the stack goes with the function then, but for what is
/// looked at to clean up.
bool ShimStretches::isObservable(const Instruction &I) const {
  if (Failing.empty() || !I.mayHaveSideEffects())
    return false;
  auto *Store = dyn_cast<StoreInst>(&I);
  if (!Store || Store->isVolatile())
    return true;
  const Value *Root = getUnderlyingObject(Store->getPointerOperand());
  return !isa<AllocaInst>(Root) || any_of(Failing, [&](const Block *B) {
    return any_of(*B, [&](const Instruction &Of) {
      return !Of.isLifetimeStartOrEnd() && any_of(Of.operands(), [&](const Value *V) {
        return V->getType()->isPointerTy() && getUnderlyingObject(V) == Root;
      });
    });
  });
}
