//===- stretch_reduce.cpp - Largest values of a step, and running ahead ------===//
//
// Consumes: sweeps of a time loop that end in the largest or smallest of a value,
// as for `while (change > tolerance)`. Produces: in the stretch, results where
// the host finds them; a model of it, in which each instance keeps its part in an
// array of its own (the runtime makes them small and reduces them), which is what
// becomes a nest; and a host that takes one step's results after the other while
// the sweeps are ahead:
//
//     if (ahead.credit == 0) { ahead.taken = 0; stretch(most steps, &ahead); }
//     change = results[ahead.taken++]; --ahead.credit;
//
// Where the step looks at a result before the last of its sweeps, that is where it takes it.
// Whoever may look at what the sweeps touch finds it as after `taken` steps:
// `hexrt_settle` takes back what is ahead. Values of one step are computed with
// the runtime's answer in every order only where order does not matter; else the
// step is left to the stretch as it was written.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "canonicalise.h"
#include "loops.h"
#include "stretches.h"
#include "turns.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Steps that the sweeps may be ahead of the host, at most.
constexpr uint64_t MostAhead = 16;
/// Reductions of a step.
constexpr ptrdiff_t MostReductions = 4;
/// Elements between rows, and between the steps' arrays: more than sizes can be,
/// and little enough to compute with. By the number of dimensions.
constexpr uint64_t RowLength[] = {1, 1, 1 << 24, 1 << 18};
constexpr uint64_t PlaneLength[] = {1, uint64_t(1) << 31, uint64_t(1) << 49,
                                    uint64_t(1) << 54};

} // namespace

StructType *hexpass::aheadType(LLVMContext &C) {
  Type *I64 = Type::getInt64Ty(C), *I32 = Type::getInt32Ty(C);
  Type *P = PointerType::getUnqual(C);
  return StructType::get(C, {I64, I64, P, I32, I32, P, P});
}

/// Never a negative zero, nor a NaN that was none before.
bool hexpass::isMagnitude(const Value *V) {
  while (auto *Cast = dyn_cast<FPExtInst>(V))
    V = Cast->getOperand(0);
  if (auto *Call = dyn_cast<IntrinsicInst>(V))
    return Call->getIntrinsicID() == Intrinsic::fabs;
  // A flag.
  if (isa<UIToFPInst>(V))
    return true;
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    auto IsPlain = [](const Value *Of) {
      auto *C = dyn_cast<ConstantFP>(Of);
      return C && !C->isNegative() && !C->isNaN();
    };
    return IsPlain(Select->getTrueValue()) && IsPlain(Select->getFalseValue());
  }
  auto *Product = dyn_cast<BinaryOperator>(V);
  return Product && Product->getOpcode() == Instruction::FMul &&
         Product->getOperand(0) == Product->getOperand(1);
}

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

/// `x > best ? x : best` in any of its forms, and fmax and fmin; or, under conditions, the
/// best as it was.
bool ShimStretches::matchUpdate(Reduction &R) const {
  R.Operation = R.Update;
  if (matchBest(R))
    return true;
  R.Operation = findOperation(R);
  return R.Operation && R.Operation != R.Update && matchBest(R);
}

bool ShimStretches::matchBest(Reduction &R) const {
  const Value *Best = R.Chain.back();
  if (auto *Call = dyn_cast<IntrinsicInst>(R.Operation)) {
    switch (Call->getIntrinsicID()) {
    case Intrinsic::maxnum:
    case Intrinsic::maximumnum:
      R.Largest = true;
      break;
    case Intrinsic::minnum:
    case Intrinsic::minimumnum:
      R.Largest = false;
      break;
    default:
      return false;
    }
    R.Operand = Call->getArgOperand(0) == Best ? 1 : 0;
    return Call->getArgOperand(1 - R.Operand) == Best && R.operand() != Best;
  }
  CmpInst::Predicate Wins;
  const Value *Other = nullptr;
  if (givesWay(*R.Operation, *Best, Other, Wins)) {
    R.Operand = 1;
    R.Largest = Wins == CmpInst::FCMP_OGT;
    R.Yields = true;
    return true;
  }
  auto *Select = dyn_cast<SelectInst>(R.Operation);
  auto *Compare = Select ? dyn_cast<FCmpInst>(Select->getCondition()) : nullptr;
  if (!Compare)
    return false;
  R.Operand = Select->getTrueValue() == Best ? 2 : 1;
  const Value *X = R.operand();
  if (X == Best || Select->getOperand(3 - R.Operand) != Best)
    return false;
  CmpInst::Predicate P = Compare->getPredicate();
  if (Compare->getOperand(0) == Best && Compare->getOperand(1) == X)
    P = CmpInst::getSwappedPredicate(P);
  else if (Compare->getOperand(0) != X || Compare->getOperand(1) != Best)
    return false;
  if (R.Operand == 2)
    P = CmpInst::getInversePredicate(P);
  // Now: the value competes, and wins where `value P best`.
  switch (P) {
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
    R.Largest = true;
    break;
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
    R.Largest = false;
    break;
  default:
    return false;
  }
  R.CountsNaNs = CmpInst::isUnordered(P);
  R.Strict = CmpInst::isStrictPredicate(P);
  return true;
}

