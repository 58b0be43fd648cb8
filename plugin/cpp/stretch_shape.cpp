//===- stretch_shape.cpp - The shape of a time loop's iteration --------------===//
//
// Consumes: a time loop that is not a nest as it stands, and which of its inner loops are asked about.
// Produces: the blocks that each iteration comes to (its spine), the segments between them, and which
// of these take the same way in each step, or one that the step's number says. Refuses loops that
// can't be cut. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "taken.h"
#include "llvm/Analysis/CaptureTracking.h"

using namespace llvm;
using namespace hexpass;

bool ShimStretches::mayBeCut() {
  SmallVector<Block *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  if (!L.isLoopSimplifyForm() || !L.hasDedicatedExits() || Exits.empty())
    return false;
  for (Block *Exit : Exits)
    if (Exit->getFirstInsertionPt() == Exit->end())
      return false;
  for (Block *B : L.blocks())
    for (Instruction &I : *B) {
      if (I.getType()->isTokenTy())
        return false;
      // A nest inside was taken already: others stand before and after it.
      if (Apart)
        continue;
      if (callsRuntime(I))
        return false;
    }
  return true;
}

/// What a step makes on the stack (an array, or a text that is put together, as flang does for
/// `'field' // trim(name)`) is the rest's alone: sweeps that wait never come to see it.
bool ShimStretches::keepsArrays() const {
  return all_of(L.blocks(), [&](const Block *B) {
    return all_of(*B, [&](const Instruction &I) {
      return !isa<AllocaInst>(I) ||
             (!Sweeps.touches(&I) && !PointerMayBeCaptured(&I, /*ReturnCaptures=*/true));
    });
  });
}

/// Where the last sweep must have been passed.
BasicBlock *ShimStretches::target() const {
  if (!Apart)
    return L.getLoopLatch();
  Block *Exit = nullptr;
  SmallVector<Block *, 8> DeadEnds, Out;
  return findExits(*Inner.back(), Exit, DeadEnds, Out) && isDirect(Exit) ? Exit : nullptr;
}

/// What dominates the latch is met in every iteration that goes round.
void ShimStretches::findSpine() {
  for (auto *Node = A.DT.getNode(target()); Node;
       Node = Node->getIDom()) {
    if (isDirect(Node->getBlock()))
      Spine.push_back(Node->getBlock());
    if (Node->getBlock() == L.getHeader())
      break;
  }
  std::reverse(Spine.begin(), Spine.end());
  for (auto [I, B] : enumerate(Spine))
    SpineOf[B] = I;
}

/// A block belongs to the first segment that leads to it. Where another one does too,
/// that is followed further: what it comes to in the end says whether it leaks.
void ShimStretches::findSegments() {
  for (unsigned I = 0; I + 1 < Spine.size(); ++I) {
    SmallVector<Block *, 8> Work{Spine[I]};
    SmallPtrSet<const Block *, 16> Seen;
    while (!Work.empty())
      for (Block *Next : successors(Work.pop_back_val())) {
        auto At = SpineOf.find(Next);
        if (At != SpineOf.end() && At->second != I + 1)
          Leaky.insert(I);
        if (!L.contains(Next) || At != SpineOf.end() || !Seen.insert(Next).second)
          continue;
        if (SegmentOf.try_emplace(Next, I).second)
          BlocksBetween[I].push_back(Next);
        Work.push_back(Next);
      }
  }
}

/// What a step writes by itself; what calls write is asked of them.
void ShimStretches::findWriters() {
  for (Block *B : L.blocks())
    for (Instruction &I : *B)
      if (!isa<CallBase>(I) && I.mayWriteToMemory())
        Writers.push_back(&I);
}

/// Something outside of the sweeps writes what is read, but for some that don't count.
bool ShimStretches::writesBeside(const LoadInst &Load,
                                 function_ref<bool(Instruction &)> Counts) const {
  Footprint Read(A);
  Read.add(Load);
  return any_of(Writers, [&](Instruction *I) {
    return !isInSweep(*I) && Read.conflicts(*I) && Counts(*I);
  });
}

