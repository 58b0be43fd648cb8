//===- nested_vectors.cpp - Vectors of vectors that steps copy -------------===//
//
// Consumes: a working copy in which the methods of vectors of vectors are still calls, those of C++
// and of Rust. Each step of a loop copies such a grid whole, into another one, or into one that it
// makes for itself:
//
//     for (...) {                              vector<vector<double>> next;
//         vector<vector<double>> next = u;     for (...) {
//         sweep(u, next);                          if (next has u's shape)
//         u = next;                                    copy u's rows into next's;
//     }                                            else
//                                 becomes              next = newly made copy of u;
//                                                  sweep(u, next);
//                                                  if (u has next's shape)
//                                                      copy next's rows into u's;
//                                                  else
//                                                      u = next;
//                                              }
//
// A shape is the number of rows and the length of each. The sides that make anew are marked as
// those that are hardly ever gone, which rare_paths.cpp then takes out of the loop; what they call
// stays a call.
//
// Why it may: an assignment between vectors of one shape copies elements and allocates nothing. A
// grid that a step makes and destroys holds what it was made of, wherever that lies; it is
// destroyed once, where the loop is left, instead of in each step. What a step moves away may as
// well be copied: nobody looks at it until it is made again.
//
// Refuses grids that are made in several places, or in a way that is not known; elements that are
// more than numbers. In Rust a grid is cloned, or made by `vec!`, and what it takes the place of is
// destroyed and its head copied over; that must be the function's own, and stay so while loops run.
// Or it is behind `&mut self`: the loop then looks at its head on the stack, and what is replaced is
// so in both places. vector_methods.cpp knows the methods.
//
//===----------------------------------------------------------------------===//

#include "nested_vectors.h"
#include "step_storage.h"
#include "vector_methods.h"
#include "vector_writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// Calls that are looked at in one function.
constexpr unsigned MaxCalls = 64;
/// Calls of which one consists that does nothing.
constexpr unsigned MaxEmptyDepth = 4;

/// It does nothing but return, as an allocator without a state is made and destroyed.
bool doesNothing(const Function &F, unsigned Depth = 0) {
  if (F.isDeclaration() || F.isInterposable() || Depth == MaxEmptyDepth || F.size() != 1)
    return false;
  auto IsLocal = [](const Value *Place) {
    return isa<AllocaInst>(Place->stripInBoundsConstantOffsets());
  };
  return all_of(F.front(), [&](const Instruction &I) {
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return IsLocal(Store->getPointerOperand());
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return IsLocal(Load->getPointerOperand());
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || Call->isLifetimeStartOrEnd())
      return !I.mayHaveSideEffects();
    const Function *Callee = Call->getCalledFunction();
    return Callee && doesNothing(*Callee, Depth + 1);
  });
}

/// What goes through addresses in a local, by where they lead.
struct Uses {
  SmallVector<std::pair<Instruction *, int64_t>, 16> All;
  SmallVector<Instruction *, 8> Markers;

  explicit Uses(AllocaInst &In) : Uses(In, In.getDataLayout()) {}
  Uses(Value &In, const DataLayout &DL) {
    SmallVector<std::pair<Value *, int64_t>, 8> Work{{&In, 0}};
    while (!Work.empty()) {
      auto [At, Offset] = Work.pop_back_val();
      for (User *U : At->users()) {
        auto *I = cast<Instruction>(U);
        auto *GEP = dyn_cast<GetElementPtrInst>(I);
        APInt By(DL.getIndexTypeSizeInBits(At->getType()), 0);
        if (GEP && GEP->accumulateConstantOffset(DL, By))
          Work.push_back({GEP, Offset + By.getSExtValue()});
        else if (I->isLifetimeStartOrEnd())
          Markers.push_back(I);
        else
          All.push_back({I, Offset});
      }
    }
  }
};

/// The compiler has said which types accesses have, and is to be believed.
bool saysTypes(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return I.hasMetadata(LLVMContext::MD_tbaa);
  });
}

/// The block for the call alone, and the one behind it, to which nothing but the call leads.
std::pair<BasicBlock *, BasicBlock *> setApart(CallBase &Call) {
  BasicBlock *Alone = SplitBlock(Call.getParent(), &Call);
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    return {Alone, SplitEdge(Alone, Invoke->getNormalDest())};
  return {Alone, SplitBlock(Alone, Call.getNextNode())};
}