/// The phi behind `C` takes a value that each instance in it makes larger or
/// smaller, and that nothing else in it looks at.
bool ShimStretches::findReduction(Loop &C, PHINode &Exit, Reduction &R) const {
  if (Exit.use_empty() || Exit.getNumIncomingValues() != 1 ||
      !(Exit.getType()->isDoubleTy() || Exit.getType()->isFloatTy() ||
        Exit.getType()->isIntegerTy()))
    return false;
  auto Matches = [&] {
    if (Exit.getType()->isIntegerTy())
      return matchCount(R);
    return matchUpdate(R) ||
           (matchSum(R) && ((!Apart && isDecided(Exit)) || keepsTerms(R)));
  };
  SmallPtrSet<const Value *, 16> Own{&Exit};
  Loop *At = &C;
  auto *Phi = dyn_cast<PHINode>(throughExits(Exit.getIncomingValue(0)));
  Value *Next = nullptr;
  while (true) {
    if (!Phi || Phi->getParent() != At->getHeader() || !At->getLoopPreheader() ||
        !At->getLoopLatch())
      return false;
    R.Chain.push_back(Phi);
    Own.insert(Phi);
    Next = Phi->getIncomingValueForBlock(At->getLoopLatch());
    for (auto *Out = dyn_cast<PHINode>(Next);
         Out && Out->getNumIncomingValues() == 1;
         Out = dyn_cast<PHINode>(Next)) {
      Own.insert(Out);
      Next = Out->getIncomingValue(0);
    }
    auto *Inner = dyn_cast<PHINode>(Next);
    Loop *Within = Inner ? A.LI.getLoopFor(Inner->getParent()) : nullptr;
    if (!Within || Within->getParentLoop() != At || !Within->getLoopPreheader() ||
        Inner->getParent() != Within->getHeader() ||
        Inner->getIncomingValueForBlock(Within->getLoopPreheader()) != Phi)
      break;
    At = Within;
    Phi = Inner;
  }
  R.Of = &C;
  R.Exit = &Exit;
  R.Update = dyn_cast<Instruction>(Next);
  R.Initial = R.root()->getIncomingValueForBlock(C.getLoopPreheader());
  if (!R.Update || A.LI.getLoopFor(R.Update->getParent()) != At ||
      R.Chain.size() > 3 || !At->getSubLoops().empty() ||
      !Matches() ||
      !A.DT.dominates(R.Update->getParent(), At->getLoopLatch()))
    return false;
  Own.insert(R.Update);
  Own.insert(R.Operation);
  if (auto *Select = dyn_cast<SelectInst>(R.Operation))
    for (SmallVector<Value *, 4> Work{Select->getCondition()}; !Work.empty();) {
      auto *Asks = dyn_cast<Instruction>(Work.pop_back_val());
      if (!Asks || !Asks->hasOneUse() || !Asks->getType()->isIntegerTy(1))
        continue;
      Own.insert(Asks);
      if (R.Yields)
        append_range(Work, Asks->operand_values());
    }
  for (const Value *V : Own)
    if (V != &Exit && any_of(V->users(), [&](const User *U) {
          return !Own.contains(U);
        }))
      return false;
  R.IsAlarm = all_of(Exit.users(), [](User *U) { return isHeard(*cast<Instruction>(U)); });
  if (!R.IsSum)
    R.SignOfZero = !R.IsAlarm && !isMagnitude(R.operand());
  auto Follows = [&](Value *Pointer) {
    return all_of(R.Chain, [&](const PHINode *Phi) {
      return !A.SE.isLoopInvariant(A.SE.getSCEV(Pointer),
                                   A.LI.getLoopFor(Phi->getParent()));
    });
  };
  for (Block *B : At->blocks()) {
    if (!A.DT.dominates(B, R.Update->getParent()))
      continue;
    for (Instruction &I : *B)
      if (Value *Pointer = getLoadStorePointerOperand(&I))
        if ((!R.Near || isa<StoreInst>(I)) && Follows(Pointer))
          R.Near = Pointer;
  }
  return true;
}

/// The result is looked at when the sweeps of the step are done.
bool ShimStretches::isWantedBehind(const Reduction &R) const {
  if (R.IsAlarm)
    return true;
  SmallSetVector<Instruction *, 8> Before;
  if (R.Probe)
    return isLookedAtBehind(*R.Probe, Before);
  return all_of(R.Exit->uses(), [&](const Use &U) {
    auto *By = cast<Instruction>(U.getUser());
    return !isInSweep(*By) && (By == AppendBefore || A.DT.dominates(AppendBefore, U) ||
                               is_contained(Early, By));
  });
}

