//===- stretch_keep.cpp - Values that are wanted of the last step -------------===//
//
// Consumes: sweeps of a time loop that leave values in variables (a sum, a norm)
// which nobody looks at but behind the loop, or under a condition in it. Produces: a
// stretch that stores them, and a lean one without them, which is what becomes a nest.
// Of pending steps, all but the last are the nest's; the last one is executed as it
// was written, so that sums are added up in the source's order:
//
//     if (pending > 1) lean(pending - 1, ...);
//     if (pending) stretch(1, ..., &sum), pending = 0;
//
// What is computed from such a value alone (a root, a quotient) is computed again where
// it is wanted. Refuses values that a step needs.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "stretches.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace hexpass;

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

bool ShimStretches::isPlainOrMath(const Instruction &I) const {
  auto *Call = dyn_cast<CallInst>(&I);
  return isPlain(I) || (Call && isMathematics(*Call));
}

/// Adds what is made of the value that a sweep leaves in `Exit`, and who looks at that.
/// False if a step does; but if the step only decides something, by a comparison of it.
bool ShimStretches::follow(PHINode &Exit, Followed &To, bool Decides) const {
  if (Exit.getNumIncomingValues() != 1)
    return false;
  SmallVector<Instruction *, 8> Work{&Exit};
  while (!Work.empty()) {
    Instruction *V = Work.pop_back_val();
    bool Late = To.Late.contains(V);
    for (Use &U : V->uses()) {
      auto *By = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(By);
      if (!L.contains(By)) {
        // What a panic says is not followed.
        if (!Phi || Phi->getParent()->isEHPad())
          return false;
        continue;
      }
      if ((Late && !Decides) || !isDirect(By->getParent()))
        return false;
      auto *Compare = dyn_cast<FCmpInst>(By);
      if (Decides && Compare && decidesBetween(*Compare)) {
        To.Compares.insert({Compare, U.getOperandNo()});
        continue;
      }
      bool Next = Phi && Phi->getParent() == L.getHeader();
      if (Phi) {
        if ((Late && Next) || (!Next && Phi->getNumIncomingValues() != 1))
          return false;
      } else if (!isPlainOrMath(*By)) {
        if (Late || SpineOf.contains(By->getParent()))
          return false;
        To.Lookers.push_back(&U);
        continue;
      }
      // What is made of it in this step and in the next is another matter.
      if (To.Derived.contains(By) && To.Late.contains(By) != (Late || Next))
        return false;
      if (Late || Next)
        To.Late.insert(By);
      if (To.Derived.insert(By))
        Work.push_back(By);
    }
  }
  return true;
}

bool ShimStretches::isSeldomSeen(PHINode &Exit) const {
  Followed Through;
  return follow(Exit, Through, /*Decides=*/false);
}

/// It can be computed behind the loop.
bool ShimStretches::isKnownBehind(Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || is_contained(KeptExits, V))
    return true;
  return Wanted.Derived.contains(I) &&
         all_of(I->operand_values(), [&](Value *O) { return isKnownBehind(O); });
}

