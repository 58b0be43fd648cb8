//===- midway_exits.cpp - Loops that are left, or looked at, in mid-step ---===//
//
// Consumes: a working copy with loops in simplified form. A loop is left between two sweeps of a
// step, as where the change is looked at before the new values are copied back:
//
//     for (t = 0; t < steps; t++) {
//         sweep(u, v);
//         if (change(u, v) < tolerance) break;
//         copy(v, u);
//     }
//
// Produces: the same sweeps, of which a step takes those behind that place and then those before
// it. What comes before the first such step, and behind the last one, stands there once more:
//
//     if (0 < steps) {
//         sweep(u, v);
//         for (t = 0; t + 1 < steps; t++) {
//             if (change(u, v) < tolerance) goto done;
//             copy(v, u);
//             sweep(u, v);
//         }
//         if (change(u, v) < tolerance) goto done;
//         copy(v, u);
//     }
//     done:
//
// The same where some steps are looked at between two sweeps, or between a sweep and words in memory
// that change places (pointers in a structure, descriptors of arrays), or copies of whole arrays:
//
//     for (t = 0; t < steps; t++) {
//         sweep(now, next);
//         if (t % 100 == 0) write(next);
//         swap(now, next);
//     }
//
// A loop that has lost its rare paths asks for them before the first step only (steady_exits.cpp).
//
// Who looks may throw an exception; that is no exit.
//
// Refuses loops that are left in several places between which there are sweeps, from inner loops,
// or at the beginning or the end of a step under conditions that can't be told before. Checks that
// end the program are no exits.
//
//===----------------------------------------------------------------------===//

#include "midway_exits.h"
#include "copied_blocks.h"
#include "loops.h"
#include "rare_paths.h"
#include "steady_exits.h"
#include "stretches.h"
#include "taken.h"
#include "turns.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// Instructions of a loop that is copied in part.
constexpr unsigned MaxLoop = 6000;
/// Operations that a condition is made of, one upon the other.
constexpr unsigned MaxDepth = 8;

using Blocks = SmallSetVector<BasicBlock *, 16>;

/// Nothing comes behind it but the end of the program.
bool endsAll(const BasicBlock &B) {
  const BasicBlock *At = &B;
  for (unsigned Far = 0; At && Far < MaxDepth; ++Far) {
    if (isa<UnreachableInst>(At->getTerminator()))
      return true;
    At = At->getSingleSuccessor();
  }
  return false;
}

/// A loop that is left in the middle of a step.
class MidwayExit {
public:
  MidwayExit(Loop &L, LoopInfo &LI, DominatorTree &DT, AAResults &AA)
      : L(L), LI(LI), DT(DT), AA(AA), Header(L.getHeader()), Latch(L.getLoopLatch()) {}

  bool find();
  /// The header of the loop that begins there.
  BasicBlock *turn();
  /// What was copied.
  SmallVector<BasicBlock *, 16> Copies;

private:
  BasicBlock *middleOf(ArrayRef<BasicBlock *> Places, bool IsLeft) const;
  bool isSweep(const Loop &In) const;
  BasicBlock *middleOfLooks() const;
  SmallPtrSet<const Value *, 8> grids() const;
  bool isExchanged(const StoreInst &Store) const;
  void hoistPlaces() const;
  bool exchangesBehind() const;
  bool copiesBehind() const;
  bool canTell(Value *V, bool InNext, unsigned Depth) const;
  Blocks between(BasicBlock *From, BasicBlock *Until, bool With) const;
  bool stays(const LoadInst &Load, Instruction &Until) const;
  void loadWhereWanted() const;
  void leave(const Blocks &From, const CopiedBlocks &Copied) const;
  void begin(const Blocks &Before);
  void join(Instruction &I, Value *First, const Blocks &Before) const;
  Value *tell(Value *V, const Blocks &Within, IRBuilder<> &B);
  void end();

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  AAResults &AA;
  BasicBlock *Header, *Latch;
  /// From where on the loop may be left in the middle; where else it is left, or null.
  BasicBlock *Middle = nullptr, *Other = nullptr;
  /// Of a loop that has lost its rare paths: those that lead to them are no exits in mid-step.
  std::optional<SteadyExits> Steady;
  /// What was before the middle in one block with it.
  BasicBlock *Above = nullptr;
  DenseMap<Value *, Value *> Told;
};

