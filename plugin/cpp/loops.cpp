//===- loops.cpp - Loop rewrites of a working copy -------------------------===//
//
// Consumes: loops in simplified form. Produces: fewer and wider ones. LLVM's own
// passes would do more than we want: its unroller decides by cost, its induction
// pass also rewrites exit tests to unsigned inequalities and final values.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "internal.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/SimplifyIndVar.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace hexpass {

//===----------------------------------------------------------------------===//
// Tiny loops
//===----------------------------------------------------------------------===//

Loop *childOf(const Loop &L, const BasicBlock *B, const LoopInfo &LI) {
  Loop *In = LI.getLoopFor(B);
  while (In && In != &L && In->getParentLoop() != &L)
    In = In->getParentLoop();
  return In == &L ? nullptr : In;
}

unsigned instructionsOf(const Loop &L) {
  unsigned N = 0;
  for (const BasicBlock *B : L.blocks())
    N += B->sizeWithoutDebug();
  return N;
}

namespace {

/// Nine is the widest filter that people write as a loop of constant bounds (and
/// the directions of D2Q9); a grid that small is not worth a tile.
constexpr unsigned MaxTrips = 9;
/// Instructions of one unrolled loop; a 9-by-9 filter still fits.
constexpr unsigned MaxUnrolled = 3000;

/// Words of two structures that may be exchanged in a loop.
constexpr unsigned MaxExchanged = 32;

/// All that the loop does is to exchange what lies at two places, as Rust's `mem::swap` does with
/// the words of large structures.
bool onlyExchanges(const Loop &L) {
  SmallVector<const LoadInst *, 2> Loads;
  SmallVector<const StoreInst *, 2> Stores;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Loads.push_back(Load);
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        Stores.push_back(Store);
      else if (I.mayReadOrWriteMemory())
        return false;
  if (Loads.size() != 2 || Stores.size() != 2)
    return false;
  auto Moves = [&](const StoreInst *Store, const LoadInst *From, const LoadInst *To) {
    return Store->getValueOperand() == From &&
           Store->getPointerOperand() == To->getPointerOperand();
  };
  return (Moves(Stores[0], Loads[0], Loads[1]) && Moves(Stores[1], Loads[1], Loads[0])) ||
         (Moves(Stores[0], Loads[1], Loads[0]) && Moves(Stores[1], Loads[0], Loads[1]));
}

/// The constant number of iterations begun, counting one that only tests; 0 when
/// there is none, or it is not tiny. A loop that an outer one does not surround
/// is never a part of a point's computation.
unsigned tinyTrips(const Loop &L, ScalarEvolution &SE) {
  if (!L.isInnermost() || !L.getParentLoop() || !L.isLoopSimplifyForm())
    return 0;
  unsigned Trips = SE.getSmallConstantTripCount(&L);
  // Where checks in the body (Rust's) leave it too, what its own test says.
  if (!Trips && L.isLoopExiting(L.getHeader())) {
    Trips = SE.getSmallConstantTripCount(&L, L.getHeader());
    if (Trips != SE.getSmallConstantMaxTripCount(&L))
      return 0;
  }
  unsigned Most = Trips > MaxTrips + 1 && onlyExchanges(L) ? MaxExchanged : MaxTrips;
  bool Fits = Trips && Trips <= Most + 1 && Trips * instructionsOf(L) <= MaxUnrolled;
  return Fits ? Trips : 0;
}

/// The sides of a rectangle, and of a block the pairs of them; begun iterations are one more.
constexpr unsigned MaxSides = 4;

/// A sweep asks which iteration of a loop around it this is: whether the counter, a phi of that
/// loop's header, is a constant.
bool asksWhich(const Loop &L) {
  auto IsCounter = [&](Value *V) {
    while (auto *Cast = dyn_cast<CastInst>(V))
      V = Cast->getOperand(0);
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && Phi->getParent() == L.getHeader();
  };
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return B != L.getHeader() && any_of(*B, [&](const Instruction &I) {
      auto *Compare = dyn_cast<ICmpInst>(&I);
      return Compare && isa<ConstantInt>(Compare->getOperand(1)) &&
             IsCounter(Compare->getOperand(0));
    });
  });
}

