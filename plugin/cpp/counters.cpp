//===- counters.cpp - Counters of loops that live in memory -----------------===//
//
// Consumes: a working copy with loops in simplified form. A variable whose address somebody
// has been given, or a global one, is written by each iteration of the sweeps that count with
// it, though nobody looks before the time loop ends:
//
//     call start(i, j)                    ! by reference
//     do t = 1, steps
//       do j = 2, m - 1
//         do i = 2, n - 1
//
// Produces: the variable in registers in loops around other loops, where nothing else may touch
// it; it is read before such a loop, and written behind it: the value that the loop leaves is
// said with what was known before, so that no loop need run for its counters' sake; also of
// counters that were in registers. Numbers that a loop leaves in another way are carried out of it
// as they are.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// Loops inside of loops, and phis behind phis.
constexpr unsigned MaxDepth = 8;

/// A variable, and the accesses of a loop to it.
struct Cell {
  Value *At;
  Type *Ty;
  Align Alignment;
  AAMDNodes Tags;
  SmallVector<Instruction *, 8> Accesses;
};

/// Nobody but the loop's own loads and stores of the whole touches it there.
std::optional<Cell> cellAt(const Loop &L, StoreInst &First, AAResults &AA) {
  Value *At = First.getPointerOperand();
  Cell Found{At, First.getValueOperand()->getType(), At->getPointerAlignment(First.getDataLayout()),
             First.getAAMetadata(), {}};
  auto *Local = dyn_cast<AllocaInst>(Found.At);
  auto *Global = dyn_cast<GlobalVariable>(Found.At);
  bool IsWhole = (Local && Local->getAllocatedType() == Found.Ty) ||
                 (Global && !Global->isThreadLocal() && Global->getValueType() == Found.Ty);
  // One that the loop itself makes is another in each iteration.
  if (!IsWhole || !Found.Ty->isIntegerTy() || !L.isLoopInvariant(At))
    return std::nullopt;
  MemoryLocation Place = MemoryLocation::get(&First);
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (getLoadStorePointerOperand(&I) == Found.At) {
        if (I.isVolatile() || I.isAtomic() || getLoadStoreType(&I) != Found.Ty)
          return std::nullopt;
        Found.Accesses.push_back(&I);
        Found.Tags = Found.Tags.merge(I.getAAMetadata());
      } else if (I.mayThrow() || !I.willReturn() ||
                 (I.mayReadOrWriteMemory() && isModOrRefSet(AA.getModRefInfo(&I, Place)))) {
        return std::nullopt;
      }
    }
  return Found;
}

/// Loads and stores become values; what is there in the end is stored behind the loop.
class Promoter : public LoadAndStorePromoter {
public:
  Promoter(const Cell &Of, SSAUpdater &Updater, ArrayRef<BasicBlock *> Exits)
      : LoadAndStorePromoter(Of.Accesses, Updater), Of(Of), Updater(Updater), Exits(Exits) {}

  void doExtraRewritesBeforeFinalDeletion() override {
    for (BasicBlock *Exit : Exits) {
      Value *Left = Updater.GetValueInMiddleOfBlock(Exit);
      IRBuilder<> B(Exit, Exit->getFirstInsertionPt());
      Stores.push_back(B.CreateAlignedStore(Left, Of.At, Of.Alignment));
      Stores.back()->setAAMetadata(Of.Tags);
    }
  }

  SmallVector<StoreInst *, 2> Stores;

private:
  const Cell &Of;
  SSAUpdater &Updater;
  ArrayRef<BasicBlock *> Exits;
};

/// Says what a loop leaves with what is known before it.
class Leaves {
public:
  Leaves(Loop &L, ScalarEvolution &SE, LoopInfo &LI, Value *Before, Instruction *Behind)
      : L(L), SE(SE), LI(LI), Before(Before), Behind(Behind), B(Behind),
        Expander(SE, "left") {}