//===----------------------------------------------------------------------===//
// Grids that are assigned
//===----------------------------------------------------------------------===//

void assignInPlace(CallBase &Call, const Known &How) {
  Function &F = *Call.getFunction();
  VectorWriter Write(F, How, Layout(), saysTypes(*Call.getCalledFunction()));
  Value *To = Call.getArgOperand(0), *From = Call.getArgOperand(1);
  Call.replaceAllUsesWith(To);
  BasicBlock *Before = Call.getParent();
  auto [Slow, After] = setApart(Call);
  Call.setIsNoInline();
  markSeldomReached(Call);
  // Heads on the stack are not to stay in memory for a call that is hardly ever made.
  auto *Behind = BasicBlock::Create(F.getContext(), "assigned", &F, After);
  BranchInst::Create(After, Behind);
  Slow->getTerminator()->replaceSuccessorWith(After, Behind);
  for (unsigned Arg : {0, 1}) {
    if (!localOf(Call, Arg))
      continue;
    AllocaInst *Room = Write.room();
    Write.at(Call);
    Write.moveHead(Room, Call.getArgOperand(Arg));
    Call.setArgOperand(Arg, Room);
    Write.at(*Behind->getFirstInsertionPt());
    Write.moveHead(Arg == 0 ? To : From, Room);
  }
  Write.begin(*Before, Call.getDebugLoc());
  Write.requireSameShape(To, From, *Slow);
  Write.copy(To, From);
  Write.end(*After);
}

//===----------------------------------------------------------------------===//
// Grids that take the place of others, in Rust
//===----------------------------------------------------------------------===//

/// `u = next`: what `u` holds is destroyed, and the head of `next` is copied there, maybe by way of
/// a place of its own.
struct Replacement {
  CallInst *Destroys;
  MemCpyInst *Moves;
  /// Sets the head aside before; null where that isn't done.
  MemCpyInst *Aside;
};

/// The next instruction that does something.
Instruction *nextOf(Instruction *I) {
  for (unsigned Steps = 0; I && Steps < MaxCalls; ++Steps) {
    BasicBlock *Next = I->isTerminator() ? I->getParent()->getSingleSuccessor() : nullptr;
    if (I->isTerminator() && (!Next || !Next->getSinglePredecessor()))
      return nullptr;
    I = Next ? &Next->front() : I->getNextNode();
    if (!I->isLifetimeStartOrEnd() && !isa<BranchInst>(I))
      return I;
  }
  return nullptr;
}

/// The one before that did something.
Instruction *lastBefore(Instruction &Of) {
  Instruction *I = &Of;
  for (unsigned Steps = 0; Steps < MaxCalls; ++Steps) {
    BasicBlock *Before = I->getPrevNode() ? nullptr : I->getParent()->getSinglePredecessor();
    if (!I->getPrevNode() && !Before)
      return nullptr;
    I = Before ? Before->getTerminator() : I->getPrevNode();
    if (!I->isLifetimeStartOrEnd() && !isa<BranchInst>(I))
      return I;
  }
  return nullptr;
}

bool copiesHead(const MemCpyInst &Copy) {
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  return Length && Length->getZExtValue() == HeadBytes && !Copy.isVolatile();
}

/// Where a head goes on to from a place of its own, if it is copied there for nothing else.
MemCpyInst *onwards(const MemCpyInst &Aside) {
  auto *Room = dyn_cast<AllocaInst>(Aside.getRawDest());
  MemCpyInst *On = nullptr;
  if (!Room)
    return nullptr;
  for (auto [I, Offset] : Uses(*Room).All) {
    auto *Copy = dyn_cast<MemCpyInst>(I);
    if (Copy == &Aside)
      continue;
    if (!Copy || On || Copy->getRawSource() != Room || !copiesHead(*Copy))
      return nullptr;
    On = Copy;
  }
  return On;
}

