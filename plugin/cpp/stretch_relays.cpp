//===- stretch_relays.cpp - What the host reads again where it was stored ----===//
//
// Consumes: a plan whose sweeps load what the host uses, too, and store it: pointers that change
// places in memory, and a value of a grid that each step keeps (`trace[t] = u[i][j]`), of which
// clean-up has handed on what is stored.
//
//     x = u[i][j];
//     trace[t] = x;                                 (with the sweeps)
//     if (t % 100 == 0) print(x);     becomes       if (t % 100 == 0) { flush; print(trace[t]); }
//
// Produces: the places where the host reads it again, behind the sweeps of the step. Refuses what
// may have been overwritten by then, by the host or by the sweeps themselves.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"

using namespace llvm;
using namespace hexpass;

using Block = BasicBlock;

bool ShimStretches::mayBeOverwritten(const StoreInst &Store,
                                   Place Before) const {
  Footprint Written(A);
  Written.add(Store);
  for (Block *B : L.blocks())
    for (Instruction &I : *B) {
      if (!I.mayWriteToMemory() || isInSweep(I) ||
          Stores.contains(const_cast<Instruction *>(&I)))
        continue;
      Place At = placeOf(I);
      // Who does not come back writes nothing that is read then.
      if (Last < At && !(Before < At) && Written.conflicts(I) &&
          (Written.touch(I) & TouchWrites))
        return true;
    }
  return false;
}

/// The sweeps themselves don't write there once more before the step ends.
bool ShimStretches::staysStored(const StoreInst &Store) const {
  Footprint Written(A);
  Written.add(Store);
  Place At = placeOf(Store);
  return none_of(L.blocks(), [&](Block *B) {
    return any_of(*B, [&](Instruction &I) {
      return I.mayWriteToMemory() && (isInSweep(I) || Stores.contains(&I)) && At < placeOf(I) &&
             (Written.touch(I) & TouchWrites);
    });
  });
}

/// Every use of `V` outside the sweeps can do with what `Store` has left.
bool ShimStretches::relay(Instruction &V, StoreInst &Store) {
  SmallVector<Relay, 4> Found;
  auto *Address = dyn_cast<Instruction>(Store.getPointerOperand());
  for (Use &U : V.uses()) {
    auto *By = cast<Instruction>(U.getUser());
    bool Leaves = !L.contains(By);
    if (Leaves ? goesWithSweeps(U)
               : isInSweep(*By) || Stores.contains(By) || !Live.contains(By))
      continue;
    // It is known where a phi's value leaves the loop.
    if (Leaves && !isa<PHINode>(By))
      return false;
    if (auto *Phi = dyn_cast<PHINode>(By))
      By = Phi->getIncomingBlock(U)->getTerminator();
    const Loop *Inner = A.LI.getLoopFor(By->getParent());
    while (Inner && Inner != &L && Inner->getParentLoop() != &L)
      Inner = Inner->getParentLoop();
    if (!Inner || (Inner != &L && !Inner->getLoopPreheader()))
      return false;
    if (Inner != &L)
      By = Inner->getLoopPreheader()->getTerminator();
    Place At = placeOf(*By);
    if (!(Last < At) || mayBeOverwritten(Store, At))
      return false;
    // What has its place by the step, and is there only where it is stored.
    if (Address && L.contains(Address) && !A.DT.dominates(&Store, By))
      return false;
    Found.push_back({&U, By, &Store});
  }
  Relays.append(Found);
  Relayed.insert(&V);
  return true;
}

void ShimStretches::findRelays() {
  for (Instruction *I : Stores) {
    auto *Store = dyn_cast<StoreInst>(I);
    auto *V = Store ? dyn_cast<Instruction>(Store->getValueOperand()) : nullptr;
    if (!V || !Live.contains(V) || Relayed.contains(V) || isProbe(V))
      continue;
    auto *Load = dyn_cast<LoadInst>(V);
    bool IsWordOfSweeps = Load && SweepLoads.contains(Load) && isWord(*Store) &&
                          L.isLoopInvariant(Store->getPointerOperand());
    bool IsKept = isTrace(*Store) && !dependsOnSweeps(Store->getPointerOperand());
    if ((IsWordOfSweeps || (IsKept && staysStored(*Store))) && relay(*V, *Store))
      // What was needed for that alone is the sweeps' now.
      findLive();
  }
}
