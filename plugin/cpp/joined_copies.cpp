//===- joined_copies.cpp - Elements that are copied together ---------------===//
//
// Consumes: a function whose tiny loops have been unrolled, so that an innermost loop
// copies several elements side by side where the source had a loop of its own:
//
//     for (i = 0; i < n; i++)
//         f[i][0] = g[i][0], f[i][1] = g[i][1], f[i][2] = g[i][2];
//
// Produces: one copy of all of them, memcpy(f[i], g[i], sizeof f[i]), which the host makes
// one of the whole row, as it would have made of the loop in the source. Of pairs of a
// load and a store it would not.
//
// Refuses what the host could not make a copy of rows of: gaps, elements that another
// iteration writes too, loops that are left early or turn no known number of times, memory
// that anything else in the loop may touch. Single pairs the host joins itself.
//
//===----------------------------------------------------------------------===//

#include "joined_copies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// One element, loaded for nothing but to be stored elsewhere.
struct Move {
  LoadInst *From;
  StoreInst *To;
  /// Of the first element of its run, in bytes.
  int64_t Offset;
  uint64_t Size;
};
using Moves = SmallVector<Move, 8>;

/// The moves of a block.
Moves movesOf(BasicBlock &B) {
  const DataLayout &DL = B.getDataLayout();
  Moves Found;
  for (Instruction &I : B) {
    auto *To = dyn_cast<StoreInst>(&I);
    auto *From = To ? dyn_cast<LoadInst>(To->getValueOperand()) : nullptr;
    Type *T = From ? From->getType() : nullptr;
    if (From && From->getParent() == &B && From->hasOneUse() && From->isSimple() &&
        To->isSimple() && !T->isScalableTy() && DL.typeSizeEqualsStoreSize(T) &&
        From->getPointerAddressSpace() == To->getPointerAddressSpace())
      Found.push_back({From, To, 0, DL.getTypeStoreSize(T).getFixedValue()});
  }
  return Found;
}

class Joiner {
public:
  Joiner(Loop &L, ScalarEvolution &SE, AAResults &AA) : L(L), SE(SE), AA(AA) {}

  bool run(Moves Left) {
    bool Changed = false;
    while (!Left.empty()) {
      Moves Run = takeRun(Left);
      if (Run.size() > 1 && isWhole(Run) && isApart(Run) && isStraight(Run)) {
        join(Run);
        Changed = true;
      }
    }
    return Changed;
  }

private:
  std::optional<int64_t> distance(Value *From, Value *To) {
    std::optional<APInt> D = SE.computeConstantDifference(SE.getSCEV(To), SE.getSCEV(From));
    return D ? D->trySExtValue() : std::nullopt;
  }

  /// Takes out those that move as far as the first, at known distances from it; in the
  /// order of their addresses.
  Moves takeRun(Moves &Left) {
    Move First = Left.front();
    Moves Run, Others;
    for (Move M : Left) {
      auto From = distance(First.From->getPointerOperand(), M.From->getPointerOperand());
      auto To = distance(First.To->getPointerOperand(), M.To->getPointerOperand());
      bool Same = M.To == First.To || (From && To && *From == *To);
      M.Offset = To.value_or(0);
      (Same ? Run : Others).push_back(M);
    }
    Left = std::move(Others);
    sort(Run, [](const Move &A, const Move &B) { return A.Offset < B.Offset; });
    return Run;
  }

  /// Element after element, over all that an iteration steps over.
  bool isWhole(const Moves &Run) {
    uint64_t Size = 0;
    for (const Move &M : Run) {
      if (M.Offset - Run.front().Offset != int64_t(Size))
        return false;
      Size += M.Size;
    }
    auto StepsOver = [&](Value *Pointer) {
      auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Pointer));
      if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
        return false;
      auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
      return Step && Step->getAPInt().abs() == Size;
    };
    return StepsOver(Run.front().To->getPointerOperand()) &&
           StepsOver(Run.front().From->getPointerOperand());
  }

  /// Nothing in the loop writes what is read, or touches what is written.
  bool isApart(const Moves &Run) {
    SmallPtrSet<const Instruction *, 16> Own;
    for (const Move &M : Run)
      Own.insert({M.From, M.To});
    auto From = MemoryLocation::getBeforeOrAfter(Run.front().From->getPointerOperand());
    auto To = MemoryLocation::getBeforeOrAfter(Run.front().To->getPointerOperand());
    if (!AA.isNoAlias(From, To))
      return false;
    return all_of(L.blocks(), [&](BasicBlock *B) {
      return all_of(*B, [&](Instruction &I) {
        return Own.contains(&I) || !I.mayReadOrWriteMemory() ||
               (!isModSet(AA.getModRefInfo(&I, From)) &&
                !isModOrRefSet(AA.getModRefInfo(&I, To)));
      });
    });
  }

  static StoreInst *lastOf(const Moves &Run) {
    StoreInst *Last = Run.front().To;
    for (const Move &M : Run)
      if (Last->comesBefore(M.To))
        Last = M.To;
    return Last;
  }

  /// Who stores the first also stores the last.
  static bool isStraight(const Moves &Run) {
    const Instruction *First = Run.front().To, *Last = lastOf(Run);
    for (const Move &M : Run)
      if (M.To->comesBefore(First))
        First = M.To;
    constexpr unsigned MostBetween = 512;
    return isGuaranteedToTransferExecutionToSuccessor(First->getIterator(), Last->getIterator(),
                                                      MostBetween);
  }

  static void join(const Moves &Run) {
    const Move &First = Run.front(), &Last = Run.back();
    // Pointers of the other elements may stand behind those of the first.
    IRBuilder<> B(lastOf(Run));
    Value *Size = B.getInt64(Last.Offset - First.Offset + Last.Size);
    CallInst *All = B.CreateMemCpy(First.To->getPointerOperand(), First.To->getAlign(),
                                   First.From->getPointerOperand(), First.From->getAlign(), Size);
    AAMDNodes Tags = First.To->getAAMetadata();
    for (const Move &M : Run)
      Tags = Tags.merge(M.To->getAAMetadata()).merge(M.From->getAAMetadata());
    All->setAAMetadata(Tags.extendTo(-1));
    SmallVector<WeakTrackingVH, 16> Unused;
    for (const Move &M : Run) {
      Unused.append({M.To->getPointerOperand(), M.From});
      M.To->eraseFromParent();
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  }

  Loop &L;
  ScalarEvolution &SE;
  AAResults &AA;
};

} // namespace

PreservedAnalyses JoinCopies::run(Function &F, FunctionAnalysisManager &FAM) {
  if (!FAM.getResult<TargetLibraryAnalysis>(F).has(LibFunc_memcpy))
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !L->getLoopLatch() || !L->getExitingBlock())
      continue;
    for (BasicBlock *B : L->blocks()) {
      Moves Found = movesOf(*B);
      if (Found.size() < 2 ||
          !FAM.getResult<DominatorTreeAnalysis>(F).dominates(B, L->getLoopLatch()))
        continue;
      auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
      if (SE.hasLoopInvariantBackedgeTakenCount(L))
        Changed |= Joiner(*L, SE, FAM.getResult<AAManager>(F)).run(std::move(Found));
    }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
