//===- stretch_plan.cpp - What of a time loop can wait -----------------------===//
//
// Consumes: a time loop that is not a nest as it stands. Produces: which of its
// inner loops and stores are the sweeps of a step, what they need from the rest,
// and where the rest may look at what they touch. Refuses loops in which side
// code or an exit stands between two sweeps of one step, and side code that uses
// what a sweep has computed in a variable. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "stretches.h"
#include "taken.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

bool ShimStretches::refuse(ShimStretchRefusal Why, const Instruction *At) {
  Refusal = Why;
  Culprit = At;
  return false;
}

bool ShimStretches::plan() {
  // Whoever lists sweeps that are to stand apart has asked.
  if (!Apart && !mayBeCut())
    return refuse(ShimStretchNoSweep);
  if (!Apart)
    Inner.append(L.getSubLoops().rbegin(), L.getSubLoops().rend());
  if (!target())
    return refuse(ShimStretchNoSweep);
  findSpine();
  findSegments();
  findWriters();
  findAlarmed();
  findSweeps();
  if (makesRowsOnly())
    return refuse(ShimStretchNoSweep);
  if (!SweepLoops.empty()) {
    leaveOutOtherLives();
    findStores();
  }
  if (SweepLoops.empty() || (!Apart && leavesSweep()))
    return refuse(Reducing ? ShimStretchReduction : ShimStretchNoSweep, Reducing);
  if ((Keeps && KeptExits.empty()) || (Records && Receivers.empty()))
    return refuse(ShimStretchNoSweep);
  if (!mayLeaveByWays())
    return refuse(ShimStretchNoSweep);
  if (!Apart && !keepsArrays())
    return refuse(ShimStretchNoSweep);
  if (!findPlaces() || (Apart && !isPassedThrough()) || !collect())
    return false;
  findGone();
  findLive();
  if (!Apart)
    findRelays();
  return findSyncs();
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// What is chosen by the place (`i == 0 ? n - 1 : i - 1`), of counters and of what is known
/// before `Around`.
bool ShimStretches::isFormula(Instruction &From, const Loop &Around) const {
  constexpr unsigned MostParts = 32;
  SmallSetVector<Instruction *, MostParts> Parts;
  Parts.insert(&From);
  auto IsOpen = [&](const SCEV *S) {
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
    return (I && Around.contains(I)) || (Recurrence && Recurrence->getLoop() == &L);
  };
  for (unsigned At = 0; At < Parts.size(); ++At) {
    Instruction *I = Parts[At];
    if (!isa<SelectInst, CmpInst, BinaryOperator, CastInst, FreezeInst, MinMaxIntrinsic>(I) ||
        Parts.size() > MostParts)
      return false;
    for (Value *Operand : I->operand_values()) {
      auto *Part = dyn_cast<Instruction>(Operand);
      if (!Part || !Around.contains(Part))
        continue;
      // A size that is read in each iteration.
      if (&Around == &L && isa<LoadInst>(Part) && staysSame(*Part))
        continue;
      bool Counts = isa<PHINode>(Part) && A.SE.isSCEVable(Part->getType()) &&
                    !SCEVExprContains(A.SE.getSCEV(Part), IsOpen);
      if (!Counts)
        Parts.insert(Part);
    }
  }
  return true;
}

/// Stores to addresses that move on with the steps (a trace, a history), or
/// follows indices that it reads one after the other: no sweep over a grid.
bool ShimStretches::hasTraceOrGather(Loop &C) const {
  auto Follows = [&](const SCEV *S) {
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    if (!I || !C.contains(I) || I->getType()->isPointerTy())
      return false;
    auto *Load = dyn_cast<LoadInst>(I);
    // What is chosen by the place is a formula there.
    if (!Load && (Apart ? !isa<PHINode>(I) : isFormula(*I, C)))
      return false;
    return !Load ||
           !A.SE.isLoopInvariant(A.SE.getSCEV(Load->getPointerOperand()), &C);
  };
  auto Steps = [&](const SCEV *S) {
    auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
    return Recurrence && goesOn(*Recurrence, L);
  };
  auto Rounds = [](const SCEV *S) {
    return isa<SCEVUDivExpr>(S) || isa<SCEVTruncateExpr>(S);
  };
  for (Block *B : usual(C))
    for (Instruction &I : *B) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (!Pointer)
        continue;
      const SCEV *Address = A.SE.getSCEV(Pointer);
      if (SCEVExprContains(Address, Follows))
        return true;
      if (isa<StoreInst>(I) && !Apart && !WithStores && SCEVExprContains(Address, Steps) &&
          !SCEVExprContains(Address, Rounds))
        return true;
    }
  return false;
}

