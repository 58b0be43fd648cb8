//===- stretch_receivers.cpp - Elements that are recorded at looked-up places --===//
//
// Consumes: a time loop in which each step keeps elements of its grids at places that
// don't lie side by side, in tables or at a distance:
//
//     sweep(u, v);
//     for (r = 0; r < receivers; r++)
//       seis[t * receivers + r] = u[row[r] * n + column[r]];
//
// Produces: a model of the stretch in which each step copies the box of the grid that holds
// all of these places to a line of its own, which is what becomes a nest; the stretch itself, which
// then only takes what was recorded from there, step by step; and a function that says which
// box it is, before the first step is made:
//
//     if (!known) bounds(…, &box), known = true;
//     if (pending) model(pending, …, lines, box), stretch(pending, …, lines, box);
//
// Where the box is much larger than what is in it, one step is made at a time, and the elements are
// read where they are; if a sweep of the same step changes them, the stretch is executed as it was
// written. So it is where traces lie among the grids, which the runtime is asked where nobody else
// knows. Refuses places that a step makes, and what else looks at the sweeps.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "stretches.h"
#include "taken.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Elements that one loop looks at in an iteration.
constexpr size_t MostReceivers = 4;
/// Dimensions of a box.
constexpr size_t MostDims = 3;
/// Accesses of which the runtime is asked.
constexpr size_t MostBeside = 8;
/// Parts of an address.
constexpr size_t MostTerms = 64;

/// How a grid's elements lie: bytes from row to row, the largest distance first, and from one
/// element to the next.
using Strides = SmallVector<const SCEV *, 3>;

/// `Of` is a multiple of a stride: how often it holds it; else null.
const SCEV *quotient(ScalarEvolution &SE, const SCEV *Of, const SCEV *Stride) {
  auto Split = [](const SCEV *S, SmallVectorImpl<const SCEV *> &Factors) -> APInt {
    APInt Constant(64, 1);
    auto Take = [&](const SCEV *Factor) {
      if (auto *C = dyn_cast<SCEVConstant>(Factor))
        Constant *= C->getAPInt().sextOrTrunc(64);
      else
        Factors.push_back(Factor);
    };
    if (auto *Product = dyn_cast<SCEVMulExpr>(S))
      for_each(Product->operands(), Take);
    else
      Take(S);
    return Constant;
  };
  SmallVector<const SCEV *, 4> Has, Wants;
  APInt Times = Split(Of, Has), By = Split(Stride, Wants);
  if (By.isZero() || Times.srem(By) != 0)
    return nullptr;
  for (const SCEV *Factor : Wants) {
    auto *At = find(Has, Factor);
    if (At == Has.end())
      return nullptr;
    Has.erase(At);
  }
  Has.push_back(SE.getConstant(Times.sdiv(By)));
  return SE.getMulExpr(Has);
}

/// What a sum consists of: a number, times the counter of a loop where there is one.
struct Term {
  const SCEV *Times;
  const Loop *Of;
};
using Terms = SmallVector<Term, 8>;