/// Where what is copied from a vector's head takes another one's place.
std::optional<Replacement> replacementBy(MemCpyInst &From) {
  if (!copiesHead(From))
    return std::nullopt;
  MemCpyInst *On = onwards(From);
  Replacement R{nullptr, On ? On : &From, On ? &From : nullptr};
  Instruction *Before = On ? nextOf(&From) : lastBefore(From);
  R.Destroys = dyn_cast_or_null<CallInst>(Before);
  auto Method = R.Destroys ? methodOf(*R.Destroys) : std::nullopt;
  if (!Method || Method->What != Method::Destroy || nextOf(R.Destroys) != R.Moves ||
      R.Destroys->getArgOperand(0) != R.Moves->getRawDest())
    return std::nullopt;
  return R;
}

/// Copies elements where the two have one shape. Else one takes the place of the other, and
/// leaves an empty one behind. `Seen`: where loops look at the head of the one that is replaced, if
/// that is elsewhere.
void replaceInPlace(const Replacement &R, Value *By, Value *Seen, VectorWriter &Write) {
  CallInst &Call = *R.Destroys;
  Function &F = *Call.getFunction();
  Value *To = Call.getArgOperand(0);
  auto [Slow, After] = setApart(Call);
  BasicBlock *Before = Slow->getSinglePredecessor();
  Call.setIsNoInline();
  markSeldomReached(Call);
  auto *Behind = BasicBlock::Create(F.getContext(), "replaced", &F, After);
  BranchInst::Create(After, Behind);
  Slow->getTerminator()->replaceSuccessorWith(After, Behind);
  AllocaInst *Room = Write.room();
  Write.at(Call);
  Write.moveHead(Room, To);
  Call.setArgOperand(0, Room);
  Write.at(*Behind->getTerminator());
  Write.moveHead(To, By);
  if (Seen)
    Write.moveHead(Seen, By);
  Write.clear(By);
  Write.begin(*Before, Call.getDebugLoc());
  Write.requireSameShape(Seen ? Seen : To, By, *Slow);
  Write.copy(Seen ? Seen : To, By);
  Write.end(*After);
  R.Moves->eraseFromParent();
  if (R.Aside)
    R.Aside->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Grids that each step makes
//===----------------------------------------------------------------------===//

/// A vector of vectors on the stack that each step of a loop makes and destroys.
class OfStep {
public:
  OfStep(CallBase &Makes, const Known &How, const LocalVector &Where, const Layout &Head, Function &F)
      : F(F), Makes(Makes), How(How), Where(Where),
        Write(F, How, Head, saysTypes(*calleeOf(Makes))) {}

  /// False: it may be made, or looked at, in other ways.
  bool find(const Loop &Around, const DominatorTree &DT);
  void keep();

private:
  static const Function *calleeOf(const CallBase &Call) { return Call.getCalledFunction(); }

  bool isThere(int64_t Offset) const {
    return Offset > Where.Offset - int64_t(HeadBytes) && Offset < Where.Offset + int64_t(HeadBytes);
  }
  bool sort(Instruction &I, int64_t Offset, const Loop &L);
  bool isLookedAtAfter(const CallBase &Moves, const Loop &L) const;
  bool findExits(const Loop &L);
  bool isOurs(const Replacement &R, const Loop &L) const;
  bool isBorrowed(const Replacement &R, const Loop &L, const DominatorTree &DT);
  bool findRow(const Loop &L, const DominatorTree &DT);
  bool isKnownEarly(Instruction &I, const Loop &L, const DominatorTree &DT) const;
  bool goesStraight(Instruction *From, const Instruction &To) const;

  /// How many rows are made of one, and how long that is.
  Value *rows() const { return Makes.getArgOperand(How.IsRust ? 2 : 1); }
  Value *lengthOfRow() const { return MakesRow->getArgOperand(How.IsRust ? 2 : 1); }
  /// What the row is filled with.
  Value *number();

  void borrow();
  void init();
  void leave(BasicBlock &Exit);
  void bringForward();
  void makeInPlace();

  Function &F;
  CallBase &Makes;
  Known How;
  LocalVector Where;
  VectorWriter Write;
  /// Destructors in the loop, and beyond it.
  SmallVector<CallBase *, 4> InStep, Beyond;
  SmallVector<CallBase *, 2> Moves;
  SmallVector<Replacement, 2> Replacements;
  /// How such a vector is destroyed.
  CallBase *Destroys = nullptr;
  SmallVector<Instruction *, 8> Others, Markers;
  SmallVector<BasicBlock *, 4> Exits;
  /// What makes and destroys the row that a grid is filled with.
  CallBase *MakesRow = nullptr, *DestroysRow = nullptr;
  /// Of a vector elsewhere that is replaced: where the loop looks at its head, by how far from its
  /// beginning, and the edge by which the loop is entered. Its head on the stack.
  SmallVector<std::pair<LoadInst *, int64_t>, 8> Looks;
  std::pair<BasicBlock *, BasicBlock *> Entry = {nullptr, nullptr};
  bool CopiesBorrowed = false;
  AllocaInst *Borrowed = nullptr;
};

/// False: it may make the vector, and there would be two of them, or somebody else may know where
/// it is.
bool OfStep::sort(Instruction &I, int64_t Offset, const Loop &L) {
  if (&I == &Makes)
    return Offset == Where.Offset;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call) {
    Others.push_back(&I);
    return isa<LoadInst, ICmpInst, GetElementPtrInst>(I);
  }
  for (unsigned Arg = 0; Arg < Call->arg_size(); ++Arg)
    if (Call->paramHasAttr(Arg, Attribute::StructRet) && localOf(*Call, Arg) &&
        localOf(*Call, Arg)->In == Where.In)
      return false;
  if (auto *Head = dyn_cast<MemCpyInst>(Call); Head && How.IsRust) {
    Others.push_back(&I);
    if (localOf(*Call, 1) == Where)
      if (auto R = replacementBy(*Head))
        Replacements.push_back(*R);
    return localOf(*Call, 1) == Where;
  }
  auto Method = methodOf(*Call);
  if (!Method || Offset != Where.Offset) {
    Others.push_back(&I);
    return true;
  }
  bool Itself = localOf(*Call, 0) == Where;
  switch (Method->What) {
  case Method::Destroy:
    if (!isa<CallInst>(Call))
      return false;
    (L.contains(Call->getParent()) ? InStep : Beyond).push_back(Call);
    return true;
  case Method::Make:
  case Method::Copy:
  case Method::Fill:
    if (Itself)
      return false;
    break;
  case Method::Move:
    if (!Itself)
      Moves.push_back(Call);
    break;
  case Method::Assign:
    break;
  }
  Others.push_back(&I);
  return true;
}

