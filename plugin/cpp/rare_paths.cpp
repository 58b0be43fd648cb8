//===- rare_paths.cpp - Time loops without what they hardly ever do --------===//
//
// Consumes: a working copy with loops in simplified form. In a time loop that assigns one
// container to another, memory is allocated where that is too small for it, as it may be
// in the first step:
//
//     for (t = 0; t < steps; t++) {
//         sweep(u, v);
//         if (size(v) > capacity(u))
//             u = newly allocated copy of v;
//         else
//             memmove(u, v, size(v)), end(u) = begin(u) + size(v);
//     }
//
// Produces: two loops. The inner one has the steps that do without, and is left in the middle
// of a step that does not; the rest of that step stands in the outer one, which then begins
// the inner one anew:
//
//     for (;;) {
//         for (; t < steps; t++) {                 "settled"
//             sweep(u, v);
//             if (size(v) > capacity(u)) goto rest;
//             memmove(u, v, size(v));
//             if (end(u) != begin(u) + size(v)) goto rest;
//         }
//         break;
//     rest: ...                                    "a rare path"
//         t++;
//     }
//
// Nothing is believed: each step asks what it asked before. Of the inner loop detection sees
// that it is left only under conditions that don't change in it, for the guard to check.
//
// What is rare: sides of a branch that allocate or free; of further branches on the other
// side the one that does more; an object that is assigned to itself; a change of what the
// loop looks up in each step, such as the end of a vector; elements that begin elsewhere than the
// storage that is copied with them (what is left of a view). A copy of nothing counts as a copy.
// Refuses loops that allocate in every step: also those that don't where there is nothing to
// allocate.
//
//===----------------------------------------------------------------------===//

#include "rare_paths.h"
#include "fortran_descriptors.h"
#include "rare_checks.h"
#include "rare_loops.h"
#include "rare_steps.h"
#include "step_storage.h"
#include "taken.h"
#include "turns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <optional>
#include <tuple>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Of loops' `llvm.loop` nodes.
constexpr char SettledMark[] = "hexpass.settled";
constexpr char ResumesMark[] = "hexpass.resumes";

/// Instructions of a loop that is copied in part.
constexpr unsigned MaxLoop = 6000;

/// The two ways on from a block, if there are two.
std::optional<std::pair<BasicBlock *, BasicBlock *>> waysFrom(const BasicBlock &B) {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  return std::pair(Branch->getSuccessor(0), Branch->getSuccessor(1));
}

/// An address as a pointer and bytes behind it.
std::pair<const Value *, int64_t> placeOf(const Value *Address, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
  for (const Value *From = nullptr; From != Address;) {
    From = Address;
    const Value *Base = Address->stripAndAccumulateConstantOffsets(DL, Offset, true);
    Address = throughExits(const_cast<Value *>(Base));
  }
  return {Address, Offset.getSExtValue()};
}

/// Memory is allocated, or freed, also where `operator new` is called by its name; of flang's
/// assignments, those that may are left as calls.
bool allocates(const Instruction &I, const TargetLibraryInfo &TLI) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee)
    return false;
  if (isAllocationFn(Call, &TLI) || getFreedOperand(Call, &TLI) || mayAllocateAnew(I))
    return true;
  LibFunc Known;
  if (!TLI.getLibFunc(*Callee, Known))
    return false;
  return isLibFreeFunction(Callee, Known) ||
         is_contained({LibFunc_Znwm, LibFunc_Znam, LibFunc_ZnwmSt11align_val_t,
                       LibFunc_ZnamSt11align_val_t},
                      Known);
}

//===----------------------------------------------------------------------===//
// What is rare
//===----------------------------------------------------------------------===//

class RarePaths {
public:
  RarePaths(Loop &L, LoopInfo &LI, DominatorTree &DT, const TargetLibraryInfo &TLI)
      : L(L), LI(LI), DT(DT), TLI(TLI) {}

  /// False: there are none, or they can't be told from the rest.
  bool find();
  /// Something else is called, or changed.
  bool hasSideCode() const;
  /// Has what the loop looks up change in blocks of their own.
  void splitChanges();
  /// Has elements that don't begin where their storage does be looked at in blocks of their own.
  void splitOffsets();

