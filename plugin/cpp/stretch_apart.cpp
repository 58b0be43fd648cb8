//===- stretch_apart.cpp - Sweeps between which side code stands -------------===//
//
// Consumes: a time loop whose sweeps can't wait, since side code or an exit stands
// between those of one step, or pointers change in ways that are not followed.
// Produces: the first sweeps of a step that stand together, as a stretch of one
// step, called where the last of them stood:
//
//     for (...) {                      for (...) {
//       sweep(u, v);                     stretch(1, u, v, w);
//       sweep(v, w);          becomes    print(w);
//       print(w);                        sweep(w, u);
//       sweep(w, u);                   }
//     }
//
// A largest value that the step computes with (a time step from the largest speed) is
// such a sweep's result (stretch_reduce.cpp), of which no step but the one at hand is
// ahead; so is a sum that a sweep adds up beside what it stores.
//
// What the step has computed before is passed as it is. The rest of the loop is
// looked at again afterwards. Refuses what is no sweep.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

/// Instructions that a value of a step is followed through.
static constexpr unsigned MostParts = 64;
/// Sweeps of one step, from which on each try to take them together takes long.
static constexpr unsigned ManySweeps = 64;

/// It stores to other places in other iterations. What it stores to one place all
/// the time, a sum in memory, is the host's; rows that move on with the loop around,
/// or stand in several loops, are those of one sweep; and what is new in each
/// iteration is no grid.
bool ShimStretches::storesAlong(const Loop &C) const {
  auto Moves = [&](const SCEV *S) {
    auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
    return Recurrence && Recurrence->getLoop() == &L;
  };
  return any_of(C.blocks(), [&](Block *B) {
    return any_of(*B, [&](Instruction &I) {
      auto *Mem = dyn_cast<MemIntrinsic>(&I);
      Value *To = Mem ? Mem->getRawDest() : nullptr;
      if (auto *Store = dyn_cast<StoreInst>(&I))
        To = Store->getPointerOperand();
      if (!To || A.SE.isLoopInvariant(A.SE.getSCEV(To), &C))
        return false;
      auto *Root = dyn_cast<Instruction>(getUnderlyingObject(To));
      bool Made = isa_and_nonnull<CallBase>(Root) && L.contains(Root);
      bool Row = Made || L.getLoopDepth() > 1 ||
                 SCEVExprContains(A.SE.getSCEV(To), Moves);
      return !C.getSubLoops().empty() || !Row;
    });
  });
}

/// It looks at several elements in each iteration.
bool ShimStretches::combines(const Loop &C) const {
  SmallPtrSet<const SCEV *, 4> Seen;
  for (Block *B : C.blocks())
    for (Instruction &I : *B)
      if (auto *Load = dyn_cast<LoadInst>(&I)) {
        const SCEV *At = A.SE.getSCEV(Load->getPointerOperand());
        if (!Load->getType()->isPointerTy() && !A.SE.isLoopInvariant(At, &C))
          Seen.insert(At);
      }
  return Seen.size() > 1;
}

/// Loops that fill and copy are sweeps where others combine elements, or did before
/// they were taken; alone, they prepare something.
bool ShimStretches::isTimeLoop(ArrayRef<Loop *> Found) const {
  auto IsTaken = [](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && Callee->getName().contains(".stretch");
  };
  return any_of(Found, [&](Loop *C) { return !Reading.contains(C) && combines(*C); }) ||
         any_of(L.blocks(), [&](Block *B) { return any_of(*B, IsTaken); });
}

/// It stores along, or finds a largest value. A sum that is all that a loop makes is the
/// host's: each of its terms would go there.
bool ShimStretches::mayStandApart(Loop &C) {
  if (storesAlong(C))
    return isSweep(C);
  size_t Before = Reductions.size();
  return isSweep(C) && Reading.contains(&C) &&
         none_of(drop_begin(Reductions, Before), [](const Reduction &R) { return R.IsSum; });
}

SmallVector<Loop *, 16> ShimStretches::listSweeps() {
  SmallVector<Loop *, 16> Found;
  if (!mayBeCut())
    return Found;
  findAlarmed();
  for (Block *B : ReversePostOrderTraversal<Function *>(&A.F))
    for (Loop *C : L)
      if (C->getHeader() == B && mayStandApart(*C))
        Found.push_back(C);
  if (!isTimeLoop(Found))
    Found.clear();
  return Found;
}

bool ShimStretches::needsExtreme() {
  SmallVector<Loop *, 16> All = listSweeps();
  auto IsUsedBySweep = [&](PHINode *Exit) {
    SmallSetVector<Instruction *, 16> Work;
    Work.insert(Exit);
    for (unsigned I = 0; I < Work.size() && I < MostParts; ++I)
      for (User *U : Work[I]->users()) {
        auto *By = cast<Instruction>(U);
        if (!L.contains(By) || (isa<PHINode>(By) && By->getParent() == L.getHeader()))
          continue;
        if (any_of(All, [&](Loop *C) { return C->contains(By) && !Reading.contains(C); }))
          return true;
        if (isDirect(By->getParent()) && !By->mayHaveSideEffects())
          Work.insert(By);
      }
    return false;
  };
  // What only some steps ask for is of no concern to the others.
  auto IsOfEach = [&](const Loop &C) {
    return L.getLoopLatch() && A.DT.dominates(C.getHeader(), L.getLoopLatch());
  };
  return any_of(Reductions, [&](const Reduction &R) {
    return Reading.contains(R.Of) && is_contained(All, R.Of) && IsOfEach(*R.Of) &&
           IsUsedBySweep(R.Exit);
  });
}