/// A value that the loop leaves in a variable is used, not only to say what has
/// failed, and not only by `Known`.
bool ShimStretches::isUsedOutside(Loop &C, ArrayRef<Block *> DeadEnds,
                                  ArrayRef<PHINode *> Known) const {
  for (Block *B : C.blocks())
    for (Instruction &I : *B)
      for (User *U : I.users()) {
        auto *By = cast<Instruction>(U);
        if (!C.contains(By) && !(isa<PHINode>(By) && By->use_empty()) &&
            !is_contained(DeadEnds, By->getParent()) && !is_contained(Known, By))
          return true;
      }
  return false;
}

/// What only an alarm leads to.
void ShimStretches::findAlarmed() {
  SmallVector<Block *, 4> Begin;
  for (Block *B : L.blocks())
    if (isAlarmed(*B))
      Begin.push_back(B);
  for (Block *B : L.blocks())
    if (any_of(Begin, [&](Block *Of) { return A.DT.dominates(Of, B); }))
      Alarmed.insert(B);
}

SmallVector<BasicBlock *, 16> ShimStretches::usual(const Loop &C) const {
  SmallVector<Block *, 16> Blocks(C.blocks());
  erase_if(Blocks, [&](const Block *B) { return Alarmed.contains(B); });
  return Blocks;
}

/// What the loop leaves says whether an alarm was raised in it, if one may be.
bool ShimStretches::saysAlarms(Loop &C, ArrayRef<Block *> Ends,
                               ArrayRef<Reduction> Found) const {
  SmallVector<Block *, 16> May(C.blocks());
  append_range(May, Ends);
  return all_of(May, [&](Block *B) {
    if (!isAlarmed(*B))
      return true;
    SmallVector<BranchInst *, 2> Ways = waysInto(*B);
    return !Ways.empty() && all_of(Ways, [&](const BranchInst *Way) {
      return any_of(Found, [&](const Reduction &R) {
        return R.IsAlarm &&
               R.Chain.back()->getParent() == A.LI.getLoopFor(Way->getParent())->getHeader();
      });
    });
  });
}

bool ShimStretches::isSweep(Loop &C) {
  Block *Exit = nullptr;
  SmallVector<Block *, 8> DeadEnds, Ends, Out;
  if (holdsTaken(C) || !C.isLoopSimplifyForm() || !findExits(C, Exit, DeadEnds, Out))
    return false;
  append_range(Ends, DeadEnds);
  append_range(Ends, Out);
  bool Stores = false;
  for (Block *B : C.blocks())
    for (Instruction &I : *B) {
      if (I.isVolatile() || I.isAtomic() || isa<AllocaInst>(I))
        return false;
      // As the source has it, for the step in which the alarm is raised.
      if (Alarmed.contains(B))
        continue;
      Stores |= isa<StoreInst>(I) || isa<MemIntrinsic>(I);
      if (isa<LoadInst>(I) || isa<StoreInst>(I) || isa<MemIntrinsic>(I))
        continue;
      if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
        if (Intrinsic->isAssumeLikeIntrinsic())
          continue;
      if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
        return false;
    }
  if (hasTraceOrGather(C))
    return false;
  SmallVector<Reduction, 2> Found;
  SmallVector<Unalarmed, 2> Stays;
  SmallVector<PHINode *, 4> Left;
  for (PHINode &Phi : Exit->phis()) {
    Reduction R;
    Unalarmed Same;
    if (WithReductions && findReduction(C, Phi, R))
      Found.push_back(R);
    else if (WithReductions && findUnalarmed(C, Phi, Same))
      Stays.push_back(Same);
    else if (!Keeps || Phi.use_empty() || !isSeldomSeen(Phi))
      continue;
    Left.push_back(&Phi);
  }
  Reduces |= !Found.empty();
  if (!saysAlarms(C, Ends, Found))
    return false;
  // What a loop that only reads would fail at is not put off to the last step.
  if (!Stores && (Left.empty() || (Found.empty() && !DeadEnds.empty())))
    return false;
  if (!isUsedOutside(C, Ends, Left)) {
    ExitOf[&C] = Exit;
    Failing.insert_range(DeadEnds);
    WaysOut.insert_range(Out);
    append_range(Staying, Stays);
    for (Reduction &R : Found) {
      R.Word = words();
      Reductions.push_back(R);
      if (R.isBounded())
        KeptExits.push_back(R.Exit);
    }
    if (Found.empty())
      KeptExits.append(Left);
    if (!Stores)
      Reading.insert(&C);
    Writes |= Stores;
    return true;
  }
  Reducing = C.getHeader()->getTerminator();
  return false;
}

