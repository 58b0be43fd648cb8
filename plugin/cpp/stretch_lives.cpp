//===- stretch_lives.cpp - Variables that live beside sweeps ------------------===//
//
// Consumes: the sweeps of a time loop. Produces: the function's own variables that
// have no life while a sweep runs, nor while anything is stored or loaded that may
// go with the sweeps:
//
//     sweep(u, v);
//     { char c = '\n'; insert(std::cout, &c, 1); }
//
// Who is told such a variable's address may keep it, for all that is known; but in
// another life of the variable it leads nowhere. So no sweep comes to it, and what
// is stored there is no sweep's. Refuses variables whose lives are not marked.
//
//===----------------------------------------------------------------------===//

#include "plain_streams.h"
#include "stretches.h"
#include "llvm/Analysis/StackLifetime.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

/// It may go with the sweeps, and come to any variable whose address is known.
static bool mayFollowAddress(const Instruction &I) {
  const Value *At = getLoadStorePointerOperand(&I);
  auto Leads = [](const Value *Pointer) {
    return !isIdentifiedObject(getUnderlyingObject(Pointer));
  };
  if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
    auto *Transfer = dyn_cast<MemTransferInst>(Mem);
    return Leads(Mem->getRawDest()) || (Transfer && Leads(Transfer->getRawSource()));
  }
  return At && Leads(At) && !readsStream(I);
}

void ShimStretches::leaveOutOtherLives() {
  SmallVector<const AllocaInst *, 8> Slots;
  for (Instruction &I : A.F.getEntryBlock())
    if (auto *Slot = dyn_cast<AllocaInst>(&I); Slot && Slot->isStaticAlloca() &&
        any_of(Slot->users(), [&](const User *U) {
          auto *By = cast<Instruction>(U);
          return By->isLifetimeStartOrEnd() && L.contains(By);
        }))
      Slots.push_back(Slot);
  if (Slots.empty())
    return;
  StackLifetime Lives(A.F, Slots, StackLifetime::LivenessType::May);
  Lives.run();
  // In a block lives begin and end at marks only.
  SmallVector<Instruction *, 64> Meeting;
  for (Block *B : L.blocks()) {
    bool Swept = isInSweep(B->front());
    for (Instruction &I : *B)
      if (Swept ? &I == &B->front() || I.isLifetimeStartOrEnd() : mayFollowAddress(I))
        Meeting.push_back(&I);
  }
  for (const AllocaInst *Slot : Slots)
    if (none_of(Meeting, [&](Instruction *I) { return Lives.isAliveAfter(Slot, I); }))
      Sweeps.leaveOut(*Slot);
}