/// The parts of a sum, also of one that is widened or multiplied, as if nothing overflowed:
/// whether that is so is seen when the box is found (`keepBounds`). False where there are too many,
/// or one of them is made of several counters.
bool addTerms(ScalarEvolution &SE, const SCEV *S, Terms &To) {
  auto Add = [&](const SCEV *Part, const Loop *Of) {
    Terms Parts;
    if (!addTerms(SE, Part, Parts))
      return false;
    for (Term T : Parts) {
      if (T.Of && Of)
        return false;
      To.push_back({T.Times, T.Of ? T.Of : Of});
    }
    return To.size() <= MostTerms;
  };
  if (auto *Sum = dyn_cast<SCEVAddExpr>(S))
    return all_of(Sum->operands(), [&](const SCEV *Part) { return Add(Part, nullptr); });
  if (auto *Line = dyn_cast<SCEVAddRecExpr>(S); Line && Line->isAffine())
    return Add(Line->getStart(), nullptr) && Add(Line->getStepRecurrence(SE), Line->getLoop());
  if (isa<SCEVSignExtendExpr, SCEVZeroExtendExpr>(S)) {
    auto Wide = [&](const SCEV *Part) {
      return isa<SCEVSignExtendExpr>(S) ? SE.getSignExtendExpr(Part, S->getType())
                                        : SE.getZeroExtendExpr(Part, S->getType());
    };
    Terms Narrow;
    if (!addTerms(SE, cast<SCEVCastExpr>(S)->getOperand(), Narrow))
      return false;
    for (Term T : Narrow) {
      auto *Product = dyn_cast<SCEVMulExpr>(T.Times);
      SmallVector<const SCEV *, 4> Factors;
      for (const SCEV *Factor : Product ? Product->operands() : ArrayRef<const SCEV *>(T.Times))
        Factors.push_back(Wide(Factor));
      To.push_back({SE.getMulExpr(Factors), T.Of});
    }
    return To.size() <= MostTerms;
  }
  auto *Product = dyn_cast<SCEVMulExpr>(S);
  if (!Product) {
    To.push_back({S, nullptr});
    return To.size() <= MostTerms;
  }
  Terms Made{{SE.getOne(S->getType()), nullptr}};
  for (const SCEV *Factor : Product->operands()) {
    Terms Parts, Before;
    std::swap(Before, Made);
    if (!addTerms(SE, Factor, Parts) || Before.size() * Parts.size() > MostTerms)
      return false;
    for (Term T : Before)
      for (Term By : Parts) {
        if (T.Of && By.Of)
          return false;
        Made.push_back({SE.getMulExpr(T.Times, By.Times), T.Of ? T.Of : By.Of});
      }
  }
  append_range(To, Made);
  return To.size() <= MostTerms;
}

/// The loops' steps through what a sweep accesses; none of other elements than of `Size` bytes.
Strides stridesOf(ScalarEvolution &SE, Value *Pointer, const Loop *Around, uint64_t Size) {
  const SCEV *All = SE.getSCEV(Pointer);
  const SCEV *Offset = SE.getMinusSCEV(All, SE.getPointerBase(All));
  Terms Parts;
  if (isa<SCEVCouldNotCompute>(Offset) || !addTerms(SE, Offset, Parts))
    return {};
  SmallVector<Term, 4> Steps;
  for (Term T : Parts) {
    if (T.Of == Around)
      return {};
    if (!T.Of)
      continue;
    if (any_of(Steps, [&](Term Other) { return Other.Of == T.Of; }))
      return {};
    auto *Known = dyn_cast<SCEVConstant>(T.Times);
    bool IsDown = Known && Known->getAPInt().isNegative();
    Steps.push_back({IsDown ? SE.getNegativeSCEV(T.Times) : T.Times, T.Of});
  }
  llvm::sort(Steps, [](Term X, Term Y) { return X.Of->getLoopDepth() < Y.Of->getLoopDepth(); });
  auto *Next = Steps.empty() ? nullptr : dyn_cast<SCEVConstant>(Steps.back().Times);
  if (!Next || Next->getAPInt() != Size || Steps.size() > MostDims)
    return {};
  Strides Found;
  for (Term T : Steps)
    Found.push_back(T.Times);
  return Found;
}