/// In the step that has moved it away.
bool OfStep::isLookedAtAfter(const CallBase &Moves, const Loop &L) const {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work;
  auto Looks = [&](const Instruction &I) { return &I != &Moves && is_contained(Others, &I); };
  auto Behind = [&](const BasicBlock &B) {
    for (const BasicBlock *Next : successors(&B))
      if (Next != L.getHeader() && Seen.insert(Next).second)
        Work.push_back(Next);
  };
  for (const Instruction *I = Moves.getNextNode(); I; I = I->getNextNode())
    if (Looks(*I))
      return true;
  Behind(*Moves.getParent());
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (any_of(*B, Looks))
      return true;
    Behind(*B);
  }
  return false;
}

/// What comes of it is that something is thrown.
bool neverReturns(BasicBlock &From) {
  SmallPtrSet<BasicBlock *, 16> Seen;
  SmallVector<BasicBlock *, 16> Work{&From};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (!Seen.insert(B).second)
      continue;
    if (isa<ReturnInst>(B->getTerminator()))
      return false;
    append_range(Work, successors(B));
  }
  return true;
}

/// Where the loop is left and nobody else destroys the vector.
bool OfStep::findExits(const Loop &L) {
  SmallVector<BasicBlock *, 4> All;
  L.getUniqueExitBlocks(All);
  for (BasicBlock *Exit : All) {
    if (isa<UnreachableInst>(Exit->getTerminator()))
      continue;
    SmallPtrSet<BasicBlock *, 16> Seen;
    SmallVector<BasicBlock *, 16> Work{Exit};
    bool IsDestroyed = false;
    while (!Work.empty() && !IsDestroyed) {
      BasicBlock *B = Work.pop_back_val();
      if (L.contains(B) || !Seen.insert(B).second)
        continue;
      IsDestroyed = any_of(Beyond, [&](CallBase *C) { return C->getParent() == B; });
      append_range(Work, successors(B));
    }
    // It is destroyed where something has been thrown while it was there.
    if (IsDestroyed && !Exit->isLandingPad() && !(How.IsRust && neverReturns(*Exit)))
      return false;
    if (Exit->isEHPad() && !Exit->isLandingPad())
      return false;
    if (!IsDestroyed)
      Exits.push_back(Exit);
  }
  return true;
}