/// Where the first of the results is that the step looks at before all of its sweeps are done; null
/// if there is none. Sums between bounds are waited for.
Instruction *ShimStretches::firstWantedBefore() const {
  Instruction *Found = nullptr;
  // What stands between these may be what they need.
  if (Apart)
    return nullptr;
  for (const Reduction &R : Reductions) {
    if (R.isBounded() || isWantedBehind(R))
      continue;
    Instruction *At = R.Probe ? R.Probe : &*R.Exit->getParent()->getFirstInsertionPt();
    if (!Found || A.DT.dominates(At, Found))
      Found = At;
  }
  return Found;
}

bool ShimStretches::reducesAfter() const {
  if (count_if(Reductions, [](const Reduction &R) { return !R.Probe; }) > MostReductions)
    return false;
  return all_of(Reductions, [&](const Reduction &R) {
    auto *First_ = dyn_cast<Instruction>(R.Initial);
    return (!First_ || A.DT.dominates(First_, AppendBefore)) && isWantedBehind(R);
  });
}

namespace {

/// Looks for what moves on with the steps of a loop; what goes round (`t % 2`)
/// comes back, and what is `Steady` stays.
struct MovesOn {
  const Loop &L;
  function_ref<bool(const Instruction &)> Steady;
  bool Found = false;

  bool follow(const SCEV *S) {
    if (isa<SCEVUDivExpr>(S) || isa<SCEVTruncateExpr>(S))
      return false;
    if (auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S))
      Found |= goesOn(*Recurrence, L);
    if (auto *Unknown = dyn_cast<SCEVUnknown>(S))
      if (auto *I = dyn_cast<Instruction>(Unknown->getValue()))
        Found |= L.contains(I) && !I->getType()->isPointerTy() &&
                 !comesRound(*I, L) && !Steady(*I);
    return !Found;
  }
  bool isDone() const { return Found; }
};

} // namespace

/// Something that is no sweep, and is not asked about, may write what the load reads.
bool ShimStretches::isWrittenBeside(const LoadInst &Load) const {
  Footprint Read(A);
  Read.add(Load);
  // Whether it is this word, too (`mayMeetAhead`).
  auto IsAsked = [&](Instruction &I) {
    return !Reductions.empty() && !Stores.contains(&I) && isBystander(I) &&
           is_contained(wordsBeside(I), &Load);
  };
  bool IsWord = readsWord(Load);
  return any_of(L.blocks(), [&](Block *B) {
    return any_of(*B, [&](Instruction &I) {
      return I.mayWriteToMemory() && !isInSweep(I) && Read.conflicts(I) && !IsAsked(I) &&
             !(IsWord && Words.contains(dyn_cast<StoreInst>(&I)));
    });
  });
}

/// What is chosen by the place, and a size that is read in each iteration, are the same in
/// all steps.
bool ShimStretches::staysSame(const Instruction &I) const {
  if (isFormula(const_cast<Instruction &>(I), L))
    return true;
  if (isa<CastInst>(I))
    if (auto *Of = dyn_cast<Instruction>(I.getOperand(0)))
      return !L.contains(Of) || staysSame(*Of);
  auto *Load = dyn_cast<LoadInst>(const_cast<Instruction *>(&I));
  // What the stretch reads by itself is an array of one element to the nest, which runs where
  // the sweeps don't write it.
  return Load && Load->isSimple() && L.isLoopInvariant(Load->getPointerOperand()) &&
         (SweepLoads.contains(Load) || !Sweeps.mayWrite(*Load)) && !isWrittenBeside(*Load);
}