/// From there on the loop may be left (or looked at), and it has not been before: the last block of
/// all steps that is on the way to all such places. Null: there are sweeps between these.
BasicBlock *MidwayExit::middleOf(ArrayRef<BasicBlock *> Places, bool IsLeft) const {
  BasicBlock *Middle = Places.front();
  for (BasicBlock *B : Places)
    Middle = DT.findNearestCommonDominator(Middle, B);
  while (!DT.dominates(Middle, Latch))
    Middle = DT.getNode(Middle)->getIDom()->getBlock();
  SmallPtrSet<BasicBlock *, 8> Seen;
  SmallVector<BasicBlock *, 8> Work(Places);
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (const Loop *In = childOf(L, B, LI); In && (IsLeft || isSweep(*In)))
      return nullptr;
    if (B != Middle)
      append_range(Work, predecessors(B));
  }
  return Middle;
}

/// A loop that calls nothing: those that do write the grid to a file.
static bool callsNothing(const Loop &In) {
  return all_of(In.blocks(), [](const BasicBlock *B) {
    return none_of(*B, [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && !isa<IntrinsicInst>(Call) && Call->mayReadOrWriteMemory() &&
             !isMathematics(*Call);
    });
  });
}

static bool storesNothing(const Loop &In) {
  return all_of(In.blocks(), [](const BasicBlock *B) {
    return none_of(*B, [](const Instruction &I) { return I.mayWriteToMemory(); });
  });
}

/// Each step has it, and it is not there to look at the grid.
bool MidwayExit::isSweep(const Loop &In) const {
  return DT.dominates(In.getHeader(), Latch) && callsNothing(In);
}

/// An element of a grid, or what lies in a structure.
static bool loadsNumber(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  return Load && Load->getType()->isFloatingPointTy() &&
         isa<Instruction>(Load->getPointerOperand()) && !isa<AllocaInst>(Load->getPointerOperand());
}

/// Nobody knows what it does with the grids.
static bool callsUnknown(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && Call->mayReadOrWriteMemory() &&
         !Call->onlyAccessesInaccessibleMemOrArgMem() && !touchesArgumentsOnly(*Call);
}

/// Who is given one of the objects: output that touches nothing else.
static bool isGiven(const Instruction &I, const SmallPtrSetImpl<const Value *> &Objects) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && any_of(Call->args(), [&](const Use &Of) {
           return Of->getType()->isPointerTy() && Objects.contains(getUnderlyingObject(Of));
         });
}

/// What sweeps write.
SmallPtrSet<const Value *, 8> MidwayExit::grids() const {
  SmallPtrSet<const Value *, 8> Found;
  for (const Loop *In : L.getSubLoops())
    for (BasicBlock *B : In->blocks())
      for (const Instruction &I : *B)
        if (auto *Store = dyn_cast<StoreInst>(&I); Store && isSweep(*In))
          Found.insert(getUnderlyingObject(Store->getPointerOperand()));
  return Found;
}

/// From there on a step may be looked at, under a condition; null where each is, or where there are
/// sweeps between those places.
BasicBlock *MidwayExit::middleOfLooks() const {
  SmallVector<BasicBlock *, 8> Looking;
  auto Grids = grids();
  for (BasicBlock *B : L.blocks()) {
    const Loop *In = childOf(L, B, LI);
    bool Calls = In ? !callsNothing(*In) : any_of(*B, callsUnknown), Always = DT.dominates(B, Latch);
    if (Calls && Always)
      return nullptr;
    auto Looks = [&](const Instruction &I) { return loadsNumber(I) || isGiven(I, Grids); };
    bool Reads = !Always && (In ? storesNothing(*In) : any_of(*B, Looks));
    if ((Calls || Reads) && !endsAll(*B))
      Looking.push_back(B);
  }
  return Looking.empty() ? nullptr : middleOf(Looking, /*IsLeft=*/false);
}