  SmallVector<Edge, 8> Rare;

private:
  bool isDirect(const BasicBlock *B) const { return LI.getLoopFor(B) == &L; }
  bool isRare(BasicBlock *From, BasicBlock *To) const {
    return is_contained(Rare, Edge(From, To));
  }
  Blocks reached(BasicBlock *From, const BasicBlock *Until, const Blocks &Not = {}) const {
    return blocksOfStep(L, Rare, From, Until, Not);
  }
  BasicBlock *joinOf(Edge E) const;
  bool doesWithout(Edge E, BasicBlock *Other) const;
  bool cutOff(BasicBlock *Allocates);
  void cutOffBefore(BasicBlock *Seldom);
  void cutOffBeside(Edge E);
  void cutOffItself(BasicBlock *From);
  bool isExchanged(const StoreInst &Store) const;
  bool isLookedUp(const StoreInst &Store) const;
  bool isOffset(const Instruction &I, Value *&Elements, Value *&Storage) const;
  std::tuple<BasicBlock *, BasicBlock *, BasicBlock *> splitAround(Instruction &I);
  void branchRarely(Value *Condition, BasicBlock *Before, BasicBlock *Seldom, BasicBlock *After);

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  const TargetLibraryInfo &TLI;
  Blocks Allocating;
};

/// Where the side of a branch joins the other one; null if that is not one place.
BasicBlock *RarePaths::joinOf(Edge E) const {
  auto IsBehind = [&](BasicBlock *B) {
    return !DT.dominates(BasicBlockEdge(E.first, E.second), B);
  };
  Blocks Behind;
  for (BasicBlock *B : reached(E.second, nullptr))
    for (BasicBlock *Next : successors(B))
      if (!IsBehind(B) && IsBehind(Next) && L.contains(Next) && Next != L.getHeader())
        Behind.insert(Next);
  return Behind.size() == 1 ? *Behind.begin() : nullptr;
}

/// The other side does what it can without allocating: a container of no elements does nothing,
/// and the side that allocates is the usual one.
bool RarePaths::doesWithout(Edge E, BasicBlock *Other) const {
  BasicBlock *Join = joinOf(E);
  return Join && any_of(reached(Other, Join), [](BasicBlock *B) {
    return any_of(*B, [](Instruction &I) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      return I.mayWriteToMemory() && !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
    });
  });
}

/// The innermost branch that decides whether a block is reached, if its other side allocates
/// nothing, does something in its place and goes on.
bool RarePaths::cutOff(BasicBlock *Seed) {
  for (BasicBlock *At = Seed; At != L.getHeader();) {
    At = DT.getNode(At)->getIDom()->getBlock();
    auto Ways = waysFrom(*At);
    if (!L.contains(At) || !isDirect(At) || !Ways)
      continue;
    for (auto [To, Other] : {*Ways, std::pair(Ways->second, Ways->first)})
      if (DT.dominates(BasicBlockEdge(At, To), Seed) &&
          reached(Other, nullptr, Allocating).contains(L.getLoopLatch()) &&
          doesWithout({At, To}, Other)) {
        Rare.push_back({At, To});
        return true;
      }
  }
  return false;
}

/// What leads to a block and nowhere else, also out of inner loops.
void RarePaths::cutOffBefore(BasicBlock *Seldom) {
  SmallVector<BasicBlock *, 4> Work{Seldom};
  while (!Work.empty()) {
    BasicBlock *To = Work.pop_back_val();
    for (BasicBlock *From : predecessors(To))
      if (From->getSingleSuccessor() && isDirect(From) && From != L.getHeader())
        Work.push_back(From);
      else if (waysFrom(*From) && !isRare(From, To))
        Rare.push_back({From, To});
  }
}