/// Whoever looks does when the sweeps of the step are done, and before those of the next.
bool ShimStretches::keepsAfter() {
  for (PHINode *Exit : KeptExits)
    if (!follow(*Exit, Wanted, !Reductions.empty()))
      return false;
  for (const Use *U : Wanted.Lookers)
    if (!(Last < placeOf(*cast<Instruction>(U->getUser()))) ||
        !A.DT.dominates(AppendBefore, *U))
      return false;
  if (!Reductions.empty() && !sumsAfter())
    return false;
  WantsExact = !Wanted.Lookers.empty();
  auto Leaves = [&](const Instruction *I) {
    return any_of(I->users(), [&](const User *U) { return !L.contains(cast<Instruction>(U)); });
  };
  WantsExact |= any_of(KeptExits, Leaves) || any_of(Wanted.Derived, Leaves);
  for (Instruction *I : Wanted.Derived) {
    auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && Phi->getParent() == L.getHeader()) {
      Value *Next = Phi->getIncomingValueForBlock(L.getLoopLatch());
      if (!isKnownBehind(Next))
        return false;
      Turns[Phi] = {Phi->getIncomingValueForBlock(L.getLoopPreheader()), Next};
    }
    if (!Wanted.Late.contains(I))
      continue;
    for (const User *U : I->users()) {
      auto *Behind = dyn_cast<PHINode>(U);
      if (!Behind || L.contains(Behind))
        continue;
      for (auto [V, From] : zip(Behind->incoming_values(), Behind->blocks())) {
        auto At = SpineOf.find(From);
        if (V == I && (At == SpineOf.end() || !(Place{At->second, false, ~0u} < First)))
          return false;
      }
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The stretch with them, and without
//===----------------------------------------------------------------------===//

void ShimStretches::keepValues() {
  for (auto [Exit, To] : zip(KeptExits, Places)) {
    auto *Behind = cast<Block>(Map[Exit->getParent()]);
    IRBuilder<> B(Behind, Behind->begin());
    PHINode *Result = B.CreatePHI(Exit->getType(), 1);
    Result->addIncoming(mapped(Exit->getIncomingValue(0)),
                        cast<Block>(Map[Exit->getIncomingBlock(0)]));
    B.SetInsertPoint(Behind, Behind->getFirstInsertionPt());
    Kept.push_back(B.CreateStore(Result, To));
  }
}

void hexpass::passBy(BasicBlock &Before, BasicBlock &Header, BasicBlock &After) {
  for (PHINode &Phi : make_early_inc_range(After.phis())) {
    Phi.replaceAllUsesWith(PoisonValue::get(Phi.getType()));
    Phi.eraseFromParent();
  }
  Before.getTerminator()->replaceUsesOfWith(&Header, &After);
}

void ShimStretches::makeLean() {
  ValueToValueMapTy VMap;
  Model = CloneFunction(Stretch, VMap);
  Model->setName(Stretch->getName() + ".lean");
  for (StoreInst *Store : Kept)
    cast<StoreInst>(VMap[Store])->eraseFromParent();
  for (Loop *C : Reading) {
    auto Copy = [&](Block *B) -> Block & { return *cast<Block>(VMap[Map[B]]); };
    passBy(Copy(C->getLoopPreheader()), Copy(C->getHeader()), Copy(ExitOf.lookup(C)));
  }
  EliminateUnreachableBlocks(*Model);
  tidy(*Model, A.Ctx.FAM);
  canonicalise(*Model, A.Ctx.FAM);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// A call of the model, whose nest has been taken, asks the runtime whatever its
/// arguments are, and changes nothing where that does nothing.
bool ShimStretches::mayRepeat() const {
  unsigned Runs = 0;
  for (const Block &B : *Model)
    for (const Instruction &I : B) {
      if (callsRuntime(I)) {
        ++Runs;
        // Pointers that are exchanged in memory.
        for (const Block *Next : successors(&B))
          if (any_of(*Next, [](const Instruction &S) { return isa<StoreInst>(S); }))
            return false;
      }
      // On the way to the original loop.
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Callee->getName() == "hexrt_home" && !pred_empty(&B))
        return false;
    }
  return Runs == 1;
}

/// Where the loop is left, for each way out.
SmallVector<BasicBlock *, 4> ShimStretches::splitExits() {
  SmallVector<Block *, 4> Exits, Ways;
  L.getUniqueExitBlocks(Exits);
  if (KeptExits.empty())
    return Exits;
  for (Block *Exit : Exits) {
    if (Exit->isEHPad()) {
      Ways.push_back(Exit);
      continue;
    }
    SmallSetVector<Block *, 4> From(pred_begin(Exit), pred_end(Exit));
    for (Block *One : From)
      Ways.push_back(SplitBlockPredecessors(Exit, {One}, ".left"));
  }
  return Ways;
}

/// The value, made of what the last step has left.
Value *ShimStretches::kept(Value *V, IRBuilderBase &B,
                           DenseMap<Value *, Value *> &Copies) {
  auto *I = dyn_cast<Instruction>(V);
  if (auto It = Copies.find(V); It != Copies.end())
    return It->second;
  if (auto At = find(KeptExits, V); At != KeptExits.end())
    return Copies[V] = B.CreateLoad(V->getType(), Slots[At - KeptExits.begin()]);
  if (!I || !Wanted.Derived.contains(I))
    return V;
  Value *New = nullptr;
  if (auto Turn = Turns.find(I); Turn != Turns.end()) {
    auto [First_, Next] = Turn->second;
    Value *Latest = kept(Next, B, Copies);
    New = B.CreateSelect(B.CreateLoad(B.getInt1Ty(), Stepped), Latest, First_);
  } else if (isa<PHINode>(I)) {
    New = kept(I->getOperand(0), B, Copies);
  } else {
    Instruction *Copy = I->clone();
    for (Use &U : Copy->operands())
      U.set(kept(U.get(), B, Copies));
    Copy->dropDbgRecords();
    Copy->dropPoisonGeneratingFlags();
    New = B.Insert(Copy);
    Copy->setDebugLoc(I->getDebugLoc());
  }
  return Copies[V] = New;
}

/// Those who look in the loop.
void ShimStretches::handOut() {
  for (Use *U : Wanted.Lookers) {
    auto *By = cast<Instruction>(U->getUser());
    flush(By);
    IRBuilder<> B(By);
    DenseMap<Value *, Value *> Copies;
    U->set(kept(U->get(), B, Copies));
  }
}

/// Those behind it, on the way out that `At` stands on; nothing is pending.
void ShimStretches::handOut(Instruction &At) {
  if (KeptExits.empty() || At.getParent()->isEHPad())
    return;
  IRBuilder<> B(&At);
  DenseMap<Value *, Value *> Copies;
  for (Block *Behind : successors(At.getParent()))
    for (PHINode &Phi : Behind->phis()) {
      unsigned Way = Phi.getBasicBlockIndex(At.getParent());
      Phi.setIncomingValue(Way, kept(Phi.getIncomingValue(Way), B, Copies));
    }
}

/// What was made of them in each step.
void ShimStretches::removeDerived() {
  for (Instruction *I : Wanted.Derived)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Wanted.Derived)
    I->eraseFromParent();
}