/// Whoever comes to the first of the sweeps comes to the last.
bool ShimStretches::isPassedThrough() {
  for (unsigned I = First.Spine; I < Last.Spine + Last.Between; ++I)
    if (Leaky.contains(I))
      return refuse(ShimStretchMiddle, Spine[I]->getTerminator());
  return true;
}

/// It is the same in each step, wherever clean-up has put it.
bool ShimStretches::isFixed(const Value *V) const {
  constexpr unsigned MostParts = 16;
  SmallVector<const Value *, MostParts> Work{V};
  for (unsigned Parts = 0; !Work.empty(); ++Parts) {
    const Value *Part = Work.pop_back_val();
    if (L.isLoopInvariant(Part))
      continue;
    auto *I = cast<Instruction>(Part);
    auto *Load = dyn_cast<LoadInst>(I);
    if (Load && readsSetting(*Load))
      continue;
    if (Parts >= MostParts || !isDirect(I->getParent()) || !isPlain(*I))
      return false;
    Work.append(I->value_op_begin(), I->value_op_end());
  }
  return true;
}

/// What a structure says that nobody writes to but the sweeps, as far as anybody knows: they read
/// it when their turn has come.
bool ShimStretches::readsSetting(const LoadInst &Load) const {
  if (Apart || !Load.isSimple() || Load.getType()->isPointerTy() || !isDirect(Load.getParent()) ||
      !L.isLoopInvariant(Load.getPointerOperand()))
    return false;
  return !writesBeside(
      Load, [&](Instruction &I) { return !(isa<StoreInst>(I) && Sweeps.meets(I)); });
}

ArrayRef<BasicBlock *> ShimStretches::blocksOf(unsigned Segment) const {
  auto Found = BlocksBetween.find(Segment);
  return Found == BlocksBetween.end() ? ArrayRef<Block *>() : ArrayRef<Block *>(Found->second);
}

/// Which way control takes through it does not change from step to step, unless a check fails.
bool ShimStretches::isSteady(unsigned Segment) const {
  auto Steady = [&](const Block *B) {
    auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    SmallVector<Block *, 8> DeadEnds;
    if (!Apart && findCheck(*B, DeadEnds))
      return true;
    return Branch && all_of(Branch->successors(),
                            [&](const Block *S) { return L.contains(S); }) &&
           (Branch->isUnconditional() || Apart || isFixed(Branch->getCondition()));
  };
  return Steady(Spine[Segment]) && all_of(blocksOf(Segment), [&](const Block *B) {
           return !isDirect(B) || Steady(B);
         });
}

/// The step's number, or what it has computed by then, says whether it comes to stores of the sweeps
/// there, and there is nothing else: a source that is switched off after a while.
bool ShimStretches::isSwitched(unsigned Segment) const {
  auto Switched = [&](Block *B, bool IsInside) {
    auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    if (!Branch || !all_of(Branch->successors(), [&](const Block *S) { return L.contains(S); }))
      return false;
    return !IsInside || all_of(*B, [&](Instruction &I) {
      auto *Call = dyn_cast<CallInst>(&I);
      return !I.mayHaveSideEffects() || mayJoin(I) || (Call && isMathematics(*Call));
    });
  };
  return Switched(Spine[Segment], false) && all_of(blocksOf(Segment), [&](Block *B) {
           return isDirect(B) && Switched(B, true);
         });
}

Place ShimStretches::placeOf(const Instruction &I) const {
  auto At = SpineOf.find(I.getParent());
  if (At == SpineOf.end())
    return {SegmentOf.lookup(I.getParent()), true, 0};
  unsigned Order = 0;
  for (const Instruction &Other : *I.getParent()) {
    if (&Other == &I)
      break;
    ++Order;
  }
  return {At->second, false, Order};
}
