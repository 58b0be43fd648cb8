//===- stretch_ways.cpp - Alarms that leave the time loop --------------------===//
//
// Consumes: sweeps that are left, and the time loop with them, where an alarm is raised (alarms.cpp):
//
//     for (t = 0; t < steps; t++) {
//         for (i = 1; i < n - 1; i++) {
//             v[i] = ...;
//             if (!isfinite(v[i])) return t;
//         }
//         swap(u, v);
//     }
//
// Produces: the stretch as it was written, which notes by which way it was left, with the values
// that are needed there, behind the results of the steps, and returns; and a host that goes that
// way:
//
//     if (ahead.credit == 0) {
//         stretch(most steps, &ahead);
//         if (results[way]) goto ...;
//     }
//
// Refuses ways on which something of the grid is needed that was loaded beside the sweeps.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "stretches.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace hexpass;

bool ShimStretches::isOfSweep(const Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  return I && isInSweep(*I);
}

bool ShimStretches::mayLeaveByWays() {
  const DataLayout &DL = A.F.getDataLayout();
  auto Fits = [&](Type *T) {
    return T->isSingleValueType() && DL.getTypeStoreSize(T).getKnownMinValue() <= sizeof(uint64_t);
  };
  return WaysOut.empty() ||
         (KeptExits.empty() && all_of(WaysOut, [&](Block *Way) {
            return all_of(Way->phis(), [&](PHINode &Phi) {
              Value *V = Phi.getIncomingValue(0);
              return isOfSweep(V) ? Fits(V->getType()) : !dependsOnSweeps(V);
            });
          }));
}

/// Words behind the results: which way, and the values of sweeps that all ways need.
unsigned ShimStretches::wordsOfWays() const {
  if (WaysOut.empty())
    return 0;
  unsigned Words = 1;
  for (Block *Way : WaysOut)
    Words += count_if(Way->phis(),
                      [&](PHINode &Phi) { return isOfSweep(Phi.getIncomingValue(0)); });
  return Words;
}

Value *ShimStretches::wayWord(IRBuilderBase &B, Value *In, unsigned Word) const {
  return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), In, words() * Most + Word);
}

/// The stretch's own ends, before the sweeps that lead there.
void ShimStretches::placeWays() {
  for (Block *Way : WaysOut)
    Map[Way] = Block::Create(Way->getContext(), Way->getName(), Stretch);
}

void ShimStretches::noteWays() {
  unsigned Word = 1;
  for (auto [Number, Way] : enumerate(WaysOut)) {
    auto *To = cast<Block>(Map[Way]);
    IRBuilder<> B(To);
    B.SetCurrentDebugLocation(L.getStartLoc());
    markAlarmed(B);
    Value *In = B.CreateLoad(B.getPtrTy(), B.CreateStructGEP(aheadType(B.getContext()), Ahead,
                                                             Results_));
    for (PHINode &Phi : Way->phis())
      if (Value *V = Phi.getIncomingValue(0); isOfSweep(V))
        B.CreateStore(mapped(V), wayWord(B, In, Word++));
    B.CreateStore(B.getInt64(Number + 1), wayWord(B, In, 0));
    B.CreateRetVoid();
  }
}

/// Before the step goes on, behind the stretch.
void ShimStretches::leaveByWays(Instruction *Before) {
  if (WaysOut.empty())
    return;
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Code = B.CreateLoad(B.getInt64Ty(), wayWord(B, Results, 0));
  Instruction *End =
      SplitBlockAndInsertIfThen(B.CreateIsNotNull(Code), Before, /*Unreachable=*/true);
  B.SetInsertPoint(End);
  B.SetCurrentDebugLocation(L.getStartLoc());
  // This step is over, and none is ahead.
  B.CreateStore(B.getInt64(0), aheadField(B, Credit));
  unsigned Word = 1;
  for (Block *Way : WaysOut)
    for (PHINode &Phi : Way->phis()) {
      Value *V = Phi.getIncomingValue(0);
      if (isOfSweep(V))
        V = B.CreateLoad(V->getType(), wayWord(B, Results, Word++));
      Phi.addIncoming(V, End->getParent());
    }
  SwitchInst *Which = B.CreateSwitch(Code, WaysOut.back(), WaysOut.size());
  for (auto [Number, Way] : enumerate(drop_end(WaysOut)))
    Which->addCase(B.getInt64(Number + 1), Way);
  End->eraseFromParent();
}