/// The loops around a place among whose counters it lies.
SmallPtrSet<const Loop *, 4> loopsOf(Value *Place, ScalarEvolution &SE) {
  SmallPtrSet<const Loop *, 4> Found;
  SCEVExprContains(SE.getSCEV(Place), [&](const SCEV *S) {
    if (auto *Counter = dyn_cast<SCEVAddRecExpr>(S))
      Found.insert(Counter->getLoop());
    return false;
  });
  return Found;
}

/// The stages of a step (Runge and Kutta's), and no dimension of a grid: sweeps store in it, and
/// none of the places that these go through lies among its counters, or those of the loop around it.
bool isOfStages(const Loop &L, ScalarEvolution &SE) {
  bool Stores = false;
  for (const Loop *Sweep : L.getSubLoops())
    for (const BasicBlock *B : Sweep->blocks())
      for (const Instruction &I : *B) {
        auto *Place = const_cast<Value *>(getLoadStorePointerOperand(&I));
        if (!Place || !SE.isSCEVable(Place->getType()))
          continue;
        SmallPtrSet<const Loop *, 4> Among = loopsOf(Place, SE);
        bool GoesThrough = any_of(Among, [&](const Loop *In) { return In != &L && L.contains(In); });
        if (GoesThrough && (Among.contains(&L) || Among.contains(L.getParentLoop())))
          return false;
        Stores |= GoesThrough && isa<StoreInst>(I);
      }
  return Stores;
}

/// The constant number of iterations begun of a loop around sweeps of borders, one for each side,
/// that ask which side they are at; 0 of any other.
unsigned sidesOf(const Loop &L, ScalarEvolution &SE) {
  const Loop *Around = L.getParentLoop();
  if (L.isInnermost() || !Around || !L.isLoopSimplifyForm())
    return 0;
  unsigned Trips = SE.getSmallConstantTripCount(&L);
  bool Fits = Trips > 1 && Trips <= MaxSides + 1 && Trips * instructionsOf(L) <= MaxUnrolled;
  return Fits && (asksWhich(L) || isOfStages(L, SE)) ? Trips : 0;
}

/// What the header's phis are, where they are constants.
using Constants = DenseMap<const PHINode *, Constant *>;

/// `V` in an iteration in which phis of the header are these constants.
Constant *evaluate(Value *V, const Loop &L, const Constants &Phis, const DataLayout &DL,
                   unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  if (auto *C = dyn_cast<Constant>(V))
    return C;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Depth > MostDepth || I->mayReadOrWriteMemory())
    return nullptr;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Phis.lookup(Phi);
  // Of a choice, only what is chosen needs be known.
  if (auto *Select = dyn_cast<SelectInst>(I))
    if (auto *Which = dyn_cast_or_null<ConstantInt>(
            evaluate(Select->getCondition(), L, Phis, DL, Depth + 1)))
      return evaluate(Which->isOne() ? Select->getTrueValue() : Select->getFalseValue(), L,
                      Phis, DL, Depth + 1);
  SmallVector<Constant *, 4> Operands;
  for (Value *O : I->operands()) {
    Operands.push_back(evaluate(O, L, Phis, DL, Depth + 1));
    if (!Operands.back())
      return nullptr;
  }
  return ConstantFoldInstOperands(I, Operands, DL);
}