/// A pointer that is read from one place is stored to another.
bool MidwayExit::isExchanged(const StoreInst &Store) const {
  auto *Load = dyn_cast<LoadInst>(throughExits(const_cast<Value *>(Store.getValueOperand())));
  return Load && Load->getType()->isPointerTy() && L.contains(Load) &&
         L.isLoopInvariant(Load->getPointerOperand()) &&
         L.isLoopInvariant(Store.getPointerOperand()) &&
         Load->getPointerOperand() != Store.getPointerOperand();
}

/// Fields of structures that don't change are places outside of the loop.
void MidwayExit::hoistPlaces() const {
  bool Changed;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : make_early_inc_range(*B))
      if (auto *Place = dyn_cast_or_null<Instruction>(getLoadStorePointerOperand(&I)))
        L.makeLoopInvariant(Place, Changed);
}

/// Pointers in memory change places behind the middle of a step, not in it.
bool MidwayExit::exchangesBehind() const {
  bool Behind = false;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store || !isExchanged(*Store))
        continue;
      if (B == Middle || !DT.dominates(Middle, B) || !DT.dominates(B, Latch))
        return false;
      Behind = true;
    }
  return Behind;
}

/// Arrays are copied as wholes behind the middle of a step.
bool MidwayExit::copiesBehind() const {
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return B != Middle && DT.dominates(Middle, B) && DT.dominates(B, Latch) &&
           any_of(*B, [](const Instruction &I) { return isa<MemTransferInst>(I); });
  });
}

/// When the loop may be left in the middle, it can be said what `V` will be later in the step, or
/// when the next one begins.
bool MidwayExit::canTell(Value *V, bool InNext, unsigned Depth) const {
  auto *I = dyn_cast<Instruction>(throughExits(V));
  if (!I || !L.contains(I))
    return true;
  auto *Phi = dyn_cast<PHINode>(I);
  if (InNext && Phi && Phi->getParent() == Header)
    return canTell(Phi->getIncomingValueForBlock(Latch), /*InNext=*/false, Depth);
  // It has been computed by then.
  if (!InNext && DT.dominates(I->getParent(), Middle) && (Phi || I->getParent() != Middle))
    return true;
  return Depth < MaxDepth && !Phi && !I->mayReadOrWriteMemory() && !isa<CallBase>(I) &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(I->operands(), [&](Value *Of) { return canTell(Of, InNext, Depth + 1); });
}

bool MidwayExit::find() {
  if (L.isInnermost() || !L.isLoopSimplifyForm())
    return false;
  unsigned Length = 0;
  for (BasicBlock *B : L.blocks())
    Length += B->sizeWithoutDebug();
  SmallVector<BasicBlock *, 4> Exits, Exiting;
  L.getExitBlocks(Exits);
  L.getExitingBlocks(Exiting);
  if (Length > MaxLoop)
    return false;
  if (isSettled(L))
    Steady.emplace(L, LI, DT, AA);
  erase_if(Exiting, [&](BasicBlock *B) {
    return (Steady && Steady->has(B)) || all_of(successors(B), [&](BasicBlock *To) {
             return L.contains(To) || To->isEHPad() || endsAll(*To);
           });
  });
  for (BasicBlock *End : {Header, Latch})
    if (auto *At = llvm::find(Exiting, End); At != Exiting.end()) {
      if (Other)
        return false;
      Other = End;
      Exiting.erase(At);
    }
  bool Left = !Exiting.empty();
  if (Left && any_of(Exits, [](BasicBlock *Exit) { return Exit->isEHPad(); }))
    return false;
  if (!Left)
    hoistPlaces();
  Middle = Left ? middleOf(Exiting, /*IsLeft=*/true) : middleOfLooks();
  if (!Middle || (Steady && !Steady->areAskedBefore(Middle)) ||
      (Other && !isa<BranchInst>(Other->getTerminator())))
    return false;
  SmallVector<const Loop *, 8> Sweeps;
  copy_if(L.getSubLoops(), std::back_inserter(Sweeps),
          [&](const Loop *In) { return Left || isSweep(*In); });
  auto IsBehind = [&](const Loop *Sweep) { return DT.dominates(Middle, Sweep->getHeader()); };
  if (all_of(Sweeps, IsBehind) ||
      (none_of(Sweeps, IsBehind) && (Left || !(exchangesBehind() || copiesBehind()))))
    return false;
  return !Other || canTell(cast<BranchInst>(Other->getTerminator())->getCondition(),
                           /*InNext=*/Other == Header, 0);
}