/// Where the element lies in its grid, in elements of each dimension; none if that is not
/// understood. `From`: the grid.
std::optional<SmallVector<const SCEV *, 3>>
subscripts(ScalarEvolution &SE, Value *Pointer, const Strides &By, const Loop &C,
           const SCEV *&From) {
  const SCEV *At = SE.getSCEV(Pointer);
  From = SE.getPointerBase(At);
  const SCEV *Offset = SE.getMinusSCEV(At, From);
  Terms All;
  if (!isa<SCEVUnknown>(From) || isa<SCEVCouldNotCompute>(Offset) || !addTerms(SE, Offset, All))
    return std::nullopt;
  Type *I64 = Offset->getType();
  SmallVector<SmallVector<const SCEV *, 4>, 3> Parts(By.size());
  int64_t Rest = 0;
  for (Term T : All) {
    if (T.Of && T.Of != &C)
      return std::nullopt;
    if (auto *Known = dyn_cast<SCEVConstant>(T.Times); Known && !T.Of) {
      Rest += Known->getAPInt().getSExtValue();
      continue;
    }
    const SCEV *Times = nullptr;
    for (auto [To, Stride] : zip(Parts, By))
      if (!Times && (Times = quotient(SE, T.Times, Stride)))
        To.push_back(T.Of ? SE.getAddRecExpr(SE.getZero(I64), Times, &C, SCEV::FlagAnyWrap)
                          : Times);
    if (!Times)
      return std::nullopt;
  }
  // Constants are rows and elements of them as far as the size of rows is one.
  SmallVector<const SCEV *, 3> Found;
  for (auto [Part, Stride] : zip(Parts, By)) {
    auto *Known = dyn_cast<SCEVConstant>(Stride);
    if (Known && Rest != 0) {
      int64_t Bytes = Known->getAPInt().getSExtValue();
      int64_t Times = Rest / Bytes - (Rest % Bytes < 0);
      Part.push_back(SE.getConstant(I64, Times, true));
      Rest -= Times * Bytes;
    }
    Part.push_back(SE.getZero(I64));
    Found.push_back(SE.getAddExpr(Part));
  }
  if (Rest != 0)
    return std::nullopt;
  return Found;
}

} // namespace

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

/// A loop over receivers, by its looks: it goes through no row of what it reads.
bool ShimStretches::mayRecord(Loop &C) const {
  Block *Exit = nullptr;
  SmallVector<Block *, 8> DeadEnds, Out;
  if (!C.isInnermost() || !C.isLoopSimplifyForm() || holdsTaken(C) ||
      !findExits(C, Exit, DeadEnds, Out) || !DeadEnds.empty() || !Out.empty())
    return false;
  auto IsLookedUp = [&](const SCEV *S) {
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
    return Load && C.contains(Load) && !Load->getType()->isPointerTy();
  };
  return any_of(C.blocks(), [&](Block *B) {
    return any_of(*B, [&](Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        return false;
      const SCEV *At = A.SE.getSCEV(Load->getPointerOperand());
      auto *Line = dyn_cast<SCEVAddRecExpr>(At);
      auto *Step = Line && Line->getLoop() == &C
                       ? dyn_cast<SCEVConstant>(Line->getStepRecurrence(A.SE))
                       : nullptr;
      uint64_t Size = Load->getDataLayout().getTypeStoreSize(Load->getType());
      bool IsFar = Step && Step->getAPInt().abs().ugt(Size);
      return IsFar || SCEVExprContains(At, IsLookedUp);
    });
  });
}

/// What it is made of stays as it is while the time loop runs.
bool ShimStretches::staysPut(const SCEV *Of, const Loop &C) const {
  return !SCEVExprContains(Of, [&](const SCEV *S) {
    if (auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S))
      return Recurrence->getLoop() != &C;
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    if (!I || !L.contains(I))
      return false;
    auto *Load = dyn_cast<LoadInst>(I);
    if (!Load || !Load->isSimple() || Sweeps.mayWrite(*Load))
      return true;
    Footprint Read(A);
    Read.add(*Load);
    bool IsWritten = any_of(L.blocks(), [&](Block *B) {
      return any_of(*B, [&](Instruction &By) {
        return By.mayWriteToMemory() && Read.conflicts(By);
      });
    });
    return IsWritten || !staysPut(A.SE.getSCEV(Load->getPointerOperand()), C);
  });
}

/// It lies in what one of the sweeps goes through, by the same name.
bool ShimStretches::isInGrid(const Value *Pointer) const {
  const Value *Grid = baseOf(Pointer);
  return any_of(Rows, [&](const Instruction *I) {
    return baseOf(getLoadStorePointerOperand(I)) == Grid;
  });
}