void ShimStretches::findSweeps() {
  SmallVector<Loop *, 4> Recording;
  for (Loop *C : Inner) {
    unsigned Segment = SegmentOf.lookup(C->getHeader());
    if (Records && mayRecord(*C)) {
      Recording.push_back(C);
      continue;
    }
    if (!isSteady(Segment) || !isSweep(*C))
      continue;
    SweepLoops.insert(C);
    KeptSegments.insert(Segment);
    for (Block *B : usual(*C))
      for (Instruction &I : *B)
        Sweeps.add(I);
  }
  if (Records)
    findReceivers(Recording);
  if (!Writes && (!Apart || Reductions.empty()))
    SweepLoops.clear();
}

/// Rows that have nothing from one another, each made where the one before was: what is written
/// out row by row. No steps of time, and each too little to be worth a call.
bool ShimStretches::makesRowsOnly() const {
  if (SweepLoops.empty() || !all_of(SweepLoops, [](const Loop *C) { return C->isInnermost(); }))
    return false;
  Footprint All(A);
  for (Block *B : L.blocks())
    for (Instruction &I : *B)
      if (I.mayWriteToMemory())
        All.add(I);
  return none_of(SweepLoops, [&](const Loop *C) {
    return any_of(C->blocks(), [&](const Block *B) {
      return any_of(*B, [&](const Instruction &I) {
        auto *Load = dyn_cast<LoadInst>(&I);
        return Load ? All.mayWrite(*Load) : isa<MemIntrinsic>(I);
      });
    });
  });
}

bool ShimStretches::isInSweep(const Instruction &I) const {
  Loop *In = A.LI.getLoopFor(I.getParent());
  while (In && !SweepLoops.contains(In))
    In = In->getParentLoop();
  return In;
}

//===----------------------------------------------------------------------===//
// What stands between the sweeps and belongs to them
//===----------------------------------------------------------------------===//

/// Notes the loads directly in the loop that `V` is made of in one iteration.
void ShimStretches::addSlice(Value *V) {
  SmallVector<Value *, 16> Work{V};
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || !isDirect(I->getParent()) ||
        (I->getParent() == L.getHeader() && isa<PHINode>(I)) ||
        !Sliced.insert(I).second)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (Load->isSimple())
        SliceLoads.insert(Load);
    } else if (I->mayReadOrWriteMemory())
      continue;
    append_range(Work, I->operands());
  }
}

/// The sweeps may load it when their turn has come: what it reads hardly changes,
/// and who changes it has to flush. A pointer can't be kept in any other way.
bool ShimStretches::mayLoadLater(const LoadInst &Load) const {
  if (Load.getType()->isPointerTy())
    return true;
  if (!L.isLoopInvariant(Load.getPointerOperand()))
    return false;
  bool IsWord = readsWord(Load);
  return !writesBeside(Load, [&](Instruction &I) {
    return !(IsWord && Words.contains(dyn_cast<StoreInst>(&I)));
  });
}