/// A number that each step exchanges with others, in variables or in memory, so that it comes back:
/// the extents of arrays that change places.
bool ShimStretches::isExchangedRound(const Instruction &I) const {
  constexpr unsigned MostTurns = 8;
  const Value *Is = &I;
  for (unsigned Turn = 0; Turn < MostTurns; ++Turn) {
    auto *Phi = dyn_cast<PHINode>(Is);
    auto *Load = dyn_cast<LoadInst>(Is);
    if (Phi && Phi->getParent() == L.getHeader()) {
      Is = throughExits(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    } else if (Load && Load->isSimple() && L.contains(Load)) {
      StoreInst *Sets = nullptr;
      Footprint Read(A);
      Read.add(*Load);
      for (Block *B : L.blocks())
        for (Instruction &Other : *B) {
          auto *Store = dyn_cast<StoreInst>(&Other);
          if (!Store || Store->getPointerOperand() != Load->getPointerOperand()) {
            if (Other.mayWriteToMemory() && Read.conflicts(Other))
              return false;
            continue;
          }
          if (Sets || !SpineOf.contains(B) || !A.DT.dominates(Load, Store) ||
              Store->getValueOperand()->getType() != Load->getType())
            return false;
          Sets = Store;
        }
      if (!Sets || (!Words.contains(Sets) && !Stores.contains(Sets)))
        return false;
      Is = throughExits(Sets->getValueOperand());
    } else {
      return false;
    }
    if (Is == &I)
      return true;
  }
  return false;
}

/// Steps that the loop will never come to may touch memory that is not there: an
/// element for each step, a pointer that goes on. The first of those; null if there is none.
const Instruction *ShimStretches::movesOn() const {
  auto IsSteady = [&](const Instruction &I) { return staysSame(I) || isExchangedRound(I); };
  auto Moves = [&](const Value *Pointer) {
    MovesOn Finder{L, IsSteady};
    SCEVTraversal<MovesOn>(Finder).visitAll(
        A.SE.getSCEV(const_cast<Value *>(Pointer)));
    return Finder.Found;
  };
  auto Goes = [&](const Instruction &I) {
    if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
      auto *Transfer = dyn_cast<MemTransferInst>(Mem);
      return Moves(Mem->getRawDest()) ||
             (Transfer && Moves(Transfer->getRawSource()));
    }
    const Value *Pointer = getLoadStorePointerOperand(&I);
    return Pointer && Moves(Pointer);
  };
  auto IsRotated = [&](const PHINode *Phi) {
    Value *Next = throughExits(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    auto *Other = dyn_cast<PHINode>(Next);
    return !Phi->getType()->isPointerTy() || isa<LoadInst>(Next) ||
           L.isLoopInvariant(Next) ||
           (Other && Other->getParent() == L.getHeader());
  };
  for (const Loop *C : SweepLoops)
    for (const Block *B : usual(*C))
      for (const Instruction &I : *B)
        if (Goes(I))
          return &I;
  auto FirstOf = [&](const auto &All) -> const Instruction * {
    auto At = find_if(All, [&](const Instruction *I) { return Goes(*I); });
    return At == All.end() ? nullptr : *At;
  };
  if (const Instruction *I = FirstOf(Stores))
    return I;
  if (const Instruction *I = FirstOf(SweepLoads))
    return I;
  if (const Instruction *I = FirstOf(LateLoads))
    return I;
  auto At = find_if(Carried, [&](const PHINode *Phi) { return !IsRotated(Phi); });
  return At == Carried.end() ? nullptr : *At;
}

/// The first reason is told.
void ShimStretches::slow(ShimPace Why, const Instruction *At) {
  if (Pace != ShimPaceSeveral)
    return;
  Pace = Why;
  PaceCulprit = At;
}

/// How far the sweeps may be ahead: no further than this step where they need
/// what the host says in each, or pointers in memory go with them. Refuses these beside sums.
bool ShimStretches::keepsUp() {
  Most = Apart ? 1 : MostAhead;
  if (!Queued.empty() && (Apart || !foreseesAll()))
    slow(ShimPaceValue, dyn_cast<Instruction>(Queued.front()));
  if (const Instruction *I = movesOn())
    slow(ShimPaceMoves, I);
  for (const Reduction &R : Reductions)
    if (!R.Probe && !L.isLoopInvariant(R.Initial) && !staysSame(*cast<Instruction>(R.Initial)))
      slow(ShimPaceValue, cast<Instruction>(R.Initial));
  bool MayRepeat = any_of(Reductions, [](const Reduction &R) { return R.isBounded(); });
  for (const Instruction *I : Stores)
    if (auto *Store = dyn_cast<StoreInst>(I))
      if (isExchanged(*Store) || Store->getValueOperand()->getType()->isPtrOrPtrVectorTy()) {
        // A step that is executed once more, for its sum, would exchange them once more.
        if (MayRepeat)
          return refuse(ShimStretchReduction, Store);
        slow(ShimPaceExchange, Store);
      }
  // It may trap where the loop would not have come to.
  auto MayTrap = [&](const Instruction &I) {
    auto *Divisor = I.isIntDivRem() ? dyn_cast<Instruction>(I.getOperand(1)) : nullptr;
    return Divisor && L.contains(Divisor) && !staysSame(*Divisor);
  };
  for (const Loop *C : SweepLoops)
    for (const Block *B : usual(*C))
      for (const Instruction &I : *B)
        if (MayTrap(I))
          slow(ShimPaceValue, &I);
  if (Pace != ShimPaceSeveral)
    Most = 1;
  return true;
}

//===----------------------------------------------------------------------===//
// The stretch and its model
//===----------------------------------------------------------------------===//

/// The stretch, as it was written, leaves the results of a step to the host.
void ShimStretches::keepResults(Function &F) {
  LLVMContext &C = F.getContext();
  IRBuilder<> B(F.getEntryBlock().getTerminator());
  Value *Results = B.CreateLoad(
      B.getPtrTy(), B.CreateStructGEP(aheadType(C), Ahead, Results_));
  // What the phi is in the stretch; the builder goes behind it.
  auto ResultOf = [&](PHINode &Exit) {
    auto *To = cast<Block>(Map[Exit.getParent()]);
    B.SetInsertPoint(To, To->begin());
    PHINode *Result = B.CreatePHI(Exit.getType(), 1);
    Result->addIncoming(Map[Exit.getIncomingValue(0)],
                        cast<Block>(Map[Exit.getIncomingBlock(0)]));
    B.SetInsertPoint(To, To->getFirstInsertionPt());
    return Result;
  };
  for (const Reduction &R : Reductions) {
    if (R.Probe) {
      auto *Load = cast<Instruction>(Map[R.Probe]);
      B.SetInsertPoint(Load->getParent(), std::next(Load->getIterator()));
      Value *At = B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Results, R.Word);
      Kept.push_back(B.CreateStore(Load, At));
      continue;
    }
    PHINode *Result = ResultOf(*R.Exit);
    auto Place = [&](unsigned Word) {
      return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Results, Word);
    };
    if (R.IsCount) {
      for (StoreInst *Store : storeCount(B, R, Result, Place))
        Kept.push_back(Store);
      continue;
    }
    for (unsigned Word = R.Word; Word < R.Word + R.words(); ++Word)
      Kept.push_back(B.CreateStore(Result, Place(Word)));
  }
  for (auto [Index, Same] : enumerate(Staying)) {
    PHINode *Result = ResultOf(*Same.Exit);
    Kept.push_back(B.CreateStore(Result, wayWord(B, Results, wordsOfWays() + Index)));
  }
}