/// How many iterations a loop begins whose test looks at several values that start as
/// constants, as that of Rust's `-1..=1` does (the number, and whether it was the last);
/// 0 where that is not known, or too many.
unsigned followedTrips(const Loop &L) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  auto *Test = dyn_cast<BranchInst>(Header->getTerminator());
  if (!L.getLoopPreheader() || !Latch || !Test || !Test->isConditional() ||
      L.contains(Test->getSuccessor(0)) == L.contains(Test->getSuccessor(1)))
    return 0;
  const DataLayout &DL = Header->getDataLayout();
  bool OnTrue = L.contains(Test->getSuccessor(0));
  Constants Now;
  for (PHINode &Phi : Header->phis())
    if (auto *C = dyn_cast<Constant>(Phi.getIncomingValueForBlock(L.getLoopPreheader())))
      Now[&Phi] = C;
  for (unsigned Trips = 1; Trips <= MaxTrips + 1; ++Trips) {
    auto *Goes = dyn_cast_or_null<ConstantInt>(evaluate(Test->getCondition(), L, Now, DL));
    if (!Goes)
      return 0;
    if (Goes->isOne() != OnTrue)
      return Trips;
    Constants Next;
    for (auto &[Phi, C] : Now)
      if (Constant *After = evaluate(Phi->getIncomingValueForBlock(Latch), L, Now, DL))
        Next[Phi] = After;
    Now = std::move(Next);
  }
  return 0;
}

/// The same of a loop that would be unrolled.
unsigned followedTripsOf(const Loop &L) {
  if (!L.isInnermost() || !L.getParentLoop() || !L.isLoopSimplifyForm())
    return 0;
  unsigned Trips = followedTrips(L);
  return Trips * instructionsOf(L) <= MaxUnrolled ? Trips : 0;
}

/// The same of a loop from a little before what a counter around it says to a little behind that
/// (`for (k = i - 1; k <= i + 1; k++)`): for all that is known of `i`, it may also stop at once, but
/// for its first test.
unsigned nearTripsOf(const Loop &L, ScalarEvolution &SE) {
  BasicBlock *Header = L.getHeader(), *Before = L.getLoopPreheader();
  if (!L.isInnermost() || !L.getParentLoop() || !L.isLoopSimplifyForm() ||
      L.getExitingBlock() != Header || !SE.isBackedgeTakenCountMaxOrZero(&L))
    return 0;
  auto *Test = dyn_cast<BranchInst>(Header->getTerminator());
  auto *Asks = Test && Test->isConditional() ? dyn_cast<ICmpInst>(Test->getCondition()) : nullptr;
  unsigned Trips = SE.getSmallConstantMaxTripCount(&L);
  if (!Asks || Trips < 2 || Trips > MaxTrips + 1 || Trips * instructionsOf(L) > MaxUnrolled)
    return 0;
  auto First = [&](Value *V) {
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && Phi->getParent() == Header ? Phi->getIncomingValueForBlock(Before) : V;
  };
  auto *Goes = dyn_cast_or_null<ConstantInt>(
      simplifyICmpInst(Asks->getCmpPredicate(), First(Asks->getOperand(0)),
                       First(Asks->getOperand(1)), SimplifyQuery(Header->getDataLayout(), Asks)));
  bool OnTrue = L.contains(Test->getSuccessor(0));
  return Goes && Goes->isOne() == OnTrue ? Trips : 0;
}

/// Makes the test of such a loop one of a counter.
void count(Loop &L, unsigned Trips) {
  BasicBlock *Header = L.getHeader();
  auto *Test = cast<BranchInst>(Header->getTerminator());
  IRBuilder<> B(Header, Header->begin());
  PHINode *Counter = B.CreatePHI(B.getInt32Ty(), 2, "trip");
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Next = B.CreateAdd(Counter, B.getInt32(1), "", true, true);
  Counter->addIncoming(B.getInt32(0), L.getLoopPreheader());
  Counter->addIncoming(Next, L.getLoopLatch());
  B.SetInsertPoint(Test);
  Value *Last = B.getInt32(Trips - 1);
  Test->setCondition(L.contains(Test->getSuccessor(0)) ? B.CreateICmpULT(Counter, Last)
                                                       : B.CreateICmpUGE(Counter, Last));
}

} // namespace