/// The first access of what may be a sweep to a place that another array says.
const Instruction *ShimStretches::findGather() const {
  for (Block *B : ReversePostOrderTraversal<Function *>(&A.F)) {
    const Loop *C = A.LI.getLoopFor(B);
    while (C && C != &L && C->getParentLoop() != &L)
      C = C->getParentLoop();
    if (!C || C == &L || !storesAlong(*C))
      continue;
    auto Follows = [&](const SCEV *S) {
      auto *Unknown = dyn_cast<SCEVUnknown>(S);
      auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
      return Load && C->contains(Load) && Load->getType()->isIntegerTy() &&
             !A.SE.isLoopInvariant(A.SE.getSCEV(Load->getPointerOperand()), C);
    };
    for (Instruction &I : *B)
      if (Value *At = getLoadStorePointerOperand(&I))
        if (SCEVExprContains(A.SE.getSCEV(At), Follows))
          return &I;
  }
  return nullptr;
}

SmallVector<Loop *, 16> ShimStretches::fewer() const {
  SmallVector<Loop *, 16> Kept;
  if (Culprit && L.contains(Culprit) && !isInSweep(*Culprit)) {
    const Loop *Around = A.LI.getLoopFor(Culprit->getParent());
    while (Around != &L && Around->getParentLoop() != &L)
      Around = Around->getParentLoop();
    Place At = Around == &L
                   ? placeOf(*Culprit)
                   : Place{SegmentOf.lookup(Around->getHeader()), true, 0};
    for (Loop *C : SweepLoops)
      if (Place{SegmentOf.lookup(C->getHeader()), true, 0} < At)
        Kept.push_back(C);
  }
  return Kept;
}

void ShimStretches::callNow() {
  IRBuilder<> B(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  SmallVector<Value *, 16> Arguments{B.getInt64(1)};
  append_range(Arguments, LiveIns);
  Arguments.push_back(frame());
  CallInst *Call = B.CreateCall(Stretch, Arguments);
  if (!mayThrow())
    Call->setDoesNotThrow();
}

//===----------------------------------------------------------------------===//
// The face to Rust
//===----------------------------------------------------------------------===//

ShimStretches *shim_stretches_apart(ShimAnalyses *A, ShimLoopRef In, size_t Most,
                                    bool MayStore, const LLVMBasicBlockRef *LeftOut,
                                    size_t LeftOutCount, size_t *Work) {
  auto &L = *const_cast<Loop *>(hexpass::unwrap(In));
  size_t Length = 0;
  for (const BasicBlock *B : L.blocks())
    Length += B->size();
  SmallVector<Loop *, 16> All = ShimStretches(*A, L, false, ArrayRef<Loop *>()).listSweeps();
  erase_if(All, [&](const Loop *C) {
    return any_of(ArrayRef(LeftOut, LeftOutCount), [&](LLVMBasicBlockRef B) {
      return llvm::unwrap(B) == C->getHeader();
    });
  });
  // With what is stored beside them, or without; `Less`: those that may stand together if not all
  // do.
  auto Planned = [&](ArrayRef<Loop *> Tried, SmallVector<Loop *, 16> &Less, bool Build) {
    for (bool WithStores : {true, false}) {
      if (WithStores && !MayStore)
        continue;
      *Work -= std::min(*Work, Length);
      auto D = std::make_unique<ShimStretches>(*A, L, WithStores, Tried);
      if (D->plan() && (!Build || D->build()))
        return D;
      if (!D->sweeps().empty())
        Less = D->fewer();
    }
    return std::unique_ptr<ShimStretches>();
  };
  for (unsigned First = 0; First < All.size() && *Work; ++First) {
    auto Some = ArrayRef(All).slice(First);
    SmallVector<Loop *, 16> Less, Tried(Some.take_front(Most));
    // Where there are very many, one that can't even stand alone is not tried with all of them.
    if (All.size() > ManySweeps && !Planned(Some.take_front(), Less, /*Build=*/false))
      continue;
    while (true) {
      Less.clear();
      if (auto D = Planned(Tried, Less, /*Build=*/true))
        return D.release();
      if (Tried.size() <= 1 || !*Work)
        break;
      // Few are tried one less at a time; of very many, each try takes long.
      if (Less.empty() || Less.size() >= Tried.size())
        Tried.truncate(Tried.size() - 1 - Tried.size() / 8);
      else
        Tried = Less;
    }
  }
  return nullptr;
}

LLVMValueRef shim_gather(ShimAnalyses *A, ShimLoopRef In) {
  auto &L = *const_cast<Loop *>(hexpass::unwrap(In));
  const Instruction *Found = ShimStretches(*A, L, false, ArrayRef<Loop *>()).findGather();
  return llvm::wrap(static_cast<Value *>(const_cast<Instruction *>(Found)));
}

bool shim_needs_extreme(ShimAnalyses *A, ShimLoopRef In) {
  auto &L = *const_cast<Loop *>(hexpass::unwrap(In));
  return ShimStretches(*A, L, false, ArrayRef<Loop *>()).needsExtreme();
}

bool shim_stretches_store(const ShimStretches *D) { return D->storesDirectly(); }

size_t shim_stretches_sweeps(const ShimStretches *D, LLVMBasicBlockRef *To,
                             size_t Capacity) {
  return hexpass::fill(D->sweeps(), To, Capacity, [](const Loop *C) {
    return llvm::wrap(C->getHeader());
  });
}