/// A root or an exponential of each step is made of it, which the host can take, and few devices as
/// the host does.
bool ShimStretches::feedsMathematics(const LoadInst &Load) const {
  SmallSetVector<const Instruction *, 16> Parts;
  Parts.insert(&Load);
  for (unsigned At = 0; At < Parts.size(); ++At)
    for (const User *U : Parts[At]->users()) {
      auto *By = cast<Instruction>(U);
      if (!L.contains(By) || !isDirect(By->getParent()))
        continue;
      auto *Call = dyn_cast<CallInst>(By);
      if (Call && isMathematics(*Call))
        return true;
      if (isPlain(*By))
        Parts.insert(By);
    }
  return false;
}

/// A word that is read from one fixed place and stored to another in each step.
bool ShimStretches::isExchanged(const StoreInst &Store) const {
  auto *Load = dyn_cast<LoadInst>(Store.getValueOperand());
  return Load && Load->isSimple() && L.contains(Load) &&
         isDirect(Load->getParent()) &&
         (Load->getType()->isPointerTy() || Load->getType()->isIntegerTy(64) ||
          Load->getType()->isIntegerTy(32)) &&
         L.isLoopInvariant(Load->getPointerOperand()) &&
         L.isLoopInvariant(Store.getPointerOperand());
}

/// What it stores is made of what a sweep reduces: the host's, once it is known.
bool ShimStretches::isOfResult(const StoreInst &Store) const {
  constexpr unsigned MostParts = 64;
  SmallSetVector<const Value *, 16> Parts;
  Parts.insert(Store.getValueOperand());
  for (unsigned At = 0; At < Parts.size() && At < MostParts; ++At) {
    auto *I = dyn_cast<Instruction>(Parts[At]);
    if (!I || !L.contains(I))
      continue;
    // An element of the grid may be changed by what it is itself, with the sweeps.
    if (any_of(Reductions, [&](const Reduction &R) {
          return R.result() == I && !(R.Probe && Sweeps.meets(Store));
        }))
      return true;
    if (isDirect(I->getParent()) && I->getParent() != L.getHeader())
      Parts.insert_range(I->operand_values());
  }
  return false;
}

/// A value of the grid that each step keeps at a place of its own (`trace[t] = u[i][j]`).
bool ShimStretches::isTrace(const StoreInst &Store) const {
  constexpr unsigned MostParts = 16;
  auto *Address = dyn_cast<SCEVAddRecExpr>(
      A.SE.getSCEV(const_cast<Value *>(Store.getPointerOperand())));
  if (!Address || Address->getLoop() != &L || !Address->isAffine())
    return false;
  SmallSetVector<const Value *, MostParts> Parts;
  Parts.insert(Store.getValueOperand());
  for (unsigned At = 0; At < Parts.size() && At < MostParts; ++At) {
    auto *I = dyn_cast<Instruction>(Parts[At]);
    if (!I || !L.contains(I) || !isDirect(I->getParent()))
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I); Load && Sweeps.mayWrite(*Load))
      return true;
    if (isPlain(*I))
      Parts.insert_range(I->operand_values());
  }
  return false;
}

/// A pointer, or a number that each step exchanges with others.
bool ShimStretches::isWord(const StoreInst &Store) const {
  return Store.isSimple() &&
         (isExchanged(Store) || Store.getValueOperand()->getType()->isPointerTy());
}

/// It keeps what a word held that the sweeps exchange.
bool ShimStretches::keepsWord(const StoreInst &Store) const {
  return isExchanged(Store) && any_of(Stores, [&](Instruction *I) {
           auto *Other = dyn_cast<StoreInst>(I);
           Footprint Written(A);
           Written.add(*I);
           return Other && isWord(*Other) &&
                  Written.mayWrite(*cast<LoadInst>(Store.getValueOperand()));
         });
}

bool ShimStretches::mayJoin(Instruction &I) const {
  auto *Store = dyn_cast<StoreInst>(&I);
  if (Store && Store->isSimple()) {
    if (!isWord(*Store))
      return WithStores && (Sweeps.meets(I) || isTrace(*Store)) && !isOfResult(*Store);
    if (Apart)
      return false;
    // Pointers that the sweeps follow are exchanged in memory; parts of vectors
    // that they don't follow go with them, where none may be seen without, and so does the
    // pointer by which two change places.
    return Sweeps.meets(I) || keepsWord(*Store) || (isExchanged(*Store) && !Failing.empty()) ||
           any_of(SliceLoads, [&](LoadInst *Load) {
             Footprint Read(A);
             Read.add(*Load);
             return Read.meets(I);
           });
  }
  auto *Mem = dyn_cast<MemIntrinsic>(&I);
  return Mem && !Mem->isVolatile() && (WithStores || !Apart) && Sweeps.meets(I);
}