  /// A value when the loop has ended, null where that can't be said.
  Value *of(Value *V) {
    std::optional<Change> Found = change(V, L.getParentLoop(), MaxDepth);
    if (!Found || (Found->Else && Found->Else != Before))
      return nullptr;
    if (!Found->To)
      return Before;
    return Found->If ? B.CreateSelect(Found->If, Found->To, Before) : Found->To;
  }

private:
  /// `To` where `If` holds (null: always), otherwise what `Else` was: a phi that is being
  /// followed, or what there was before the loop. `To` null: always that.
  struct Change {
    Value *If, *To, *Else;
  };

  Value *expanded(const SCEV *S) {
    bool IsKnown = !isa<SCEVCouldNotCompute>(S) && SE.isLoopInvariant(S, &L) &&
                   Expander.isSafeToExpandAt(S, Behind);
    return IsKnown ? Expander.expandCodeFor(S, S->getType(), Behind->getIterator()) : nullptr;
  }

  /// `At`: the loop in whose iterations it is asked for; loops inside have ended then.
  std::optional<Change> change(Value *V, Loop *At, unsigned Depth) {
    if (V == Before || is_contained(Open, V))
      return Change{nullptr, nullptr, V};
    if (Value *Known = expanded(SE.getSCEVAtScope(V, At)))
      return Change{nullptr, Known, nullptr};
    auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || !Depth)
      return std::nullopt;
    if (Phi->getNumIncomingValues() == 1)
      return change(Phi->getIncomingValue(0), At, Depth - 1);
    Loop *Of = LI.getLoopFor(Phi->getParent());
    if (!Of || !L.contains(Of) || Of->getHeader() != Phi->getParent() ||
        Of->getExitingBlock() != Of->getHeader() || !Of->isLoopSimplifyForm())
      return std::nullopt;
    const SCEV *Turns = SE.getBackedgeTakenCount(Of);
    Value *Count = expanded(Turns);
    if (!Count)
      return std::nullopt;
    std::optional<Change> Start = change(Phi->getIncomingValueForBlock(Of->getLoopPreheader()),
                                         Of->getParentLoop(), Depth - 1);
    Open.push_back(Phi);
    std::optional<Change> Last =
        change(Phi->getIncomingValueForBlock(Of->getLoopLatch()), Of, Depth - 1);
    Open.pop_back();
    if (!Start || !Last || (Last->Else && Last->Else != Phi))
      return std::nullopt;
    if (!Last->To)
      return Start;
    Value *Ran = B.CreateIsNotNull(Count);
    Value *If = Last->If ? B.CreateLogicalAnd(Ran, Last->If) : Ran;
    if (!Start->To)
      return Change{If, Last->To, Start->Else};
    Value *To = B.CreateSelect(If, Last->To, Start->To);
    return Change{Start->If ? B.CreateLogicalOr(If, Start->If) : nullptr, To, Start->Else};
  }

  Loop &L;
  ScalarEvolution &SE;
  LoopInfo &LI;
  Value *Before;
  Instruction *Behind;
  IRBuilder<> B;
  SCEVExpander Expander;
  SmallVector<Value *, 8> Open;
};

/// What other threads may look at is written only where an iteration wrote it: whether that
/// is so at each of the exits.
SmallVector<Value *, 2> written(const Cell &Of, Loop &L, ArrayRef<BasicBlock *> Exits) {
  LLVMContext &C = Of.Ty->getContext();
  SSAUpdater Updater;
  Updater.Initialize(Type::getInt1Ty(C), "written");
  Updater.AddAvailableValue(L.getLoopPreheader(), ConstantInt::getFalse(C));
  for (const Instruction *I : Of.Accesses)
    if (isa<StoreInst>(I))
      Updater.AddAvailableValue(const_cast<BasicBlock *>(I->getParent()), ConstantInt::getTrue(C));
  SmallVector<Value *, 2> Found;
  for (BasicBlock *Exit : Exits)
    Found.push_back(Updater.GetValueInMiddleOfBlock(Exit));
  return Found;
}