/// Of the branches on the other side, the sides that do more.
void RarePaths::cutOffBeside(Edge E) {
  BasicBlock *Join = joinOf(E);
  if (!Join)
    return;
  auto Ways = *waysFrom(*E.first);
  BasicBlock *Other = Ways.first == E.second ? Ways.second : Ways.first;
  for (bool Again = true; Again;) {
    Again = false;
    for (BasicBlock *B : reached(Other, Join)) {
      auto On = waysFrom(*B);
      if (!On || !isDirect(B) || !L.contains(On->first) || !L.contains(On->second) ||
          isRare(B, On->first) || isRare(B, On->second))
        continue;
      auto Work = [&](BasicBlock *To, BasicBlock *Not) {
        Blocks Both = reached(Not, Join);
        unsigned N = 0;
        for (BasicBlock *Own : reached(To, Join))
          N += Both.contains(Own) ? 0 : Own->sizeWithoutDebug();
        return N;
      };
      bool First = Work(On->first, On->second) > Work(On->second, On->first);
      Rare.push_back({B, First ? On->first : On->second});
      Again = true;
      break;
    }
  }
}

/// Above it, the test whether two objects are one.
void RarePaths::cutOffItself(BasicBlock *From) {
  for (BasicBlock *At = From; At != L.getHeader();) {
    BasicBlock *Below = At;
    At = DT.getNode(At)->getIDom()->getBlock();
    auto Ways = waysFrom(*At);
    CmpPredicate Predicate;
    Value *X, *Y;
    if (!Ways || !isDirect(At) || !L.contains(Ways->first) || !L.contains(Ways->second) ||
        !match(cast<BranchInst>(At->getTerminator())->getCondition(),
               m_ICmp(Predicate, m_Value(X), m_Value(Y))) ||
        !X->getType()->isPointerTy() || !ICmpInst::isEquality(Predicate) ||
        !L.isLoopInvariant(X) || !L.isLoopInvariant(Y))
      continue;
    BasicBlock *Same = Predicate == ICmpInst::ICMP_EQ ? Ways->first : Ways->second;
    if (!DT.dominates(BasicBlockEdge(At, Same), Below) && !isRare(At, Same))
      Rare.push_back({At, Same});
  }
}

bool RarePaths::hasSideCode() const {
  // A clock that lies in memory is side code, too.
  auto IsClock = [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isDirect(I.getParent()) &&
           Store->getValueOperand()->getType()->isFloatingPointTy() &&
           L.isLoopInvariant(placeOf(Store->getPointerOperand(), Store->getDataLayout()).first);
  };
  return any_of(reached(L.getHeader(), nullptr), [&](BasicBlock *B) {
    return any_of(*B, [&](Instruction &I) {
      return IsClock(I) || (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && I.mayWriteToMemory());
    });
  });
}

bool RarePaths::find() {
  unsigned Size = 0;
  SmallVector<BasicBlock *, 8> Seeds;
  for (BasicBlock *B : L.blocks()) {
    Size += B->sizeWithoutDebug();
    if (isDirect(B) && any_of(*B, [&](Instruction &I) { return allocates(I, TLI); }))
      Seeds.push_back(B);
  }
  for (BasicBlock *B : L.blocks()) {
    if (BasicBlock *To = seldomAfter(*B); To && isDirect(B) && L.contains(To))
      Rare.push_back({B, To});
    if (isDirect(B) && isSeldomReached(*B))
      cutOffBefore(B);
  }
  if ((Seeds.empty() && Rare.empty()) || Size > MaxLoop)
    return false;
  Allocating.insert(Seeds.begin(), Seeds.end());
  size_t Known = Rare.size();
  // Where others are known, what cannot be told from the rest may be side code.
  for (BasicBlock *Seed : Seeds)
    if (reached(L.getHeader(), nullptr).contains(Seed) && !cutOff(Seed) && Known == 0)
      return false;
  SmallVector<Edge, 8> First(drop_begin(Rare, Known));
  for (Edge E : First) {
    cutOffBeside(E);
    cutOffItself(E.first);
  }
  return reached(L.getHeader(), nullptr).contains(L.getLoopLatch());
}