/// The loop does nothing but keep such elements, of grids that `Grids` touches; adds them, and
/// what else of it may lie in these.
bool ShimStretches::isRecorder(Loop &C, const Footprint &Grids, SmallVectorImpl<Receiver> &To,
                               SmallVectorImpl<Instruction *> &Beside) const {
  // Between several arrays anything may lie.
  auto IsOne = [&](const Instruction &I) {
    auto *Base = dyn_cast_or_null<Instruction>(baseOf(getLoadStorePointerOperand(&I)));
    return !Base || !C.contains(Base);
  };
  // In each iteration, so that boxes and bytes are those of every step.
  auto IsAlways = [&](const Instruction &I) {
    return A.DT.dominates(I.getParent(), C.getLoopLatch());
  };
  Block *Exit = C.getExitBlock();
  const SCEV *Count = A.SE.getBackedgeTakenCount(&C);
  if (!Exit || any_of(Exit->phis(), [](const PHINode &Phi) { return !Phi.use_empty(); }) ||
      isa<SCEVCouldNotCompute>(Count) || !staysPut(Count, C))
    return false;
  bool Stores = false, Apart_ = false;
  for (Block *B : C.blocks())
    for (Instruction &I : *B) {
      if (I.isVolatile() || I.isAtomic() || isa<AllocaInst>(I))
        return false;
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        if (isInGrid(Store->getPointerOperand()))
          return false;
        if (Grids.meets(I))
          Beside.push_back(&I);
        Stores = true;
      } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
        if (!Grids.mayWrite(*Load))
          continue;
        if (!isInGrid(Load->getPointerOperand())) {
          Beside.push_back(Load);
          continue;
        }
        Receiver R;
        R.Load = Load;
        R.Of = &C;
        if (!IsAlways(I) || !findPlace(R) || To.size() == MostReceivers)
          return false;
        // A row, or a column, needs no tables.
        auto IsLine = [&](const SCEV *Subscript) {
          auto *Line = dyn_cast<SCEVAddRecExpr>(Subscript);
          return Line && Line->getLoop() == &C && Line->getStepRecurrence(A.SE)->isOne();
        };
        Apart_ |= none_of(R.Subscripts, IsLine);
        To.push_back(R);
      } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
                 Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) {
        continue;
      } else if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()) {
        return false;
      }
    }
  return Stores && Apart_ && Beside.size() <= MostBeside &&
         all_of(Beside, [&](const Instruction *I) { return IsOne(*I) && IsAlways(*I); });
}

/// Where the receiver's element lies, by the rows of a grid that a sweep stores to.
bool ShimStretches::findPlace(Receiver &R) const {
  Type *T = R.Load->getType();
  uint64_t Size = R.Load->getDataLayout().getTypeStoreSize(T);
  if (!R.Load->isSimple() || !(T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy()) ||
      Size > 8 || !isPowerOf2_64(Size))
    return false;
  const SCEV *From = nullptr;
  for (const Instruction *I : Rows) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (!Store)
      continue;
    Strides By = stridesOf(A.SE, const_cast<Value *>(Store->getPointerOperand()), &L, Size);
    if (By.empty())
      continue;
    auto Found = subscripts(A.SE, R.Load->getPointerOperand(), By, *R.Of, From);
    if (!Found || !all_of(*Found, [&](const SCEV *S) { return staysPut(S, *R.Of); }))
      continue;
    auto *Grid = dyn_cast<Instruction>(cast<SCEVUnknown>(From)->getValue());
    if (Grid && R.Of->contains(Grid) &&
        !(isa<LoadInst>(Grid) && R.Of->isLoopInvariant(Grid->getOperand(0))))
      continue;
    R.Subscripts.assign(Found->begin(), Found->end());
    R.Like = Store;
    return true;
  }
  return false;
}

/// Loops that only keep elements of what the other sweeps write become sweeps too.
void ShimStretches::findReceivers(ArrayRef<Loop *> Among) {
  for (Loop *C : SweepLoops)
    for (Block *B : usual(*C))
      for (Instruction &I : *B)
        if (isa<LoadInst, StoreInst>(I))
          Rows.push_back(&I);
  const Footprint Grids = Sweeps;
  SmallVector<Loop *, 16> All = SweepLoops.takeVector();
  for (Loop *C : Among) {
    unsigned Segment = SegmentOf.lookup(C->getHeader());
    if (!isSteady(Segment))
      continue;
    SmallVector<Receiver, MostReceivers> Found;
    SmallVector<Instruction *, MostBeside> Asks;
    bool Records = Receivers.size() < MostReceivers && isRecorder(*C, Grids, Found, Asks);
    if (Records) {
      append_range(Receivers, Found);
      append_range(Asked, Asks);
    }
    if (!Records && !isSweep(*C))
      continue;
    ExitOf[C] = C->getExitBlock();
    All.push_back(C);
    KeptSegments.insert(Segment);
    for (Block *B : C->blocks())
      for (Instruction &I : *B)
        Sweeps.add(I);
  }
  for (Loop *C : Inner)
    if (is_contained(All, C))
      SweepLoops.insert(C);
}