/// Blocks of the loop on the ways from one to another, in the loop's order.
Blocks MidwayExit::between(BasicBlock *From, BasicBlock *Until, bool With) const {
  Blocks Seen;
  SmallVector<BasicBlock *, 16> Work{From};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (!L.contains(B) || (B == Until && !With) || !Seen.insert(B) || B == Until)
      continue;
    append_range(Work, successors(B));
  }
  return Seen;
}

/// Nothing that a step does from its beginning to there changes what is loaded.
bool MidwayExit::stays(const LoadInst &Load, Instruction &Until) const {
  MemoryLocation Place = MemoryLocation::get(&Load);
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Work{Until.getParent()};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    for (Instruction &I : *B) {
      if (&I == &Until)
        break;
      if (isModSet(AA.getModRefInfo(&I, Place)))
        return false;
    }
    if (B != Header)
      append_range(Work, predecessors(B));
  }
  return true;
}

/// Pointers and sizes that only some steps want behind the middle are loaded there: a value from the
/// step before would be one that each step looks at.
void MidwayExit::loadWhereWanted() const {
  SmallVector<Use *, 8> Wanted;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || !Load->isSimple() || Load->getType()->isFloatingPointTy() ||
          DT.dominates(Middle, B) || !L.isLoopInvariant(Load->getPointerOperand()))
        continue;
      for (Use &U : Load->uses()) {
        auto *User = cast<Instruction>(U.getUser());
        BasicBlock *At = User->getParent();
        if (!isa<PHINode>(User) && L.contains(At) && DT.dominates(Middle, At) &&
            !DT.dominates(At, Latch) && stays(*Load, *User))
          Wanted.push_back(&U);
      }
    }
  for (Use *U : Wanted) {
    Instruction *Load = cast<Instruction>(U->get())->clone();
    Load->insertBefore(cast<Instruction>(U->getUser())->getIterator());
    U->set(Load);
  }
}

/// What the steps before the first one compute was computed before the loop, or in it.
void MidwayExit::join(Instruction &I, Value *First, const Blocks &Before) const {
  SSAUpdater SSA;
  SSA.Initialize(I.getType(), I.getName());
  SSA.AddAvailableValue(I.getParent(), &I);
  SSA.AddAvailableValue(cast<Instruction>(First)->getParent(), First);
  for (Use &U : make_early_inc_range(I.uses())) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    if (!Before.contains(Phi ? Phi->getIncomingBlock(U) : User->getParent()))
      SSA.RewriteUse(U);
  }
}

/// The copies leave the loop where the blocks do.
void MidwayExit::leave(const Blocks &From, const CopiedBlocks &Copied) const {
  for (BasicBlock *B : From)
    for (BasicBlock *Exit : SmallPtrSet<BasicBlock *, 4>(succ_begin(B), succ_end(B)))
      if (!L.contains(Exit))
        Copied.enter(*Exit, B);
}

/// The loop is entered in the middle: what comes before that is done before.
void MidwayExit::begin(const Blocks &Before) {
  BasicBlock *Preheader = L.getLoopPreheader();
  CopiedBlocks First;
  Copies.append(First.add(Before.getArrayRef(), ".first"));
  BasicBlock *Enter = First.of(Header);
  for (PHINode &Phi : Enter->phis())
    Phi.removeIncomingValue(Latch, /*DeletePHIIfEmpty=*/false);
  leave(Before, First);
  // A loop without a name of its own is told from what leads to it.
  First.of(Above)->getTerminator()->setDebugLoc(L.getStartLoc());
  Preheader->getTerminator()->replaceSuccessorWith(Header, Enter);
  Header->removePredecessor(Preheader, /*KeepOneInputPHIs=*/true);
  for (BasicBlock *B : Before)
    for (Instruction &I : *B)
      if (!I.use_empty())
        join(I, First.of(&I), Before);
}