void ShimStretches::makeModel() {
  ValueToValueMapTy VMap;
  Model = CloneFunction(Stretch, VMap);
  Model->setName(Stretch->getName() + ".ahead");
  leaveWords();
  for (const Reduction &R : Reductions)
    addGrid(R, VMap);
  SmallVector<WeakTrackingVH, 16> Unused;
  for (StoreInst *Store : Kept) {
    auto *Gone = cast<StoreInst>(VMap[Store]);
    Unused.push_back(Gone->getValueOperand());
    Gone->eraseFromParent();
  }
  for (const Reduction &R : Reductions)
    for (PHINode *Phi : R.Chain) {
      auto *In = cast<PHINode>(VMap[Map[Phi]]);
      In->replaceAllUsesWith(PoisonValue::get(In->getType()));
      In->eraseFromParent();
    }
  for (const Reduction &R : Reductions)
    if (!R.Probe)
      Unused.push_back(VMap[Map[R.Update]]);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  auto Same = [&](Argument *&Arg) { Arg = cast<Argument>(VMap[Arg]); };
  Same(Ahead);
  for (Argument *&Grid : Grids)
    Same(Grid);
  expectNoAlarm(*Model);
  tidy(*Model, A.Ctx.FAM);
  canonicalise(*Model, A.Ctx.FAM);
}

/// What a reduction is kept in: sums between bounds, and of integers, in double precision.
static Type *gridType(const Reduction &R) {
  Type *T = R.result()->getType();
  return R.isBounded() || R.IsCount ? Type::getDoubleTy(T->getContext()) : T;
}

/// The same with other elements.
static Type *withElement(Type *T, Type *Element) {
  if (auto *Array = dyn_cast<ArrayType>(T))
    return ArrayType::get(withElement(Array->getElementType(), Element),
                          Array->getNumElements());
  return Element;
}