/// Nothing else has to be said to the host. What is made of what the sweeps touch is no more than
/// where a grid begins, which the step has settled before it records.
bool ShimStretches::recordsOnly() const {
  if (mayThrow() || !Words.empty() || !KeptExits.empty() || !Reductions.empty())
    return false;
  Footprint Set(A);
  for (const Instruction *Store : Stores)
    Set.add(*Store);
  return all_of(Receivers, [&](const Receiver &R) {
    SmallSetVector<const Value *, 4> Made;
    for (Block *B : R.Of->blocks())
      for (Instruction &I : *B) {
        for (Value *V : I.operands())
          if (auto *By = dyn_cast<Instruction>(V); By && InPlace.contains(By))
            Made.insert(V);
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Load && Set.mayWrite(*Load) && !isReceiver(I) && !is_contained(Asked, Load))
          Made.insert(&I);
      }
    if (Made.empty())
      return true;
    SmallPtrSet<const Value *, 4> Grids;
    for (const Receiver &Other : Receivers)
      if (Other.Of == R.Of)
        Grids.insert(baseOf(Other.Load->getPointerOperand()));
    // Where the other accesses of the loop lie is known without that.
    for (Block *B : R.Of->blocks())
      for (Instruction &I : *B)
        if (Value *At = getLoadStorePointerOperand(&I); At && !isReceiver(I))
          if (Grids.contains(baseOf(At)))
            return false;
    Place Here{SegmentOf.lookup(R.Of->getHeader()), true, 0};
    auto IsOfGrid = [&](const Value *V) {
      return V->getType()->isPointerTy() && Grids.contains(baseOf(V));
    };
    return all_of(Made, IsOfGrid) &&
           all_of(Stores, [&](const Instruction *Store) { return placeOf(*Store) < Here; });
  });
}

/// The pointer that an address is made of; where it is read from, if each step reads it there.
const Value *ShimStretches::baseOf(const Value *Pointer) const {
  const SCEV *At = A.SE.getSCEV(const_cast<Value *>(Pointer));
  auto *Base = dyn_cast<SCEVUnknown>(A.SE.getPointerBase(At));
  if (!Base)
    return nullptr;
  auto *Load = dyn_cast<LoadInst>(Base->getValue());
  bool IsRead = Load && L.contains(Load) && L.isLoopInvariant(Load->getPointerOperand());
  return IsRead ? Load->getPointerOperand() : Base->getValue();
}

/// A sweep, or what is stored beside them, may change the element in the step that has recorded it.
bool ShimStretches::changesLater(const Receiver &R) const {
  unsigned Here = SegmentOf.lookup(R.Of->getHeader());
  auto Changes = [&](const Instruction &I) {
    Footprint Written(A);
    if (!I.mayWriteToMemory())
      return false;
    Written.add(I);
    return Written.mayWrite(*R.Load);
  };
  return any_of(SweepLoops,
                [&](const Loop *C) {
                  return C != R.Of && SegmentOf.lookup(C->getHeader()) >= Here &&
                         any_of(C->blocks(), [&](Block *B) { return any_of(*B, Changes); });
                }) ||
         any_of(Stores, [&](const Instruction *Store) {
           return !(placeOf(*Store) < Place{Here, true, 0}) && Changes(*Store);
         });
}

bool ShimStretches::isReceiver(const Instruction &I) const {
  return any_of(Receivers, [&](const Receiver &R) { return R.Load == &I; });
}

//===----------------------------------------------------------------------===//
// The model, the stretch, and the box
//===----------------------------------------------------------------------===//