PreservedAnalyses UnrollTinyLoops::run(Function &F,
                                       FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.empty())
    return PreservedAnalyses::all();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  // The unroller's own remarks would speak of a function that nobody wrote.
  OptimizationRemarkEmitter *NoRemarks = nullptr;
  bool Changed = false;
  for (bool Again = true; Again;) {
    Again = false;
    // Innermost first; a loop that lost its children is innermost next time.
    auto Loops = LI.getLoopsInPreorder();
    for (Loop *L : reverse(Loops)) {
      unsigned Trips = tinyTrips(*L, SE);
      unsigned Followed = Trips ? 0 : followedTripsOf(*L);
      if (!Trips && !Followed)
        Followed = nearTripsOf(*L, SE);
      if (Followed) {
        count(*L, Followed);
        SE.forgetLoop(L);
        Changed = true;
        Trips = tinyTrips(*L, SE);
      }
      if (!Trips)
        Trips = sidesOf(*L, SE);
      if (!Trips)
        continue;
      UnrollLoopOptions Options{};
      Options.Count = Trips;
      Options.Force = true;
      Options.ForgetAllSCEV = true;
      formLCSSARecursively(*L, DT, &LI, &SE);
      if (UnrollLoop(L, Options, &LI, &SE, &DT, &AC, &TTI, NoRemarks,
                     /*PreserveLCSSA=*/true) != LoopUnrollResult::FullyUnrolled)
        continue;
      Changed = Again = true;
      break;
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

//===----------------------------------------------------------------------===//
// Latches
//===----------------------------------------------------------------------===//

PreservedAnalyses UniteLatches::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<std::pair<BasicBlock *, SmallVector<BasicBlock *, 4>>, 4> Found;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> Latches;
    L->getLoopLatches(Latches);
    if (Latches.size() > 1 && none_of(Latches, [](const BasicBlock *B) {
          return isa<IndirectBrInst>(B->getTerminator());
        }))
      Found.emplace_back(L->getHeader(), Latches);
  }
  for (auto &[Header, Latches] : Found) {
    MDNode *Name = nullptr;
    for (BasicBlock *B : Latches) {
      if (!Name)
        Name = B->getTerminator()->getMetadata(LLVMContext::MD_loop);
      B->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    }
    BasicBlock *One = SplitBlockPredecessors(Header, Latches, ".next");
    One->getTerminator()->setMetadata(LLVMContext::MD_loop, Name);
  }
  return Found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

//===----------------------------------------------------------------------===//
// Wide induction variables
//===----------------------------------------------------------------------===//

namespace {

/// Notes the widest type that users of one induction variable extend it to.
class WidestUse : public IVVisitor {
public:
  explicit WidestUse(PHINode *IV) { Info.NarrowIV = IV; }

  void visitCast(CastInst *Cast) override {
    bool Signed = isa<SExtInst>(Cast);
    Type *To = Cast->getType();
    unsigned Width = To->getIntegerBitWidth();
    if ((!Signed && !isa<ZExtInst>(Cast)) || Width > 64 ||
        Width <= Info.NarrowIV->getType()->getIntegerBitWidth())
      return;
    if (!Info.WidestNativeType ||
        Width > Info.WidestNativeType->getIntegerBitWidth()) {
      Info.WidestNativeType = To;
      Info.IsSigned = Signed;
      return;
    }
    Info.IsSigned |= Signed;
  }

  WideIVInfo Info;
};

/// How far beyond the variable, where the value is its low part's sum with a constant, or the low
/// part of such a sum.
std::optional<int64_t> distanceFrom(const Value &Wide, const Value *V) {
  int64_t Distance = 0;
  for (bool IsWide = false;;) {
    auto *I = dyn_cast<Instruction>(V);
    auto *By = I && I->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(I->getOperand(1))
                                                       : nullptr;
    if (By && I->hasNoSignedWrap() && !AddOverflow(Distance, By->getSExtValue(), Distance))
      V = I->getOperand(0);
    else if (V == &Wide && IsWide)
      return Distance;
    else if (isa_and_nonnull<TruncInst>(I) && !std::exchange(IsWide, true))
      V = I->getOperand(0);
    else
      return std::nullopt;
  }
}

/// Remainders of what comes after a wide variable are taken of its low part, of which nobody knows
/// any more how far it counts: those of at most the divisor become choices.
void chooseRemainders(PHINode &Wide, const Loop &L, ScalarEvolution &SE) {
  Type *T = Wide.getType();
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : make_early_inc_range(*Block)) {
      Value *Divisor = I.getOpcode() == Instruction::SRem ? I.getOperand(1) : nullptr;
      auto Distance = Divisor ? distanceFrom(Wide, I.getOperand(0)) : std::nullopt;
      if (!Distance || !L.isLoopInvariant(Divisor))
        continue;
      const SCEV *By = SE.getSignExtendExpr(SE.getSCEV(Divisor), T);
      auto From = [&](int64_t Distance) {
        return SE.getAddExpr(SE.getSCEV(&Wide), SE.getConstant(T, Distance, /*isSigned=*/true));
      };
      if (!SE.isKnownPredicateAt(CmpInst::ICMP_SGE, From(*Distance), SE.getZero(T), &I) ||
          !SE.isKnownPredicateAt(CmpInst::ICMP_SLT, From(*Distance - 1), By, &I))
        continue;
      IRBuilder<> Before(L.getLoopPreheader()->getTerminator()), B(&I);
      Value *End = Before.CreateSExt(Divisor, T);
      Value *Place = B.CreateNSWAdd(&Wide, ConstantInt::getSigned(T, *Distance));
      Value *Rest = B.CreateSelect(B.CreateICmpEQ(Place, End), ConstantInt::get(T, 0), Place);
      I.replaceAllUsesWith(B.CreateTrunc(Rest, I.getType(), "", /*IsNUW=*/true, /*IsNSW=*/true));
      I.eraseFromParent();
    }
}

} // namespace