/// One instruction leads to another through nothing that does anything.
bool OfStep::goesStraight(Instruction *From, const Instruction &To) const {
  for (unsigned Steps = 0; Steps < MaxCalls; ++Steps) {
    auto *Invoke = dyn_cast<InvokeInst>(From);
    BasicBlock *Next = Invoke                   ? Invoke->getNormalDest()
                       : From->isTerminator()   ? From->getParent()->getSingleSuccessor()
                                                : nullptr;
    if (From->isTerminator() && (!Next || !Next->getSinglePredecessor()))
      return false;
    From = Next ? &Next->front() : From->getNextNode();
    if (From == &To)
      return true;
    if (auto *Call = dyn_cast<CallInst>(From)) {
      const Function *Callee = Call->getCalledFunction();
      if (!Call->isLifetimeStartOrEnd() && !(Callee && doesNothing(*Callee)))
        return false;
    } else if (From->mayHaveSideEffects() && !isa<BranchInst>(From)) {
      return false;
    }
    if (any_of(From->users(), [&](const User *U) {
          return cast<Instruction>(U)->getParent() != From->getParent();
        }))
      return false;
  }
  return false;
}

/// Nobody but methods of vectors hears of it while loops run.
bool isPrivate(AllocaInst &In, const Loop &L) {
  const Loop *Outermost = L.getOutermostLoop();
  return none_of(Uses(In).All, [&](const std::pair<Instruction *, int64_t> &Use) {
    auto *Call = dyn_cast<CallBase>(Use.first);
    return Call && Outermost->contains(Call) && !isa<MemCpyInst>(Call) && !methodOf(*Call);
  });
}

/// It may as well be computed before the row is made, as a size in a structure.
bool OfStep::isKnownEarly(Instruction &I, const Loop &L, const DominatorTree &DT) const {
  if (DT.dominates(&I, MakesRow))
    return true;
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->isSimple())
    return false;
  auto *At = dyn_cast<Instruction>(Load->getPointerOperand());
  if (auto *GEP = dyn_cast_or_null<GetElementPtrInst>(At); GEP && GEP->hasAllConstantIndices())
    At = dyn_cast<Instruction>(GEP->getPointerOperand());
  if (At && !DT.dominates(At, MakesRow))
    return false;
  const Value *Of = getUnderlyingObject(Load->getPointerOperand());
  if (auto *In = dyn_cast<AllocaInst>(Of))
    return localOf(*MakesRow, 0)->In != In && Where.In != In &&
           isPrivate(*const_cast<AllocaInst *>(In), L);
  auto *Arg = dyn_cast<Argument>(Of);
  return Arg && Arg->hasNoAliasAttr();
}

/// The grid is filled with a row that is made for that only, of one number.
bool OfStep::findRow(const Loop &L, const DominatorTree &DT) {
  auto Row = localOf(Makes, How.IsRust ? 1 : 2);
  if (!Row || Row->Offset != 0 || How.Depth != 2)
    return false;
  for (auto [I, Offset] : Uses(*Row->In).All) {
    auto *Call = dyn_cast<CallBase>(I);
    auto Method = Call ? methodOf(*Call) : std::nullopt;
    if (Call == &Makes)
      continue;
    if (!Method || Method->Depth != 1 || !(localOf(*Call, 0) == Row))
      return false;
    if (Method->What == Method::Fill && !MakesRow)
      MakesRow = Call;
    else if (Method->What != Method::Destroy)
      return false;
    else if (goesStraight(&Makes, *Call))
      DestroysRow = Call;
  }
  auto IsKnown = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return !I || isKnownEarly(*I, L, DT);
  };
  // Rust's is handed over, and destroyed there.
  return MakesRow && bool(DestroysRow) != How.IsRust && goesStraight(MakesRow, Makes) &&
         IsKnown(rows());
}