/// Words that say which box a receiver's is (`askBounds`).
unsigned ShimStretches::boxWords(const Receiver &R) { return 3 + 3 * R.Subscripts.size(); }

/// What the functions are handed of boxes.
SmallVector<Type *, 8> ShimStretches::boxTypes() const {
  LLVMContext &C = A.F.getContext();
  SmallVector<Type *, 8> Types;
  for (const Receiver &R : Receivers) {
    Types.push_back(PointerType::getUnqual(C));
    Types.append(2 * R.Subscripts.size(), Type::getInt64Ty(C));
  }
  if (!Receivers.empty())
    Types.push_back(Type::getInt64Ty(C));
  return Types;
}

/// Takes the arguments of the stretch from `At` on.
void ShimStretches::takeBoxes(Function::arg_iterator &At) {
  for (Receiver &R : Receivers) {
    At->addAttr(Attribute::NoAlias);
    At->setName("lines");
    R.Lines = &*At++;
    for (size_t D = 0; D < R.Subscripts.size(); ++D) {
      R.Low.push_back(&*At++);
      R.Count.push_back(&*At++);
    }
  }
  if (!Receivers.empty())
    Boxed = &*At++;
}

/// Sweeps but those of receivers, and what is stored beside them, go.
void ShimStretches::leaveRecordersOnly(Function &F, function_ref<Value *(Value *)> Copy) {
  for (Loop *C : SweepLoops) {
    if (any_of(Receivers, [&](const Receiver &R) { return R.Of == C; }))
      continue;
    auto Of = [&](Block *B) -> Block & { return *cast<Block>(Copy(Map[B])); };
    passBy(Of(C->getLoopPreheader()), Of(C->getHeader()), Of(ExitOf.lookup(C)));
  }
  for (Instruction *Store : Stores)
    cast<Instruction>(Copy(Map[Store]))->eraseFromParent();
  EliminateUnreachableBlocks(F);
}

/// Each step copies the box: one loop for each dimension.
void ShimStretches::copyBoxes(ValueToValueMapTy &VMap) {
  auto Now = [&](Value *V) { return isa<Constant>(V) ? V : cast<Value>(VMap[V]); };
  Value *Step = Now(Counter);
  SmallPtrSet<const Loop *, 4> Gone;
  for (const Receiver &R : reverse(Receivers)) {
    auto *Before = cast<Block>(Now(Map[R.Of->getLoopPreheader()]));
    auto *After = cast<Block>(Now(Map[ExitOf.lookup(R.Of)]));
    auto *Header = cast<Block>(Now(Map[R.Of->getHeader()]));
    if (Gone.insert(R.Of).second)
      passBy(*Before, *Header, *After);
    // Before what the others of this loop do.
    Instruction *At = Before->getTerminator();
    Function &F = *Before->getParent();
    LLVMContext &C = F.getContext();
    Block *Behind = SplitBlock(Before, At->getIterator());
    Before->getTerminator()->eraseFromParent();
    Type *I64 = Type::getInt64Ty(C), *T = R.Load->getType();
    IRBuilder<> B(Before);
    B.SetCurrentDebugLocation(L.getStartLoc());
    Value *Line = Step, *Bytes = B.getInt64(0);
    SmallVector<PHINode *, 3> Counters;
    SmallVector<Block *, 3> Heads;
    for (auto [D, Count] : enumerate(R.Count)) {
      Value *Many = Now(Count);
      auto *Head = Block::Create(C, "", &F, Behind), *Body_ = Block::Create(C, "", &F, Behind);
      Block *From = B.GetInsertBlock();
      B.CreateBr(Head);
      B.SetInsertPoint(Head);
      PHINode *Phi = B.CreatePHI(I64, 2);
      Phi->addIncoming(B.getInt64(0), From);
      // Behind the last one the loop around goes on.
      B.CreateCondBr(B.CreateICmpSLT(Phi, Many), Body_, Behind);
      B.SetInsertPoint(Body_);
      Line = B.CreateAdd(B.CreateMul(Line, Many, "", true, true), Phi, "", true, true);
      Value *Place = B.CreateAdd(Now(R.Low[D]), Phi, "", true, true);
      Bytes = B.CreateAdd(Bytes, B.CreateMul(Place, Now(R.Steps[D]), "", true, true), "", true,
                          true);
      Counters.push_back(Phi);
      Heads.push_back(Head);
    }
    Value *Element = B.CreateLoad(T, B.CreateGEP(B.getInt8Ty(), Now(R.Grid), Bytes));
    B.CreateStore(Element, B.CreateGEP(T, Now(R.Lines), Line));
    for (size_t D = Counters.size(); D-- > 0;) {
      Value *Next = B.CreateAdd(Counters[D], B.getInt64(1), "", true, true);
      Counters[D]->addIncoming(Next, B.GetInsertBlock());
      B.CreateBr(Heads[D]);
      if (D == 0)
        break;
      // The loop around goes on where this one is left.
      auto *Latch = Block::Create(C, "", &F, Behind);
      cast<BranchInst>(Heads[D]->getTerminator())->setSuccessor(1, Latch);
      B.SetInsertPoint(Latch);
    }
  }
}