/// An element of the array for each instance, at the subscripts of what it stores
/// or loads; counted where those can't be repeated.
Value *ShimStretches::gridAddress(const Reduction &R, Instruction &At,
                                  Value *Grid, ValueToValueMapTy &VMap) {
  IRBuilder<> B(&At);
  Type *T = gridType(R);
  // The way from an address that the sweep does not change.
  SmallVector<GetElementPtrInst *, 4> Way;
  // What is to be added up in the order of the loops lies in that order.
  Value *From = R.IsOrdered ? nullptr : R.Near;
  auto Fits = [&](const GetElementPtrInst *G) {
    Type *Element = G->getSourceElementType();
    while (auto *Array = dyn_cast<ArrayType>(Element))
      Element = Array->getElementType();
    return Element == R.Exit->getType();
  };
  while (auto *G = dyn_cast_or_null<GetElementPtrInst>(From)) {
    if (!R.Of->contains(G) || !Fits(G))
      break;
    Way.push_back(G);
    From = G->getPointerOperand();
  }
  auto *Base = dyn_cast_or_null<Instruction>(From);
  if (!Way.empty() && !(Base && R.Of->contains(Base))) {
    Value *Address = Grid;
    for (GetElementPtrInst *G : reverse(Way)) {
      auto *Original = cast<Instruction>(VMap[Map[G]]);
      Instruction *Copy = Original->clone();
      Copy->insertBefore(At.getIterator());
      Copy->setOperand(0, Address);
      auto *Own = cast<GetElementPtrInst>(Copy);
      Own->setSourceElementType(withElement(Own->getSourceElementType(), T));
      Own->setResultElementType(withElement(Own->getResultElementType(), T));
      Address = Copy;
    }
    return Address;
  }
  Type *I64 = B.getInt64Ty();
  Value *Offset = B.getInt64(0);
  for (PHINode *Phi : R.Chain) {
    auto *In = cast<PHINode>(VMap[Map[Phi]]);
    auto *Old = Phi->getParent();
    Loop *Of = A.LI.getLoopFor(Old);
    IRBuilder<> H(In);
    PHINode *Count = H.CreatePHI(I64, 2);
    auto *Latch = cast<Block>(VMap[Map[Of->getLoopLatch()]]);
    H.SetInsertPoint(Latch->getTerminator());
    Value *Next = H.CreateAdd(Count, H.getInt64(1), "", true, true);
    for (Block *Pred : predecessors(In->getParent()))
      Count->addIncoming(Pred == Latch ? Next : H.getInt64(0), Pred);
    Value *Row_ = VMap[Row];
    Offset = B.CreateAdd(B.CreateMul(Offset, Row_, "", true, true), Count, "",
                         true, true);
  }
  return B.CreateGEP(T, Grid, Offset);
}

/// Its element in the array of the step.
Value *ShimStretches::gridElement(const Reduction &R, unsigned Word, Instruction &At,
                                  ValueToValueMapTy &VMap) {
  auto *Step = cast<PHINode>(VMap[Counter]);
  auto *Body_ = cast<Block>(VMap[Body]);
  Value *Grid = VMap[Grids[Word]];
  IRBuilder<> B(Body_->getTerminator());
  if (Most > 1) {
    Value *Turn = B.CreateURem(Step, B.getInt64(Most));
    Grid = B.CreateGEP(gridType(R), Grid,
                       B.CreateMul(Turn, VMap[Plane], "", true, true));
  }
  return gridAddress(R, At, Grid, VMap);
}

/// Each instance keeps the best at its place, or adds to what is there.
void ShimStretches::addGrid(const Reduction &R, ValueToValueMapTy &VMap) {
  if (R.Probe)
    return addProbe(R, VMap);
  if (R.IsOrdered)
    return R.IsCount ? addCount(R, VMap) : addTerms(R, VMap);
  auto *Update = cast<Instruction>(VMap[Map[R.Update]]);
  Type *T = gridType(R);
  // Behind the instance's own accesses, whose subscripts it takes.
  Instruction *At = Update->getParent()->getTerminator();
  Value *Address = gridElement(R, R.Word, *At, VMap);
  IRBuilder<> B(At);
  if (R.IsSum) {
    Value *X = term(R, *At, VMap);
    B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Address), X), Address);
    if (R.SignOfZero) {
      Address = gridElement(R, R.Word + 1, *At, VMap);
      B.SetInsertPoint(At);
      Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
      B.CreateStore(B.CreateFAdd(B.CreateLoad(T, Address), Size), Address);
    }
    return;
  }
  // A NaN takes nobody's place.
  auto *Operation = cast<Instruction>(VMap[Map[R.Operation]]);
  Value *Own = Operation->getOperand(R.Operand);
  Value *X = chosen(R, Own, ConstantFP::getNaN(T), *At, VMap);
  Value *Best = B.CreateLoad(T, Address);
  Value *Wins = R.Largest ? B.CreateFCmpOGT(X, Best) : B.CreateFCmpOLT(X, Best);
  Value *New = B.CreateSelect(Wins, X, Best);
  // A NaN stays: the comparison keeps one that is there, and one that comes makes
  // the sum.
  if (R.CountsNaNs) {
    IRBuilder<> Where(Update == Operation ? At : Operation->getParent()->getTerminator());
    Value *Zero = Where.CreateFSub(Own, Own);
    New = B.CreateFAdd(New, chosen(R, Zero, ConstantFP::getZero(T), *At, VMap));
  }
  B.CreateStore(New, Address);
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

Value *ShimStretches::aheadField(IRBuilderBase &B, unsigned Field) const {
  return B.CreateStructGEP(aheadType(A.F.getContext()), State, Field);
}

