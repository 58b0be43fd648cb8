//===- stretch_ways.cpp - Alarms that leave the time loop --------------------===//
//
// Consumes: sweeps that are left, and the time loop with them, where an alarm is raised
// (alarms.cpp):
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
// In the same way the host gets values that only an alarm changes, such as the number of alarms.
//
// Refuses ways on which something of the grid is needed that was loaded beside the sweeps, and
// values that sweeps look at in turn.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "stretches.h"
#include "turns.h"
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

//===----------------------------------------------------------------------===//
// Values that only an alarm changes
//===----------------------------------------------------------------------===//

/// The phi behind `C` takes what goes round in it unchanged, but for alarmed blocks.
bool ShimStretches::findUnalarmed(Loop &C, PHINode &Exit, Unalarmed &Found) const {
  const DataLayout &DL = A.F.getDataLayout();
  Type *T = Exit.getType();
  auto *Root = dyn_cast<PHINode>(throughExits(Exit.getIncomingValue(0)));
  if (Alarmed.empty() || Exit.use_empty() || Exit.getNumIncomingValues() != 1 || !Root ||
      Root->getParent() != C.getHeader() || !T->isSingleValueType() ||
      DL.getTypeStoreSize(T).getKnownMinValue() > sizeof(uint64_t))
    return false;
  SmallSetVector<Value *, 8> Same;
  Same.insert(Root);
  for (unsigned I = 0; I < Same.size(); ++I) {
    auto *Phi = dyn_cast<PHINode>(Same[I]);
    if (!Phi || !C.contains(Phi))
      return false;
    for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks()))
      if (!Alarmed.contains(From) && C.contains(From))
        Same.insert(V);
  }
  Found = {&Exit, Root->getIncomingValueForBlock(C.getLoopPreheader())};
  return true;
}

/// A phi of the loop that goes on with such a value: what it is now, it is in all steps ahead.
bool ShimStretches::isUnalarmed(const Instruction &I) const {
  auto *Phi = dyn_cast<PHINode>(&I);
  return Phi && Phi->getParent() == L.getHeader() && any_of(Staying, [&](const Unalarmed &Same) {
           return throughExits(Same.Exit) ==
                  throughExits(Phi->getIncomingValueForBlock(L.getLoopLatch()));
         });
}

bool ShimStretches::staysBehind() const {
  return all_of(Staying, [&](const Unalarmed &Same) {
    auto *Begins = dyn_cast<Instruction>(Same.Initial);
    return (!Begins || A.DT.dominates(Begins, AppendBefore)) &&
           all_of(Same.Exit->uses(), [&](const Use &U) {
             return !isInSweep(*cast<Instruction>(U.getUser())) &&
                    A.DT.dominates(AppendBefore, U);
           });
  });
}

/// What they are unless the stretch says otherwise.
void ShimStretches::beginUnalarmed(IRBuilderBase &B) {
  for (auto [Index, Same] : enumerate(Staying))
    B.CreateStore(Same.Initial, wayWord(B, Results, wordsOfWays() + Index));
}

void ShimStretches::takeUnalarmed(IRBuilderBase &B) {
  for (auto [Index, Same] : enumerate(Staying))
    Same.Exit->replaceAllUsesWith(
        B.CreateLoad(Same.Exit->getType(), wayWord(B, Results, wordsOfWays() + Index)));
}