PreservedAnalyses WidenInductions::run(Loop &L, LoopAnalysisManager &,
                                       LoopStandardAnalysisResults &AR,
                                       LPMUpdater &) {
  SCEVExpander Rewriter(AR.SE, "wide");
  // In canonical mode it would write the wide variable as a cast narrow one.
  Rewriter.disableCanonicalMode();
  SmallVector<WeakTrackingVH, 16> Dead;
  SmallVector<PHINode *, 8> Narrow;
  for (PHINode &Phi : L.getHeader()->phis())
    if (Phi.getType()->isIntegerTy() &&
        isa<SCEVAddRecExpr>(AR.SE.getSCEV(&Phi)))
      Narrow.push_back(&Phi);
  bool Changed = false;
  for (PHINode *Phi : Narrow) {
    WidestUse Use(Phi);
    Changed |= simplifyUsersOfIV(Phi, &AR.SE, &AR.DT, &AR.LI, &AR.TTI, Dead,
                                 Rewriter, &Use)
                   .first;
    if (!Use.Info.WidestNativeType)
      continue;
    unsigned Extensions = 0, Widened = 0;
    if (PHINode *Wide = createWideIV(Use.Info, &AR.LI, &AR.SE, Rewriter, &AR.DT,
                                     Dead, Extensions, Widened,
                                     /*HasGuards=*/false,
                                     /*UsePostIncrementRanges=*/true)) {
      Changed = true;
      simplifyUsersOfIV(Wide, &AR.SE, &AR.DT, &AR.LI, &AR.TTI, Dead, Rewriter);
      chooseRemainders(*Wide, L, AR.SE);
    }
  }
  Rewriter.clear();
  for (WeakTrackingVH &V : Dead)
    if (auto *I = dyn_cast_or_null<Instruction>(static_cast<Value *>(V)))
      RecursivelyDeleteTriviallyDeadInstructions(I, &AR.TLI);
  DeleteDeadPHIs(L.getHeader(), &AR.TLI);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept = getLoopPassPreservedAnalyses();
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

PreservedAnalyses KeepTags::run(Loop &L, LoopAnalysisManager &,
                                LoopStandardAnalysisResults &, LPMUpdater &) {
  if (BasicBlock *Before = L.getLoopPreheader())
    for (Instruction &I : *Before)
      if (isa<LoadInst>(I) && !I.hasMetadata(LLVMContext::MD_tbaa))
        if (auto At = Tags.find(&I); At != Tags.end())
          I.setMetadata(LLVMContext::MD_tbaa, At->second);
  return PreservedAnalyses::all();
}

} // namespace hexpass