/// Calls the model or the stretch: from this step on, or for the last step once more.
CallInst *ShimStretches::callAhead(IRBuilderBase &B, Function *Of, uint64_t Count,
                                   bool Now) {
  SmallVector<Value *, 16> Arguments{B.getInt64(Count)};
  append_range(Arguments, LiveIns);
  for (auto [Index, Phi] : enumerate(Carried))
    Arguments.push_back(Now ? Phi : cast<Value>(B.CreateLoad(Phi->getType(), Lasts[Index])));
  append_range(Arguments, Queues);
  Arguments.append(1 + words(), State);
  unsigned Dims = 0;
  for (const Reduction &R : Reductions)
    Dims = std::max<unsigned>(Dims, R.Chain.size());
  Arguments.push_back(B.getInt64(PlaneLength[Dims]));
  Arguments.push_back(B.getInt64(RowLength[Dims]));
  Arguments.push_back(frame());
  // As it was written, the host executes it.
  if (Of == Stretch)
    Home.markHome(&*B.GetInsertPoint(), HomeWrites);
  CallInst *Call = B.CreateCall(Of, Arguments);
  if (!mayThrow())
    Call->setDoesNotThrow();
  return Call;
}

void ShimStretches::runAhead() {
  IRBuilder<> B(&*A.F.getEntryBlock().getFirstInsertionPt());
  State = makeOwn(B, aheadType(A.F.getContext()), nullptr, "ahead");
  Initials = makeOwn(B, B.getInt64Ty(), B.getInt64(words()));
  Results = makeOwn(B, B.getInt64Ty(), B.getInt64(words() * Most + alarmWords()));
  for (Value *V : Queued)
    Queues.push_back(makeOwn(B, V->getType(), B.getInt64(Most), "queue"));
  if (hasSums())
    boundSums();
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  B.CreateStore(B.getInt64(0), aheadField(B, Credit));
  B.CreateStore(B.getInt64(0), aheadField(B, Taken));
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), aheadField(B, State_));
  B.CreateStore(B.getInt32(Most), aheadField(B, Most_));
  B.CreateStore(B.getInt32(words()), aheadField(B, Count));
  B.CreateStore(Initials, aheadField(B, Initials_));
  B.CreateStore(Results, aheadField(B, Results_));
  if (!WaysOut.empty())
    B.CreateStore(B.getInt64(0), wayWord(B, Results, 0));

  B.SetInsertPoint(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Left = B.CreateLoad(B.getInt64Ty(), aheadField(B, Credit));
  Value *None = B.CreateICmpEQ(Left, B.getInt64(0));
  Instruction *Then = SplitBlockAndInsertIfThen(None, AppendBefore, false);
  B.SetInsertPoint(Then);
  B.CreateStore(B.getInt64(0), aheadField(B, Taken));
  auto Initial = [&](unsigned Word) {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Initials, Word);
  };
  for (const Reduction &R : Reductions)
    if (R.IsCount)
      storeCount(B, R, R.Initial, Initial);
    else
      B.CreateStore(R.Initial, Initial(R.Word));
  beginUnalarmed(B);
  if (Most > 1)
    fillQueues(B);
  else
    for (auto [V, Queue] : zip(Queued, Queues))
      B.CreateStore(V, Queue);
  if (Alone) {
    Value *More = B.CreateLoad(B.getInt64Ty(), Alone);
    Instruction *Yes = nullptr, *No = nullptr;
    SplitBlockAndInsertIfThenElse(B.CreateIsNotNull(More), &*B.GetInsertPoint(), &Yes,
                                  &No);
    B.SetInsertPoint(Yes);
    B.SetCurrentDebugLocation(L.getStartLoc());
    B.CreateStore(B.CreateSub(More, B.getInt64(1)), Alone);
    B.CreateStore(B.getInt64(1), aheadField(B, Credit));
    callAhead(B, Stretch, 1, /*Now=*/true);
    B.SetInsertPoint(No);
    B.SetCurrentDebugLocation(L.getStartLoc());
  }
  callAhead(B, Model, Most, /*Now=*/true);
  leaveByWays(Then);

  B.SetInsertPoint(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Step = B.CreateLoad(B.getInt64Ty(), aheadField(B, Taken));
  Value *First_ = B.CreateMul(Step, B.getInt64(words()));
  for (const Reduction &R : Reductions)
    if (!R.isBounded() && !R.IsAlarm) {
      auto At = [&](unsigned Word) {
        return B.CreateInBoundsGEP(B.getInt64Ty(), Results,
                                   B.CreateAdd(First_, B.getInt64(Word)));
      };
      R.result()->replaceAllUsesWith(
          R.IsCount ? loadCount(B, R, At)
                    : B.CreateLoad(R.result()->getType(), At(R.Word)));
    }
  takeUnalarmed(B);
  B.CreateStore(B.CreateAdd(Step, B.getInt64(1)), aheadField(B, Taken));
  Left = B.CreateLoad(B.getInt64Ty(), aheadField(B, Credit));
  B.CreateStore(B.CreateSub(Left, B.getInt64(1)), aheadField(B, Credit));
  if (hasSums())
    readSums(B, First_);
  for (Instruction *I : Early)
    I->moveBefore(AppendBefore->getIterator());
}