/// The step exchanges what is stored there with another place, or empties it before it does.
bool RarePaths::isExchanged(const StoreInst &Store) const {
  const DataLayout &DL = Store.getDataLayout();
  auto Place = placeOf(Store.getPointerOperand(), DL);
  auto IsStored = [&](std::pair<const Value *, int64_t> At) {
    return any_of(L.blocks(), [&](const BasicBlock *B) {
      return any_of(*B, [&](const Instruction &I) {
        auto *Other = dyn_cast<StoreInst>(&I);
        return Other && Other != &Store && !isa<Constant>(Other->getValueOperand()) &&
               placeOf(Other->getPointerOperand(), DL) == At;
      });
    });
  };
  auto *From = dyn_cast<LoadInst>(throughExits(const_cast<Value *>(Store.getValueOperand())));
  if (!From)
    return isa<ConstantPointerNull>(Store.getValueOperand()) && IsStored(Place);
  auto Source = placeOf(From->getPointerOperand(), DL);
  return Source != Place && IsStored(Source);
}

/// A pointer or a size that the loop reads from where this is stored, and that is not counted on.
bool RarePaths::isLookedUp(const StoreInst &Store) const {
  Type *T = Store.getValueOperand()->getType();
  if (!Store.isSimple() || !(T->isPointerTy() || T->isIntegerTy()) || isExchanged(Store))
    return false;
  const DataLayout &DL = Store.getDataLayout();
  auto Place = placeOf(Store.getPointerOperand(), DL);
  auto *Sum = dyn_cast<BinaryOperator>(Store.getValueOperand());
  if (Sum && any_of(Sum->operands(), [&](const Value *Of) {
        auto *Before = dyn_cast<LoadInst>(Of);
        return Before && placeOf(Before->getPointerOperand(), DL) == Place;
      }))
    return false;
  return L.isLoopInvariant(Place.first) && any_of(L.blocks(), [&](BasicBlock *B) {
    return any_of(*B, [&](Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      return Load && Load->isSimple() && Load->getType() == T &&
             placeOf(Load->getPointerOperand(), DL) == Place;
    });
  });
}

/// What stands before the instruction, a block for itself, and what stands behind it.
std::tuple<BasicBlock *, BasicBlock *, BasicBlock *> RarePaths::splitAround(Instruction &I) {
  BasicBlock *Before = I.getParent();
  BasicBlock *Alone = SplitBlock(Before, &I, &DT, &LI);
  BasicBlock *After = SplitBlock(Alone, I.getNextNode(), &DT, &LI);
  // Rare paths that began in the block begin behind it now.
  for (Edge &E : Rare)
    if (E.first == Before)
      E.first = After;
  return {Before, Alone, After};
}

/// Has a block that lies between two others be a rare path.
void RarePaths::branchRarely(Value *Condition, BasicBlock *Before, BasicBlock *Seldom,
                             BasicBlock *After) {
  Instruction *Jump = Before->getTerminator();
  auto *Branch = BranchInst::Create(Seldom, After, Condition, Jump->getIterator());
  Branch->setDebugLoc(Jump->getDebugLoc());
  Jump->eraseFromParent();
  DT.insertEdge(Before, After);
  Rare.push_back({Before, Seldom});
}

void RarePaths::splitChanges() {
  SmallVector<StoreInst *, 4> Stores;
  auto IsBehindOne = [&](BasicBlock *B) {
    return any_of(Rare, [&](Edge E) { return DT.dominates(E.first, B); });
  };
  for (BasicBlock *B : reached(L.getHeader(), nullptr))
    if (isDirect(B) && IsBehindOne(B))
      for (Instruction &I : *B)
        if (auto *Store = dyn_cast<StoreInst>(&I); Store && isLookedUp(*Store))
          Stores.push_back(Store);
  for (StoreInst *Store : Stores) {
    auto [Before, Changes, After] = splitAround(*Store);
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(Store->getDebugLoc());
    Type *T = Store->getValueOperand()->getType();
    LoadInst *Old = B.CreateAlignedLoad(T, Store->getPointerOperand(), Store->getAlign());
    Old->setAAMetadata(Store->getAAMetadata());
    Value *New = B.CreateFreeze(Store->getValueOperand());
    branchRarely(B.CreateICmpNE(B.CreateFreeze(Old), New), Before, Changes, After);
  }
}