bool promote(Loop &L, ScalarEvolution &SE, LoopInfo &LI, AAResults &AA, DomTreeUpdater &DTU) {
  SmallVector<BasicBlock *, 2> Exits;
  L.getUniqueExitBlocks(Exits);
  if (!L.isLoopSimplifyForm() || any_of(Exits, [](BasicBlock *B) { return B->isEHPad(); }))
    return false;
  SmallVector<Cell, 4> Cells;
  SmallPtrSet<Value *, 8> Seen;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        if (Store->isSimple() && Seen.insert(Store->getPointerOperand()).second)
          if (std::optional<Cell> Found = cellAt(L, *Store, AA))
            Cells.push_back(std::move(*Found));
  for (const Cell &Each : Cells) {
    SmallVector<Value *, 2> Written;
    if (isa<GlobalVariable>(Each.At))
      Written = written(Each, L, Exits);
    SSAUpdater Updater;
    Updater.Initialize(Each.Ty, Each.At->getName());
    IRBuilder<> B(L.getLoopPreheader()->getTerminator());
    LoadInst *Before = B.CreateAlignedLoad(Each.Ty, Each.At, Each.Alignment);
    Before->setAAMetadata(Each.Tags);
    Updater.AddAvailableValue(L.getLoopPreheader(), Before);
    Promoter Uses(Each, Updater, Exits);
    Uses.run(Each.Accesses);
    SE.forgetLoop(&L);
    for (auto [Index, Store] : enumerate(Uses.Stores)) {
      if (Value *Left = Leaves(L, SE, LI, Before, Store).of(Store->getValueOperand()))
        Store->setOperand(0, Left);
      if (Written.empty())
        continue;
      Value *If = Written[Index], *False = ConstantInt::getFalse(If->getContext());
      if (Value *Known = Leaves(L, SE, LI, False, Store).of(If))
        If = Known;
      Instruction *Then =
          SplitBlockAndInsertIfThen(If, Store->getIterator(), false, nullptr, &DTU, &LI);
      Store->moveBefore(Then->getIterator());
    }
    SE.forgetLoop(&L);
  }
  return !Cells.empty();
}

/// Counters in registers that are looked at behind the loop around theirs.
bool replaceLeft(Loop &L, ScalarEvolution &SE, LoopInfo &LI) {
  BasicBlock *Exit = L.getUniqueExitBlock();
  if (!Exit || !L.isLoopSimplifyForm() || Exit->isEHPad())
    return false;
  bool Changed = false;
  for (PHINode &Phi : make_early_inc_range(Exit->phis())) {
    auto *Counter = dyn_cast<PHINode>(Phi.getIncomingValue(0));
    if (!Phi.getType()->isIntegerTy() || Phi.getNumIncomingValues() != 1 || !Counter ||
        Counter->getParent() != L.getHeader() ||
        SE.isLoopInvariant(SE.getSCEVAtScope(Counter, L.getParentLoop()), &L))
      continue;
    Value *Before = Counter->getIncomingValueForBlock(L.getLoopPreheader());
    Instruction *Behind = &*Exit->getFirstInsertionPt();
    if (Value *Left = Leaves(L, SE, LI, Before, Behind).of(Counter)) {
      Phi.replaceAllUsesWith(Left);
      SE.forgetValue(&Phi);
      Phi.eraseFromParent();
      Changed = true;
    }
  }
  return Changed;
}

} // namespace

PreservedAnalyses CountersToRegisters::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  DomTreeUpdater DTU(DT, DomTreeUpdater::UpdateStrategy::Eager);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (!L->isInnermost()) {
      Changed |= promote(*L, SE, LI, AA, DTU);
      Changed |= replaceLeft(*L, SE, LI);
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