void ShimStretches::callSettle(IRBuilderBase &B) {
  Module *M = A.F.getParent();
  auto Settle = M->getOrInsertFunction("hexrt_settle", B.getVoidTy(), B.getPtrTy());
  cast<Function>(Settle.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  CallInst *Call = B.CreateCall(Settle, {State});
  Call->setDoesNotThrow();
}

/// Whether what the host reads or writes may be among what the steps ahead touch, or is a
/// word that they have read.
Value *ShimStretches::mayMeetAhead(IRBuilderBase &B, Instruction &Of) {
  Module *M = A.F.getParent();
  Type *P = B.getPtrTy(), *I64 = B.getInt64Ty();
  auto Meets = M->getOrInsertFunction(
      "hexrt_meets", FunctionType::get(B.getInt32Ty(), {P, P, I64}, false));
  cast<Function>(Meets.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  auto Bytes = [&](Instruction &I) {
    Type *T = getLoadStoreType(&I);
    return B.getInt64(M->getDataLayout().getTypeStoreSize(T).getFixedValue());
  };
  Value *Begin = getLoadStorePointerOperand(&Of);
  CallInst *Call = B.CreateCall(Meets, {State, Begin, B.getInt64(bytesBeside(Of))});
  Call->setDoesNotThrow();
  Value *Any = B.CreateIsNotNull(Call);
  Value *End = B.CreatePtrAdd(Begin, Bytes(Of));
  for (LoadInst *Word : WordsBeside.lookup(&Of)) {
    Value *At = Word->getPointerOperand();
    Value *Before = B.CreateICmpULE(B.CreatePtrAdd(At, Bytes(*Word)), Begin);
    Value *Behind = B.CreateICmpULE(End, At);
    Any = B.CreateOr(Any, B.CreateNot(B.CreateOr(Before, Behind)));
  }
  return Any;
}

/// Memory is as the steps so far have left it; before what may lie beside them, where it
/// does not. Without a runtime nothing is ahead.
void ShimStretches::settle(Instruction *Before) {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Held = B.CreateLoad(B.getPtrTy(), aheadField(B, State_));
  Value *Some = B.CreateIsNotNull(Held);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Some, Before, false));
  B.SetCurrentDebugLocation(L.getStartLoc());
  // Whoever looks at a sum needs it in any case, wherever it goes.
  bool Looks = any_of(Wanted.Lookers, [&](const Use *U) { return U->getUser() == Before; });
  if (BesideAhead.contains(Before) && !Looks) {
    Value *Meets = mayMeetAhead(B, *Before);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Meets, &*B.GetInsertPoint(), false));
    B.SetCurrentDebugLocation(L.getStartLoc());
  }
  if (WantsExact && hasSums()) {
    Instruction *Again = nullptr, *Sure = nullptr;
    SplitBlockAndInsertIfThenElse(isInexact(B), &*B.GetInsertPoint(), &Again, &Sure);
    sumExactly(Again);
    B.SetInsertPoint(Sure);
    B.SetCurrentDebugLocation(L.getStartLoc());
  }
  callSettle(B);
}

/// Where the runtime does not run the model, one step of the stretch itself.
void ShimStretches::leaveToOriginal() {
  Block *Original = nullptr;
  for (Block &Here : *Model) {
    auto *Branch = dyn_cast<BranchInst>(Here.getTerminator());
    if (Branch && Branch->isConditional() && any_of(Here, callsRuntime))
      Original = Branch->getSuccessor(1);
  }
  if (Original) {
    for (Block *After : successors(Original))
      After->removePredecessor(Original);
    Original->getTerminator()->eraseFromParent();
  } else {
    Model->deleteBody();
    Model->setLinkage(GlobalValue::InternalLinkage);
    Original = Block::Create(Model->getContext(), "", Model);
  }
  IRBuilder<> B(Original);
  SmallVector<Value *, 16> Arguments{B.getInt64(1)};
  for (Argument &Argument_ : drop_begin(Model->args()))
    Arguments.push_back(&Argument_);
  B.CreateStore(B.getInt64(1),
                B.CreateStructGEP(aheadType(Model->getContext()), Ahead, Credit));
  CallInst *Call = B.CreateCall(Stretch, Arguments);
  if (!mayThrow())
    Call->setDoesNotThrow();
  B.CreateRetVoid();
  EliminateUnreachableBlocks(*Model);
  // The grids are the runtime's; what is passed for them is any address.
  for (Function *Made : {Stretch, Model})
    for (Argument *Grid : Grids)
      Made->removeParamAttr(Grid->getArgNo(), Attribute::NoAlias);
  // What is done about an alarm may reach anything by other ways.
  if (raisesAlarms())
    for (Argument &Argument_ : Model->args())
      Argument_.removeAttr(Attribute::NoAlias);
}