/// Where in an owner's storage its elements begin, as a number of bytes: `Elements - Storage`, both
/// of which are loaded, and which says where they begin in a copy. False if it is anything else,
/// such as how long something is.
bool RarePaths::isOffset(const Instruction &I, Value *&Elements, Value *&Storage) const {
  if (!match(&I, m_Sub(m_PtrToInt(m_Value(Elements)), m_PtrToInt(m_Value(Storage)))) ||
      Elements == Storage || !isa<LoadInst>(Elements) || !isa<LoadInst>(Storage))
    return false;
  // Nothing lies where a container ends.
  auto IsWorkedOn = [&](const Value *P) {
    return any_of(L.blocks(), [&](const BasicBlock *B) {
      return !isDirect(B) && any_of(*B, [&](const Instruction &A) {
        const Value *At = getLoadStorePointerOperand(&A);
        return At && getUnderlyingObject(At, /*MaxLookup=*/0) == P;
      });
    });
  };
  auto IsAddress = [](const User *V) { return isa<GetElementPtrInst>(V); };
  bool IsIndex = any_of(I.users(), [&](const User *U) {
    return IsAddress(U) ||
           (match(U, m_SDiv(m_Value(), m_ConstantInt())) && any_of(U->users(), IsAddress));
  });
  return IsIndex && IsWorkedOn(Elements);
}

void RarePaths::splitOffsets() {
  struct Offset {
    Instruction *Bytes;
    Value *Elements, *Storage;
  };
  SmallVector<Offset, 4> Offsets;
  for (BasicBlock *B : reached(L.getHeader(), nullptr))
    if (isDirect(B))
      for (Instruction &I : *B) {
        Offset O{&I, nullptr, nullptr};
        if (isOffset(I, O.Elements, O.Storage))
          Offsets.push_back(O);
      }
  for (const Offset &O : Offsets) {
    auto [Before, Differ, After] = splitAround(*O.Bytes);
    IRBuilder<> B(Before->getTerminator());
    B.SetCurrentDebugLocation(O.Bytes->getDebugLoc());
    Value *Elsewhere = B.CreateICmpNE(B.CreateFreeze(O.Elements), B.CreateFreeze(O.Storage));
    branchRarely(Elsewhere, Before, Differ, After);
    B.SetInsertPoint(After, After->begin());
    auto Usually = [&](Value *Is, Value *Else) {
      PHINode *Phi = B.CreatePHI(Is->getType(), 2);
      Phi->addIncoming(Is, Before);
      Phi->addIncoming(Else, Differ);
      return Phi;
    };
    PHINode *Bytes = Usually(Constant::getNullValue(O.Bytes->getType()), O.Bytes);
    O.Bytes->replaceUsesWithIf(Bytes, [&](Use &U) { return U.getUser() != Bytes; });
    PHINode *Elements = Usually(O.Storage, O.Elements);
    O.Elements->replaceUsesWithIf(Elements, [&](Use &U) {
      return U.getUser() != Elements && DT.dominates(Elements, U);
    });
  }
}

//===----------------------------------------------------------------------===//
// Copies of nothing
//===----------------------------------------------------------------------===//

/// Jumps over a copy where its length is zero, as that of two equal pointers, or of a size that
/// is zero: it may as well be executed.
bool copiesNothing(BasicBlock &B, const SimplifyQuery &Q) {
  auto Ways = waysFrom(B);
  CmpPredicate Predicate;
  Value *X, *Y;
  if (!Ways || !match(cast<BranchInst>(B.getTerminator())->getCondition(),
                      m_ICmp(Predicate, m_Value(X), m_Value(Y))) ||
      !ICmpInst::isEquality(Predicate))
    return false;
  bool Eq = Predicate == ICmpInst::ICMP_EQ;
  BasicBlock *Copies = Eq ? Ways->second : Ways->first, *Over = Eq ? Ways->first : Ways->second;
  if (Copies->getSinglePredecessor() != &B || Copies->getSingleSuccessor() != Over ||
      any_of(Over->phis(), [&](PHINode &Phi) {
        // Where nothing is copied, X is Y.
        Value *Without = Phi.getIncomingValueForBlock(&B),
              *With = Phi.getIncomingValueForBlock(Copies);
        return Without != With && !(With == X && Without == Y && X->getType()->isIntegerTy());
      }))
    return false;
  auto Distance = [&](Value *From, Value *To) {
    return m_Sub(m_PtrToInt(m_Specific(From)), m_PtrToInt(m_Specific(To)));
  };
  auto Elements = m_CombineOr(m_Specific(X), m_CombineOr(m_Shl(m_Specific(X), m_ConstantInt()),
                                                         m_Mul(m_Specific(X), m_ConstantInt())));
  bool IsSize = match(Y, m_ZeroInt());
  bool Nothing = all_of(*Copies, [&](Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isSimple() &&
             isSafeToLoadUnconditionally(Load->getPointerOperand(), Load->getType(),
                                         Load->getAlign(), Q.DL, B.getTerminator(), Q.AC, Q.DT,
                                         Q.TLI);
    auto *Moves = dyn_cast<MemTransferInst>(&I);
    if (!Moves)
      return !I.mayHaveSideEffects() && !I.mayReadFromMemory();
    Value *Length = Moves->getLength();
    return !Moves->isVolatile() &&
           (match(Length, Distance(X, Y)) || match(Length, Distance(Y, X)) ||
            (IsSize && match(Length, Elements)));
  });
  if (!Nothing)
    return false;
  Over->removePredecessor(&B, /*KeepOneInputPHIs=*/true);
  Instruction *Branch = B.getTerminator();
  BranchInst::Create(Copies, Branch->getIterator())->setDebugLoc(Branch->getDebugLoc());
  Branch->eraseFromParent();
  return true;
}