/// What `V` will be when the blocks have been executed, which are not yet.
Value *MidwayExit::tell(Value *V, const Blocks &Within, IRBuilder<> &B) {
  V = throughExits(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Within.contains(I->getParent()))
    return V;
  if (Value *Known = Told.lookup(I))
    return Known;
  Instruction *Copy = I->clone();
  for (Use &Of : Copy->operands())
    Of.set(tell(Of, Within, B));
  B.Insert(Copy);
  Copy->dropUBImplyingAttrsAndMetadata();
  return Told[I] = Copy;
}

/// Where the step is the last one, what there is of it is done behind the loop.
void MidwayExit::end() {
  auto *Ends = cast<BranchInst>(Other->getTerminator());
  bool Goes = L.contains(Ends->getSuccessor(0));
  BasicBlock *On = Ends->getSuccessor(Goes ? 0 : 1), *Exit = Ends->getSuccessor(Goes ? 1 : 0);
  BasicBlock *Next = SplitBlock(Middle, Middle->getFirstNonPHIIt(),
                                static_cast<DominatorTree *>(nullptr), &LI);
  Blocks Rest = between(Next, Other, /*With=*/true);
  CopiedBlocks Last;
  Copies.append(Last.add(Rest.getArrayRef(), ".last"));
  leave(Rest, Last);
  ReplaceInstWithInst(Last.of(Other)->getTerminator(), BranchInst::Create(Exit));

  IRBuilder<> B(Middle->getTerminator());
  B.SetCurrentDebugLocation(Ends->getDebugLoc());
  Value *If = B.CreateFreeze(tell(Ends->getCondition(), Rest, B));
  B.CreateCondBr(If, Goes ? Next : Last.of(Next), Goes ? Last.of(Next) : Next);
  Middle->getTerminator()->eraseFromParent();

  Exit->removePredecessor(Other, /*KeepOneInputPHIs=*/true);
  ReplaceInstWithInst(Ends, BranchInst::Create(On));
}

BasicBlock *MidwayExit::turn() {
  loadWhereWanted();
  formLCSSARecursively(L, DT, &LI, nullptr);
  Above = Middle;
  // What is copied or stored there before anybody looks belongs to the sweeps before it.
  BasicBlock::iterator From = Above->getFirstNonPHIIt();
  for (Instruction &I : *Above)
    if (isa<StoreInst, MemTransferInst>(I))
      From = std::next(I.getIterator());
  Middle = SplitBlock(Above, From, &DT, &LI);
  begin(between(Header, Middle, /*With=*/false));
  if (Steady)
    Steady->settle();
  if (Other)
    end();
  Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  return Middle;
}

bool turnOne(Function &Copy, FunctionAnalysisManager &FAM, SmallPtrSetImpl<BasicBlock *> &Turned) {
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
  auto &AA = FAM.getResult<AAManager>(Copy);
  auto Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (Turned.contains(L->getHeader()) || holdsTaken(*L) ||
        any_of(L->getLoopsInPreorder(), [](Loop *In) { return resumesSettled(*In); }))
      continue;
    MidwayExit Exit(*L, LI, DT, AA);
    if (!Exit.find())
      continue;
    MDNode *Id = L->getLoopID();
    BasicBlock *Header = Exit.turn();
    Turned.insert(Header);
    FAM.invalidate(Copy, PreservedAnalyses::none());
    auto &Now = FAM.getResult<LoopAnalysis>(Copy);
    Loop *New = Now.getLoopFor(Header);
    if (Id)
      New->setLoopID(Id);
    markSettled(*New);
    // What there is of steps before and behind it is never looked at.
    for (BasicBlock *B : Exit.Copies)
      if (Loop *C = Now.getLoopFor(B); C && C->getHeader() == B)
        markTaken(*C, /*AndInside=*/false);
    return true;
  }
  return false;
}

} // namespace

bool turnAtExits(Function &Copy, FunctionAnalysisManager &FAM) {
  SmallPtrSet<BasicBlock *, 4> Turned;
  // Who throws out of a loop may throw out of the rest of a step as well.
  FAM.invalidate(Copy, LoopSimplifyPass().run(Copy, FAM));
  bool Any = false;
  while (turnOne(Copy, FAM, Turned))
    Any = true;
  return Any;
}

} // namespace hexpass
