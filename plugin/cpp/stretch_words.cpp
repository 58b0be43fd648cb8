//===- stretch_words.cpp - Words that the loop exchanges itself ---------------===//
//
// Consumes: a plan whose sweeps run ahead (stretch_reduce.cpp), and words in memory that each
// step exchanges behind them: the pointers in a structure, a caller's two pointers, the parts
// of two vectors.
//
//     while (change > tolerance) {           while (change > tolerance) {
//       sweep(s->u, s->v);                     if (ahead.credit == 0)
//       swap(s->u, s->v);          becomes       stretch(most steps, s, &ahead);
//     }                                        change = results[ahead.taken++];
//                                              swap(s->u, s->v); }
//
// Produces: the words left to the host, which exchanges them after each step that it takes, as
// it always did, so that whoever looks finds them as after that step, and nothing of them has
// to be taken back. The stretch, which is one step as it was written, does not exchange them;
// its model does, since its steps read what the ones before would have left, but leaves behind
// what was there. Refuses words that a step exchanges in other places than behind its last
// sweep, or in some steps only; then no step is ahead of the host.
//
// Sweeps that wait (stretch_plan.cpp) exchange the words themselves, when their turn has come.
// What stands between them and the exchange does no harm where it looks at no word: to those who
// look at the grids, it is the same whether the words have been exchanged.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace hexpass;

/// All of them are exchanged by every step, when its sweeps and what belongs to them are done. What
/// is read through a word behind that finds it exchanged, which the stretch does not do.
bool ShimStretches::mayLeaveWords() const {
  Place End{0, false, 0};
  for (const Loop *C : SweepLoops)
    End = std::max(End, Place{SegmentOf.lookup(C->getHeader()), true, 0});
  for (const Instruction *I : Stores)
    End = std::max(End, placeOf(*I));
  for (const LoadInst *Load : SliceLoads)
    if (readsWord(*Load))
      End = std::max(End, placeOf(*Load));
  return all_of(Words, [&](StoreInst *Store) {
    return isExchanged(*Store) && SpineOf.contains(Store->getParent()) && End < placeOf(*Store);
  });
}

/// Where the sweeps of a step and all that waits with them end; words that are exchanged behind
/// that, with nothing in between that looks at them, might as well be exchanged there. `Last`:
/// with all words.
Place ShimStretches::endBeforeWords(Place Last) const {
  Place End{0, false, 0};
  for (const Loop *C : SweepLoops)
    End = std::max(End, Place{SegmentOf.lookup(C->getHeader()), true, 0});
  for (Instruction *I : Stores)
    if (auto *Store = dyn_cast<StoreInst>(I); !Store || !isWord(*Store))
      End = std::max(End, placeOf(*I));
  Footprint Late(A);
  for (Instruction *I : Stores) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (!Store || !isWord(*Store))
      continue;
    if (!isExchanged(*Store) || !SpineOf.contains(I->getParent()) || !(End < placeOf(*I)))
      return Last;
    Late.add(*I);
  }
  auto Place_ = [&](const Instruction &I) {
    const Loop *Around = A.LI.getLoopFor(I.getParent());
    while (Around != &L && Around->getParentLoop() != &L)
      Around = Around->getParentLoop();
    return Around == &L ? placeOf(I) : Place{SegmentOf.lookup(Around->getHeader()), true, 0};
  };
  auto IsTheirs = [&](const Instruction &I) {
    return isa<LoadInst>(I) && all_of(I.users(), [&](const User *U) {
             return Stores.contains(const_cast<Instruction *>(cast<Instruction>(U)));
           });
  };
  for (Block *B : L.blocks())
    for (Instruction &I : *B) {
      if (isInSweep(I) || Stores.contains(&I) || !Late.conflicts(I) || IsTheirs(I))
        continue;
      Place At = Place_(I);
      if (!(At < End) && !(Last < At))
        return Last;
    }
  return End;
}

/// The load reads one of them, whole: to the sweeps, it is what goes round with the steps.
bool ShimStretches::readsWord(const LoadInst &Load) const {
  const DataLayout &DL = Load.getDataLayout();
  return any_of(Words, [&](StoreInst *Store) {
    return DL.getTypeStoreSize(Store->getValueOperand()->getType()) ==
               DL.getTypeStoreSize(Load.getType()) &&
           A.SE.getSCEV(Store->getPointerOperand()) ==
               A.SE.getSCEV(const_cast<Value *>(Load.getPointerOperand()));
  });
}

/// The stretch is one step, behind which the host goes on.
void ShimStretches::leaveWords() {
  for (StoreInst *Store : Words)
    cast<Instruction>(Map[Store])->eraseFromParent();
}

/// What the words hold when the step that was just taken begins, for those who may execute it
/// again when they have been exchanged.
void ShimStretches::rememberWords(IRBuilderBase &B) {
  if (WordsBefore.empty()) {
    IRBuilder<> Entry(&*A.F.getEntryBlock().getFirstInsertionPt());
    for (StoreInst *Store : Words)
      WordsBefore.push_back(
          makeOwn(Entry, Store->getValueOperand()->getType(), nullptr, "word"));
  }
  for (auto [Store, Slot] : zip(Words, WordsBefore))
    B.CreateAlignedStore(B.CreateAlignedLoad(Slot->getAllocatedType(),
                                             Store->getPointerOperand(), Store->getAlign()),
                         Slot, Slot->getAlign());
}

/// The words are as before the last step; what they were is kept for `bringBack`.
SmallVector<Value *, 4> ShimStretches::takeBackWords(IRBuilderBase &B) {
  SmallVector<Value *, 4> Now;
  for (StoreInst *Store : Words)
    Now.push_back(B.CreateAlignedLoad(Store->getValueOperand()->getType(),
                                      Store->getPointerOperand(), Store->getAlign()));
  for (auto [Store, Slot] : zip(Words, WordsBefore))
    B.CreateAlignedStore(B.CreateLoad(Slot->getAllocatedType(), Slot),
                         Store->getPointerOperand(), Store->getAlign());
  return Now;
}

void ShimStretches::bringBackWords(IRBuilderBase &B, ArrayRef<Value *> Now) {
  for (auto [Store, Value_] : zip(Words, Now))
    B.CreateAlignedStore(Value_, Store->getPointerOperand(), Store->getAlign());
}

bool shim_stretches_leave_words(const ShimStretches *D) { return D->leavesWords(); }