bool separateOne(Function &Copy, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  auto Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    auto Inside = L->getLoopsInPreorder();
    if (L->isInnermost() || !L->isLoopSimplifyForm() || isSettled(*L) ||
        any_of(Inside, [](Loop *C) { return resumesSettled(*C); }))
      continue;
    RarePaths Paths(*L, LI, DT, TLI);
    if (!Paths.find())
      continue;
    Paths.splitChanges();
    Paths.splitOffsets();
    RareLoops Loops(*L, LI, DT, FAM.getResult<AAManager>(Copy));
    Loops.bringForward(Paths.Rare, Paths.hasSideCode());
    RareChecks Checks(*L, LI, DT);
    Checks.bringForward(Paths.Rare);
    formLCSSARecursively(*L, DT, &LI, nullptr);
    BasicBlock *Header = L->getHeader();
    BasicBlock *Outer = separateSteps(*L, Paths.Rare);
    Checks.settle();
    Loops.settle();
    EliminateUnreachableBlocks(Copy);
    FAM.invalidate(Copy, PreservedAnalyses::none());
    auto &Now = FAM.getResult<LoopAnalysis>(Copy);
    Loop *Settled = Now.getLoopFor(Header), *Around = Now.getLoopFor(Outer);
    markSettled(*Settled);
    addStringMetadataToLoop(Around, ResumesMark);
    // The rest of a step is never looked at.
    for (Loop *C : Around->getLoopsInPreorder())
      if (!Settled->contains(C))
        markTaken(*C, /*AndInside=*/false);
    return true;
  }
  return false;
}

} // namespace

bool separateRarePaths(Function &Copy, FunctionAnalysisManager &FAM, bool Marked) {
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  if (!Marked && none_of(instructions(Copy), [&](Instruction &I) {
        bool May = allocates(I, TLI) || (I.isTerminator() && isSeldomReached(*I.getParent()));
        const Loop *L = May ? LI.getLoopFor(I.getParent()) : nullptr;
        return L && !L->isInnermost();
      }))
    return false;
  bool Changed = false;
  // No dominators: they would have to follow each change.
  SimplifyQuery Q(Copy.getDataLayout(), &TLI, /*DT=*/nullptr,
                  &FAM.getResult<AssumptionAnalysis>(Copy));
  for (BasicBlock &B : Copy)
    if (LI.getLoopFor(&B))
      Changed |= copiesNothing(B, Q);
  if (Changed)
    FAM.invalidate(Copy, PreservedAnalyses::none());
  bool Any = false;
  while (separateOne(Copy, FAM))
    Any = true;
  return Any;
}

void markSettled(Loop &L) { addStringMetadataToLoop(&L, SettledMark); }

bool isSettled(const Loop &L) { return findOptionMDForLoop(&L, SettledMark) != nullptr; }

bool resumesSettled(const Loop &L) { return findOptionMDForLoop(&L, ResumesMark) != nullptr; }

} // namespace hexpass