/// Those that belong to the sweeps; words by themselves, where the host may exchange them.
void ShimStretches::gatherStores(bool WithWords) {
  for (Loop *C : SweepLoops)
    for (Block *B : usual(*C))
      for (Instruction &I : *B)
        for (Value *Operand : I.operands())
          addSlice(Operand);
  for (const Reduction &R : Reductions)
    if (R.Probe)
      addSlice(R.Probe);
  for (bool Again = true; Again;) {
    Again = false;
    DenseMap<unsigned, bool> Open;
    auto IsOpen = [&](unsigned Segment) {
      auto [Is, New] = Open.try_emplace(Segment, false);
      if (New)
        Is->second = !Apart && (isSteady(Segment) || isSwitched(Segment));
      return Is->second;
    };
    for (Block *B : L.blocks()) {
      unsigned Segment = SegmentOf.lookup(B);
      if (!isDirect(B) || !(SpineOf.contains(B) || IsOpen(Segment)))
        continue;
      for (Instruction &I : *B) {
        auto *Store = dyn_cast<StoreInst>(&I);
        if (Stores.contains(&I) || Words.contains(Store) || !mayJoin(I))
          continue;
        Again = true;
        for (Value *Operand : I.operands())
          addSlice(Operand);
        if (WithWords && Store && isWord(*Store)) {
          Words.insert(Store);
          continue;
        }
        Stores.insert(&I);
        Sweeps.add(I);
        if (!SpineOf.contains(B))
          KeptSegments.insert(Segment);
      }
    }
  }
}

/// The first and the last place of the sweeps, and of what belongs to them.
std::pair<Place, Place> ShimStretches::ends() const {
  SmallVector<Place, 16> Places;
  for (Loop *C : SweepLoops)
    Places.push_back({SegmentOf.lookup(C->getHeader()), true, 0});
  for (Instruction *Store : Stores)
    Places.push_back(placeOf(*Store));
  auto [First_, Last_] = std::minmax_element(Places.begin(), Places.end());
  Place Start = *First_, End = *Last_;
  for (const Reduction &R : Reductions)
    if (R.Probe && hasToStay(*R.Probe, *Last_))
      End = std::max(End, placeOf(*R.Probe));
  return {Start, End};
}

void ShimStretches::findStores() {
  findProbes();
  bool WithWords = !Apart && !Reductions.empty();
  Footprint Loops = Sweeps;
  SmallSetVector<unsigned, 8> Segments = KeptSegments;
  gatherStores(WithWords);
  if (!Words.empty() && !mayLeaveWords()) {
    Words.clear();
    Stores.clear();
    Sliced.clear();
    SliceLoads.clear();
    Sweeps = Loops;
    KeptSegments = Segments;
    gatherStores(WithWords = false);
  }
  // Where a check may fail, more stores go with the sweeps, and among these may stand more checks.
  for (size_t Before = ~size_t(0); Before != Stores.size() + Checks.size();) {
    Before = Stores.size() + Checks.size();
    gatherChecks();
    if (!WithWords)
      gatherStores(WithWords);
  }
  // The others are the host's, which writes down what it has read.
  Place Start = ends().first;
  for (LoadInst *Load : SliceLoads) {
    const Block *B = Load->getParent();
    if (!SpineOf.contains(B) && !isKept(SegmentOf.lookup(B)))
      continue;
    if (Apart) {
      if (Sweeps.mayWrite(*Load) && !(placeOf(*Load) < Start))
        SweepLoads.insert(Load);
      continue;
    }
    if (Sweeps.mayWrite(*Load))
      SweepLoads.insert(Load);
    else if (mayLoadLater(*Load) && !(Reductions.empty() && feedsMathematics(*Load)))
      LateLoads.insert(Load);
  }
  for (LoadInst *Load : SweepLoads)
    Sweeps.add(*Load);
  for (LoadInst *Load : LateLoads)
    Sweeps.add(*Load);
}