/// Instead of what it reads and stores, the loop says where that is.
void ShimStretches::keepBounds(ValueToValueMapTy &VMap) {
  auto Now = [&](Value *V) { return isa<Constant>(V) ? V : cast<Value>(VMap[V]); };
  SmallVector<Instruction *, 8> Unused;
  // Where the others lie, in front of what they do.
  unsigned Behind = 0;
  for (const Receiver &R : Receivers)
    Behind += boxWords(R);
  for (auto [At, I] : enumerate(Asked)) {
    auto *Access = cast<Instruction>(Now(Map[I]));
    IRBuilder<> B(Access);
    Type *I64 = B.getInt64Ty();
    Value *From = B.CreatePtrToInt(getLoadStorePointerOperand(Access), I64);
    uint64_t Size = I->getDataLayout().getTypeStoreSize(getLoadStoreType(I));
    auto Update = [&](unsigned N, Value *V, Intrinsic::ID By) {
      Value *Word = B.CreateConstGEP1_64(I64, Now(Receivers.front().Lines), N);
      B.CreateStore(B.CreateBinaryIntrinsic(By, B.CreateLoad(I64, Word), V), Word);
    };
    Update(Behind + 2 * At, From, Intrinsic::umin);
    Update(Behind + 2 * At + 1, B.CreateAdd(From, B.getInt64(Size)), Intrinsic::umax);
  }
  for (const Receiver &R : Receivers) {
    for (Block *Old : R.Of->blocks())
      for (Instruction &I : *Old)
        if (isa<StoreInst>(I))
          Unused.push_back(cast<Instruction>(Now(Map[&I])));
    auto *Load = cast<LoadInst>(Now(Map[R.Load]));
    IRBuilder<> B(Load);
    Type *I64 = B.getInt64Ty();
    auto Word = [&](unsigned N) { return B.CreateConstGEP1_64(I64, Now(R.Lines), N); };
    auto Update = [&](unsigned N, Value *V, Intrinsic::ID By) {
      Value *Old = B.CreateLoad(I64, Word(N));
      B.CreateStore(B.CreateBinaryIntrinsic(By, Old, V), Word(N));
    };
    B.CreateStore(B.CreateAdd(B.CreateLoad(I64, Word(0)), B.getInt64(1)), Word(0));
    Value *Bytes = B.getInt64(0);
    for (auto [Place, Step] : zip(R.Places, R.Steps))
      Bytes = B.CreateAdd(Bytes, B.CreateMul(Now(Place), Now(Step)));
    // What overflows is nowhere: no box holds it.
    Value *Is = B.CreatePtrToInt(Load->getPointerOperand(), I64);
    Value *Begin = B.CreatePtrToInt(Now(R.Grid), I64);
    Value *IsThere = B.CreateICmpEQ(B.CreateSub(Is, Begin), Bytes);
    Update(4, B.CreateSelect(IsThere, B.getInt64(INT64_MIN), B.getInt64(INT64_MAX)),
           Intrinsic::smax);
    for (auto [D, Place] : enumerate(R.Places)) {
      Value *Step = Now(R.Steps[D]);
      Update(3 + 3 * D, Now(Place), Intrinsic::smin);
      Update(4 + 3 * D, Now(Place), Intrinsic::smax);
      B.CreateStore(Step, Word(5 + 3 * D));
    }
    Update(1, Bytes, Intrinsic::smin);
    Update(2, Bytes, Intrinsic::smax);
  }
  for (Instruction *I : Unused)
    if (I->getParent())
      I->eraseFromParent();
}