/// What a vector takes the place of is one of the function's own, of which nobody else hears while
/// loops run: else its head stays in memory, and what is behind it is not told from the other's.
bool OfStep::isOurs(const Replacement &R, const Loop &L) const {
  auto To = localOf(*R.Destroys, 0);
  return To && isPrivate(*To->In, L);
}

/// What a vector takes the place of lies where the function alone may look while it runs: behind
/// `&mut self`, or in a box. The loop does nothing to its head but that, which can be kept on the
/// stack too: no other thing but what replaces the vector changes it.
bool OfStep::isBorrowed(const Replacement &R, const Loop &L, const DominatorTree &DT) {
  const DataLayout &DL = F.getDataLayout();
  Value *To = R.Destroys->getArgOperand(0);
  APInt At(DL.getIndexTypeSizeInBits(To->getType()), 0);
  Value *Of = To->stripAndAccumulateConstantOffsets(DL, At, true);
  auto *Arg = dyn_cast<Argument>(Of);
  Entry = {L.getLoopPredecessor(), L.getHeader()};
  if (Replacements.size() != 1 || !(Arg ? Arg->hasNoAliasAttr() : isNoAliasCall(Of)) ||
      !Entry.first ||
      PointerMayBeCapturedBefore(Of, /*ReturnCaptures=*/true, Entry.first->getTerminator(), &DT))
    return false;
  const int64_t First = At.getSExtValue();
  auto Meets = [&](int64_t Offset, Type *T) {
    return Offset < First + int64_t(HeadBytes) && First < Offset + int64_t(DL.getTypeStoreSize(T));
  };
  for (auto [I, Offset] : Uses(*Of, DL).All) {
    if (!L.contains(I)) {
      // What the loop gets the address from in another way would not be seen.
      if (!isa<LoadInst, StoreInst, ICmpInst, ReturnInst>(I) &&
          !(isa<CallBase>(I) && (I->getType()->isVoidTy() || I->getType()->isIntegerTy())))
        return false;
      continue;
    }
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (!Meets(Offset, Load->getType()))
        continue;
      if (Offset < First || !Load->isSimple() ||
          Offset + DL.getTypeStoreSize(Load->getType()) > First + HeadBytes)
        return false;
      Looks.push_back({Load, Offset - First});
    } else if (auto *Store = dyn_cast<StoreInst>(I)) {
      // Not of the address itself.
      if (Store->getValueOperand()->getType()->isPointerTy() ||
          Meets(Offset, Store->getValueOperand()->getType()))
        return false;
    } else if (I == &Makes && How.What == Method::Copy && Offset == First) {
      CopiesBorrowed = true;
    } else if (I != R.Destroys && I != R.Moves) {
      return false;
    }
  }
  return true;
}

bool OfStep::find(const Loop &L, const DominatorTree &DT) {
  Uses Of(*Where.In);
  append_range(Markers, Of.Markers);
  for (auto [I, Offset] : Of.All)
    // Of a structure, what is handed on whole may be made there.
    if (isThere(Offset) || (isa<CallBase>(I) && Offset <= Where.Offset))
      if (!sort(*I, Offset, L))
        return false;
  erase_if(Moves, [&](CallBase *M) { return isLookedAtAfter(*M, L); });
  erase_if(Replacements, [&](const Replacement &R) {
    return !L.contains(R.Moves->getParent()) ||
           isLookedAtAfter(R.Aside ? *R.Aside : *R.Moves, L);
  });
  if (!all_of(Replacements, [&](const Replacement &R) {
        return isOurs(R, L) || isBorrowed(R, L, DT);
      }))
    return false;
  Destroys = !InStep.empty()         ? InStep.front()
             : !Replacements.empty() ? Replacements.front().Destroys
                                     : nullptr;
  if (!Destroys || !findExits(L))
    return false;
  return How.What == Method::Copy || findRow(L, DT);
}

/// Has the loop look at the head of a vector elsewhere on the stack.
void OfStep::borrow() {
  Value *Of = Replacements.front().Destroys->getArgOperand(0);
  APInt At(64, 0);
  Of = Of->stripAndAccumulateConstantOffsets(F.getDataLayout(), At, true);
  Borrowed = Write.room();
  Write.at(*SplitEdge(Entry.first, Entry.second)->getTerminator());
  Write.moveHead(Borrowed, Write.address(Of, At.getSExtValue()));
  for (auto [Load, Offset] : Looks) {
    Write.at(*Load);
    Load->setOperand(LoadInst::getPointerOperandIndex(), Write.address(Borrowed, Offset));
  }
}