/// A loop of every step that is none of the sweeps stores to what they touch: it is
/// one more, of a kind that can't wait.
bool ShimStretches::leavesSweep() const {
  return any_of(L.getSubLoops(), [&](Loop *C) {
    if (SweepLoops.contains(C) || !isSteady(SegmentOf.lookup(C->getHeader())))
      return false;
    return any_of(C->blocks(), [&](Block *B) {
      return any_of(*B, [&](Instruction &I) {
        return isa<StoreInst>(I) && Sweeps.meets(I);
      });
    });
  });
}

/// Has to be computed where the sweeps are.
bool ShimStretches::dependsOnSweeps(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !isDirect(I->getParent()))
    return false;
  auto [It, New] = Depends.try_emplace(V, false);
  if (!New)
    return It->second;
  bool Does = false;
  if (auto *Load = dyn_cast<LoadInst>(I))
    Does = SweepLoads.contains(Load) || LateLoads.contains(Load);
  else if (!I->mayReadOrWriteMemory() &&
           !(isa<PHINode>(I) && I->getParent() == L.getHeader()))
    Does = any_of(I->operands(), [&](Value *O) { return dependsOnSweeps(O); });
  return Depends[V] = Does;
}

/// Between `Load`, which stands at `At`, and the first sweep there is code that may
/// write what it reads.
bool ShimStretches::mayChange(const LoadInst &Load, Place At) const {
  Footprint Read(A);
  Read.add(Load);
  for (Block *B : L.blocks())
    for (Instruction &I : *B) {
      if (!I.mayWriteToMemory() || isInSweep(I) || Stores.contains(&I))
        continue;
      Place Here = placeOf(I);
      if (!(Here < At) && !(First < Here) && Read.conflicts(I))
        return true;
    }
  return false;
}

bool ShimStretches::findPlaces() {
  Place Behind;
  std::tie(First, Behind) = ends();
  Last = Apart || !Reductions.empty() ? Behind : endBeforeWords(Behind);
  for (auto &Loads : {SweepLoads, LateLoads})
    for (LoadInst *Load : Loads)
      if (Place At = placeOf(*Load); At < First && mayChange(*Load, At))
        First = At;
  Block *At = Spine[Last.Spine + Last.Between];
  AppendBefore = Last.Between ? &*At->getFirstInsertionPt()
                              : &*std::next(At->begin(), Last.Instruction + 1);
  // What the step looks at before its last sweep is asked for there.
  if (Instruction *Wanted_ = firstWantedBefore()) {
    First = std::min(First, placeOf(*Wanted_));
    AppendBefore = Wanted_;
  }
  // A step is left before its first sweep or after its last.
  if (Block *B = leavesAmong(First, Behind))
    return refuse(ShimStretchExit, B->getTerminator());
  // A loop that is no sweep, under the condition of one.
  for (Loop *C : L.getSubLoops())
    if (!SweepLoops.contains(C) && isKept(SegmentOf.lookup(C->getHeader())))
      return refuse(ShimStretchMiddle, C->getHeader()->getTerminator());
  if (!keepsAfter())
    return refuse(ShimStretchReduction, KeptExits[0]);
  makeLater();
  if (!staysBehind())
    return refuse(ShimStretchReduction, Staying[0].Exit);
  return reducesAfter() || refuse(ShimStretchReduction, Reductions[0].result());
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

/// What the loop computes when its sweeps are gone.
void ShimStretches::findLive() {
  SmallVector<const Value *, 32> Work;
  Live.clear();
  auto IsRelayed = [&](const Use &U) {
    return any_of(Relays, [&](const Relay &R) { return R.Of == &U; });
  };
  for (Block *B : L.blocks())
    for (Instruction &I : *B) {
      if (isWithSweeps(I) || Stores.contains(&I))
        continue;
      bool Leaves = any_of(I.uses(), [&](const Use &U) {
        return !L.contains(cast<Instruction>(U.getUser())) && !goesWithSweeps(U) && !IsRelayed(U);
      });
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      bool Hint = Intrinsic && Intrinsic->isAssumeLikeIntrinsic();
      if (Leaves || I.isTerminator() || (I.mayHaveSideEffects() && !Hint))
        Work.push_back(&I);
    }
  append_range(Work, Queued);
  append_range(Work, Carried);
  append_range(Work, LiveIns);
  for (const Relay &R : Relays)
    Work.push_back(R.Store->getPointerOperand());
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (I && L.contains(I) && !isInSweep(*I) && !isProbe(I) && Live.insert(I).second)
      for (const Use &U : I->operands())
        if (!IsRelayed(U))
          Work.push_back(U);
  }
}