/// The elements are those of the lines.
void ShimStretches::takeFromLines() {
  for (const Receiver &R : Receivers) {
    auto *Load = cast<LoadInst>(Map[R.Load]);
    IRBuilder<> B(Load);
    Value *At = Counter;
    for (auto [D, Place] : enumerate(R.Places))
      At = B.CreateAdd(B.CreateMul(At, R.Count[D]), B.CreateSub(Place, R.Low[D]));
    Value *There = B.CreateGEP(Load->getType(), R.Lines, At);
    Value *IsThere = B.CreateIsNotNull(Boxed);
    Load->setOperand(0, B.CreateSelect(IsThere, There, Load->getPointerOperand()));
  }
}

/// The stretch as it was written becomes three functions.
bool ShimStretches::makeRecorders() {
  FunctionAnalysisManager &FAM = A.Ctx.FAM;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(*Stretch);
  auto &LI = FAM.getResult<LoopAnalysis>(*Stretch);
  SCEVExpander Expander(SE, "place");
  const Loop *Steps = LI.getLoopFor(cast<Instruction>(Counter)->getParent());
  for (Receiver &R : Receivers) {
    auto *Load = cast<LoadInst>(Map[R.Load]);
    Loop *C = LI.getLoopFor(Load->getParent());
    Value *Rows_ = cast<StoreInst>(Map[R.Like])->getPointerOperand();
    uint64_t Size = Load->getDataLayout().getTypeStoreSize(Load->getType());
    Strides By = stridesOf(SE, Rows_, Steps, Size);
    const SCEV *From = nullptr;
    auto Found = By.empty() || !C || !C->getLoopPreheader()
                     ? std::nullopt
                     : subscripts(SE, Load->getPointerOperand(), By, *C, From);
    if (!Found || Found->size() != R.Subscripts.size())
      return false;
    Instruction *Before = C->getLoopPreheader()->getTerminator();
    R.Grid = cast<SCEVUnknown>(From)->getValue();
    if (auto *Grid = dyn_cast<Instruction>(R.Grid); Grid && C->contains(Grid)) {
      Instruction *Copy = Grid->clone();
      Copy->insertBefore(Before->getIterator());
      R.Grid = Copy;
    }
    Type *I64 = Type::getInt64Ty(Load->getContext());
    for (auto [Subscript, Stride] : zip(*Found, By)) {
      R.Places.push_back(Expander.expandCodeFor(Subscript, I64, Load->getIterator()));
      R.Steps.push_back(Expander.expandCodeFor(Stride, I64, Before->getIterator()));
    }
  }
  FAM.invalidate(*Stretch, PreservedAnalyses::none());
  ValueToValueMapTy Boxes, Copies, Same;
  IsOrdered = any_of(Receivers, [&](const Receiver &R) { return changesLater(R); });
  if (IsOrdered || !Asked.empty()) {
    Whole = CloneFunction(Stretch, Same);
    Whole->setName(Stretch->getName() + ".whole");
  }
  Bounds = CloneFunction(Stretch, Boxes);
  Bounds->setName(Stretch->getName() + ".bounds");
  Model = CloneFunction(Stretch, Copies);
  Model->setName(Stretch->getName() + ".recorded");
  keepBounds(Boxes);
  leaveRecordersOnly(*Bounds, [&](Value *V) { return cast<Value>(Boxes[V]); });
  copyBoxes(Copies);
  takeFromLines();
  leaveRecordersOnly(*Stretch, [](Value *V) { return V; });
  EliminateUnreachableBlocks(*Model);
  if (verifyFunction(*Bounds) || verifyFunction(*Model))
    return false;
  for (Function *Made : {Bounds, Model, Whole})
    if (Made)
      tidy(*Made, FAM);
  canonicalise(*Model, FAM);
  return true;
}
