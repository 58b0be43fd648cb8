//===- kept_sums.cpp - Sums that sweeps keep in memory ------------------------===//
//
// Consumes: a working copy with loops in simplified form, whose sweeps add up what each step is to
// be remembered by where that is kept:
//
//     energy[t] = 0;                          energy[t] = 0;
//     for (i...)                              double sum = energy[t];
//         for (j...) {                        for (i...)
//             v[i][j] = ...;        becomes       for (j...) {
//             energy[t] += v[i][j];                   v[i][j] = ...;
//         }                                           sum += v[i][j];
//                                                 }
//                                             energy[t] = sum;
//
// Produces: the sum in a register, read before the sweep's outermost loop and written behind it.
// Refuses places that were not written before in the same step, since they need not be there, and
// those that anything else in the loop may touch.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "stretches.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Operations from what is stored back to what was there.
constexpr unsigned MostOperations = 8;

/// What is stored goes on from what was there.
bool goesOn(const Value *V, const Value *At, unsigned Deep = MostOperations) {
  auto *I = dyn_cast<Instruction>(V);
  if (auto *Load = dyn_cast_or_null<LoadInst>(I))
    return Load->getPointerOperand() == At;
  return I && Deep && isa<BinaryOperator, SelectInst, CallInst>(I) && !I->mayReadOrWriteMemory() &&
         any_of(I->operands(), [&](const Use &U) { return goesOn(U, At, Deep - 1); });
}

/// An access leads to objects of its own, through pointers that change places too.
bool isElsewhere(const Instruction &I, const Value &At) {
  const Value *To = getLoadStorePointerOperand(&I), *Of = getUnderlyingObject(&At);
  SmallVector<const Value *, 4> Objects;
  if (To)
    getUnderlyingObjects(To, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return isIdentifiedObject(Of) && !Objects.empty() &&
         all_of(Objects, [&](const Value *V) { return V != Of && isIdentifiedObject(V); });
}

/// One place, and the accesses of a loop to it.
class KeptSum {
public:
  KeptSum(Loop &L, StoreInst &First, DominatorTree &DT, AAResults &AA)
      : L(L), First(First), At(First.getPointerOperand()), DT(DT), AA(AA) {}

  bool find() {
    Type *T = First.getValueOperand()->getType();
    return (T->isFloatingPointTy() || T->isIntegerTy()) && L.isLoopInvariant(At) &&
           goesOn(First.getValueOperand(), At) && L.getLoopPreheader() &&
           L.hasDedicatedExits() && isNobodyElses() && wasWritten();
  }

  void keep() {
    Type *T = First.getValueOperand()->getType();
    Function &F = *L.getHeader()->getParent();
    IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
    // Clean-up makes a register of it.
    AllocaInst *Sum = B.CreateAlloca(T, nullptr, "sum");
    // What is known of its type holds before and behind the loop, too; what scopes say may not.
    AAMDNodes Tags(First.getAAMetadata().TBAA, nullptr, nullptr, nullptr, nullptr);
    auto Move = [&](Instruction *Before, Value *From, Value *To) {
      B.SetInsertPoint(Before);
      B.SetCurrentDebugLocation(First.getDebugLoc());
      auto *Load = B.CreateAlignedLoad(T, From, First.getAlign());
      auto *Store = B.CreateAlignedStore(Load, To, First.getAlign());
      (From == At ? cast<Instruction>(Load) : Store)->setAAMetadata(Tags);
    };
    Move(L.getLoopPreheader()->getTerminator(), At, Sum);
    for (Instruction *I : Accesses)
      I->setOperand(isa<LoadInst>(I) ? 0 : 1, Sum);
    SmallVector<BasicBlock *, 2> Exits;
    L.getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      Move(&*Exit->getFirstInsertionPt(), Sum, At);
    Sum->setAlignment(First.getAlign());
    for (Instruction *I : Accesses)
      I->setAAMetadata(AAMDNodes());
  }

private:
  /// Nothing in the loop touches the place but what loads and stores it whole, and all of it comes
  /// back.
  bool isNobodyElses() {
    Type *T = First.getValueOperand()->getType();
    MemoryLocation Place = MemoryLocation::get(&First);
    for (BasicBlock *B : L.blocks())
      for (Instruction &I : *B) {
        if (!isGuaranteedToTransferExecutionToSuccessor(&I))
          return false;
        if (!I.mayReadOrWriteMemory())
          continue;
        if (getLoadStorePointerOperand(&I) == At) {
          if (I.isVolatile() || I.isAtomic() || getLoadStoreType(&I) != T)
            return false;
          Accesses.push_back(&I);
        } else if (isModOrRefSet(AA.getModRefInfo(&I, Place)) && !isElsewhere(I, *At)) {
          return false;
        }
      }
    SmallVector<BasicBlock *, 2> Exits;
    L.getUniqueExitBlocks(Exits);
    return all_of(Exits, [](const BasicBlock *Exit) { return !Exit->isEHPad(); });
  }

  /// The step has written there before, and has freed nothing.
  bool wasWritten() const {
    const Loop *Around = L.getParentLoop();
    if (!Around)
      return false;
    auto MayFree = [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && !Call->hasFnAttr(Attribute::NoFree) && !touchesArgumentsOnly(*Call) &&
             !isa<IntrinsicInst>(Call);
    };
    return none_of(Around->blocks(), [&](BasicBlock *B) { return any_of(*B, MayFree); }) &&
           any_of(At->users(), [&](User *U) {
             auto *Store = dyn_cast<StoreInst>(U);
             return Store && Store->getPointerOperand() == At && Store->isSimple() &&
                    Store->getValueOperand()->getType() == First.getValueOperand()->getType() &&
                    Around->contains(Store) && !L.contains(Store) &&
                    DT.dominates(Store, L.getHeader());
           });
  }

  Loop &L;
  StoreInst &First;
  Value *At;
  DominatorTree &DT;
  AAResults &AA;
  SmallVector<Instruction *, 4> Accesses;
};

} // namespace

PreservedAnalyses SumsToRegisters::run(Function &F, FunctionAnalysisManager &FAM) {
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  AAResults &AA = FAM.getResult<AAManager>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    SmallVector<StoreInst *, 8> Stores;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B)
        if (auto *Store = dyn_cast<StoreInst>(&I))
          Stores.push_back(Store);
    for (StoreInst *Store : Stores) {
      if (isa<AllocaInst>(Store->getPointerOperand()) || !Store->isSimple())
        continue;
      KeptSum Sum(*L, *Store, DT, AA);
      if (!Sum.find())
        continue;
      Sum.keep();
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