bool ShimStretches::isSide(const Instruction &I) const {
  return !isInSweep(I) && !isHomeMark(I) && !isHeard(I) && !Relayed.contains(&I) &&
         !Stores.contains(const_cast<Instruction *>(&I)) &&
         !Words.contains(dyn_cast<StoreInst>(const_cast<Instruction *>(&I))) && Live.contains(&I);
}

bool ShimStretches::checkMiddle(Place At, const Instruction *Who) {
  return At < First || Last < At || refuse(ShimStretchMiddle, Who);
}

bool ShimStretches::findSyncs() {
  for (Block *B : L.blocks())
    for (Instruction &I : *B)
      if (I.isLifetimeStartOrEnd())
        Lifetimes.push_back(&I);
  for (Block *B : L.blocks()) {
    if (!isDirect(B))
      continue;
    bool Flushed = false, Asked = false;
    for (Instruction &I : *B) {
      Flushed &= &I != AppendBefore;
      Asked &= &I != AppendBefore;
      if (!isSide(I) || !(Sweeps.conflicts(I) || isObservable(I)))
        continue;
      if (!checkMiddle(placeOf(I), &I))
        return false;
      // Of the steps that are ahead no check has failed, and the host's last one is done.
      bool Waits = Reductions.empty();
      if (!Waits && !Sweeps.conflicts(I))
        continue;
      if (!(Waits && isObservable(I)) && isBystander(I)) {
        if (!Waits) {
          if (!Flushed)
            Syncs.push_back(&I);
          BesideAhead.insert(&I);
          WordsBeside[&I] = wordsBeside(I);
          continue;
        }
        Bystanders.insert(&I);
        if (!Flushed && !Asked)
          Doubtful.insert(&I);
        Asked = true;
        continue;
      }
      if (!Flushed && !Apart)
        Syncs.push_back(&I);
      Flushed = true;
    }
  }
  DenseMap<const Block *, const Instruction *> LookerIn;
  for (Loop *C : L.getSubLoops()) {
    if (SweepLoops.contains(C))
      continue;
    Instruction *Who = nullptr;
    bool Looks = false;
    for (Block *B : C->blocks())
      for (Instruction &I : *B) {
        if (Looks || !isSide(I))
          continue;
        Looks = Sweeps.conflicts(I) || (Reductions.empty() && isObservable(I));
        if (Looks || (!Who && isObservable(I)))
          Who = &I;
      }
    if (!Who)
      continue;
    if (!checkMiddle({SegmentOf.lookup(C->getHeader()), true, 0}, Who))
      return false;
    if (Apart || !Looks)
      continue;
    if (!C->getLoopPreheader())
      return refuse(ShimStretchNoSweep);
    Syncs.push_back(C->getLoopPreheader()->getTerminator());
    LookerIn[C->getLoopPreheader()] = Who;
  }
  auto IsOfEach = [&](const Instruction *I) { return SpineOf.contains(I->getParent()); };
  for (const Relay &R : Relays)
    if (IsOfEach(R.Before))
      slow(ShimPaceLook, cast<Instruction>(R.Of->getUser()));
  for (const Instruction *I : Syncs) {
    if (!IsOfEach(I) || BesideAhead.contains(I))
      continue;
    const Instruction *Who = LookerIn.lookup(I->getParent());
    slow(ShimPaceLook, Who && I->isTerminator() ? Who : I);
  }
  // Nothing waits where each step has a flush of its own.
  if (any_of(Syncs, IsOfEach)) {
    Syncs.append(Doubtful.begin(), Doubtful.end());
    Bystanders.clear();
    Doubtful.clear();
  }
  return true;
}