void OfStep::init() {
  auto At = F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  Write.at(*At);
  Write.clear(Write.address(Where));
}

/// Destroys the vector, if there is one.
void OfStep::leave(BasicBlock &Exit) {
  AllocaInst *Room = Write.room();
  Write.at(*Exit.getFirstInsertionPt());
  Value *X = Write.address(Where);
  Write.moveHead(Room, X);
  Write.destroy(*Destroys, Room);
  Write.clear(X);
}

Value *OfStep::number() {
  if (How.IsRust)
    return Write.asElement(MakesRow->getArgOperand(1));
  return MakesRow->arg_size() == 4 ? Write.loadElement(MakesRow->getArgOperand(2)) : Write.zero();
}

/// How many rows there are, to where the row is made: it was found that it can be.
void OfStep::bringForward() {
  auto *Load = dyn_cast<LoadInst>(rows());
  if (!Load || DominatorTree(F).dominates(Load, MakesRow))
    return;
  Load->moveBefore(MakesRow->getIterator());
  auto *At = dyn_cast<GetElementPtrInst>(Load->getPointerOperand());
  if (At && !DominatorTree(F).dominates(At, Load))
    At->moveBefore(Load->getIterator());
}

/// By the method that makes it, elsewhere: what that is handed is not to stay in memory for it.
void OfStep::makeInPlace() {
  AllocaInst *Anew = Write.room();
  CallBase &First = MakesRow ? *MakesRow : Makes;
  if (MakesRow)
    bringForward();
  BasicBlock *Before = First.getParent();
  auto [Slow, Behind] = setApart(First);
  BasicBlock *After = Behind;
  if (MakesRow) {
    Behind = setApart(Makes).second;
    After = DestroysRow ? SplitBlock(DestroysRow->getParent(), DestroysRow->getNextNode()) : Behind;
  }
  Write.begin(*Before, Makes.getDebugLoc());
  Value *X = Write.address(Where), *With = nullptr;
  if (MakesRow) {
    With = number();
    Write.requireShape(X, rows(), lengthOfRow(), *Slow);
    Write.fill(X, With);
  } else {
    Value *From = CopiesBorrowed ? Borrowed : Makes.getArgOperand(1);
    Write.requireSameShape(X, From, *Slow);
    Write.copy(X, From);
  }
  Write.end(*After);
  Write.at(First);
  Write.moveHead(Anew, X);
  markSeldomReached(*Write.destroy(*Destroys, Anew));
  Write.clear(X);
  Makes.setArgOperand(0, Anew);
  if (!MakesRow && localOf(Makes, 1)) {
    AllocaInst *Room = Write.room();
    Write.moveHead(Room, Makes.getArgOperand(1));
    Makes.setArgOperand(1, Room);
  }
  Makes.setIsNoInline();
  if (MakesRow) {
    if (!How.IsRust && MakesRow->arg_size() == 4) {
      AllocaInst *Room = Write.room();
      Write.storeElement(With, Room);
      MakesRow->setArgOperand(2, Room);
    }
    MakesRow->setIsNoInline();
    if (DestroysRow)
      DestroysRow->setIsNoInline();
  }
  // Where it is a copy, the way that does without it leads here too.
  if (Behind == After) {
    auto *Made = BasicBlock::Create(F.getContext(), "made", &F, After);
    BranchInst::Create(After, Made);
    Instruction *Last = Makes.getParent()->getTerminator();
    Last->replaceSuccessorWith(After, Made);
    Behind = Made;
  }
  Write.at(*Behind->getFirstInsertionPt());
  Write.moveHead(X, Anew);
}

void OfStep::keep() {
  for (Instruction *Marker : Markers)
    Marker->eraseFromParent();
  if (Entry.first)
    borrow();
  for (CallBase *Call : Moves)
    assignInPlace(*Call, How);
  for (const Replacement &R : Replacements)
    replaceInPlace(R, R.Aside ? R.Aside->getRawSource() : R.Moves->getRawSource(), Borrowed, Write);
  for (BasicBlock *Exit : Exits)
    leave(*Exit);
  for (CallBase *Call : Beyond) {
    AllocaInst *Room = Write.room();
    Write.at(*Call);
    Write.moveHead(Room, Call->getArgOperand(0));
    Write.clear(Call->getArgOperand(0));
    Call->setArgOperand(0, Room);
  }
  init();
  makeInPlace();
  for (CallBase *Call : InStep)
    Call->eraseFromParent();
}

/// Calls of such methods, some of which may go with others.
SmallVector<WeakVH, 16> callsIn(Function &F) {
  SmallVector<WeakVH, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Calls.size() < MaxCalls && methodOf(*Call))
        Calls.push_back(Call);
  return Calls;
}

/// Rust's vectors of numbers throw nothing when they are destroyed, of which the compiler knows
/// nothing. True if it said otherwise.
bool throwNothing(Function &F) {
  SmallVector<InvokeInst *, 8> Invokes;
  for (BasicBlock &B : F)
    if (auto *Invoke = dyn_cast<InvokeInst>(B.getTerminator()))
      if (auto Method = methodOf(*Invoke))
        if (Method->IsRust && Method->What == Method::Destroy)
          Invokes.push_back(Invoke);
  for (InvokeInst *Invoke : Invokes)
    changeToCall(Invoke);
  if (!Invokes.empty())
    removeUnreachableBlocks(F);
  return !Invokes.empty();
}

/// The loop around loops in which a call stands.
Loop *loopOf(const CallBase &Call, const LoopInfo &LI) {
  Loop *L = LI.getLoopFor(Call.getParent());
  return L && !L->isInnermost() ? L : nullptr;
}

} // namespace

bool isOfVectors(const Function &Callee) {
  StringRef Name = Callee.getName();
  if (auto K = methodInRust(Name))
    return K->Depth > 1 || K->What == Method::Fill;
  return Name.starts_with("_ZNSt6vectorI") || Name.starts_with("_ZNKSt6vectorI");
}

bool isOfNestedVectors(const Function &Callee) {
  auto K = methodInRust(Callee.getName());
  return K ? K->Depth > 1 : isOfVectors(Callee);
}

bool hasNestedVectors(const Function &Copy) {
  return any_of(instructions(Copy), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto Method = Call ? methodOf(*Call) : std::nullopt;
    return Method && Method->Depth > 1;
  });
}

bool copyNestedInPlace(Function &Copy, FunctionAnalysisManager &FAM) {
  // Addresses that inlined functions were handed come out of memory.
  FAM.invalidate(Copy, SROAPass(SROAOptions::PreserveCFG).run(Copy, FAM));
  bool Changed = false;
  auto Next = [&]() { FAM.invalidate(Copy, PreservedAnalyses::none()); };
  if (throwNothing(Copy))
    Next();
  for (const WeakVH &Found : callsIn(Copy)) {
    auto *Call = cast_or_null<CallBase>(static_cast<Value *>(Found));
    if (!Call)
      continue;
    Known How = *methodOf(*Call);
    auto Where = localOf(*Call, 0);
    bool Makes = How.What == Method::Copy || How.What == Method::Fill;
    Loop *L = loopOf(*Call, FAM.getResult<LoopAnalysis>(Copy));
    if (!Makes || !Where || How.Depth < 2 || !L)
      continue;
    std::optional<Layout> Head = Layout();
    if (How.IsRust)
      Head = layoutOf(How, *Copy.getParent());
    if (!Head)
      continue;
    OfStep Vector(*Call, How, *Where, *Head, Copy);
    if (!Vector.find(*L, FAM.getResult<DominatorTreeAnalysis>(Copy)))
      continue;
    Vector.keep();
    Changed = true;
    Next();
  }
  for (const WeakVH &Found : callsIn(Copy)) {
    auto *Call = cast<CallBase>(static_cast<Value *>(Found));
    Known How = *methodOf(*Call);
    if (How.What != Method::Assign || How.Depth < 2 ||
        !loopOf(*Call, FAM.getResult<LoopAnalysis>(Copy)))
      continue;
    assignInPlace(*Call, How);
    Changed = true;
    Next();
  }
  return Changed;
}

} // namespace hexpass
