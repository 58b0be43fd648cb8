//===- counters.cpp - Counters of loops that live in memory -----------------===//
//
// Consumes: a working copy with loops in simplified form. A variable whose address somebody
// has been given, a global one, or a member of a structure, is written by each iteration of
// the sweeps that count with it, or of the steps, though nobody looks before the time loop ends:
//
//     call start(i, j)                    ! by reference       s->now = 1 - s->now;
//     do t = 1, steps
//       do j = 2, m - 1
//         do i = 2, n - 1
//
// So are the pointers that a structure's steps exchange; of these, in loops that are left when what
// a sweep has computed says so, whose steps run ahead:
//
//     do { ...; swap(s->u, s->v); } while (change > tolerance);
//
// those that a local structure's members change places with pointers in registers, as Rust's vectors
// do of which one was collected and the other one is made by a call; the change itself, where a
// step leaves it in an argument for the test of the next one; and the pointers and sizes of
// containers that each step makes anew (step_storage.cpp): what such loops need of sizes is read
// before them.
//
// Produces: the variable in registers in loops around other loops, where nothing else may touch
// it, and in loops inside of others, which only leave numbers in it; it is read before such a loop,
// and written behind it: the value that the loop leaves is said with what was known before, so that
// no loop need run for its counters' sake; also of counters that were in registers. Numbers that a
// loop leaves in another way are carried out of it as they are.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "look.h"
#include "plain_streams.h"
#include "step_storage.h"
#include "stretches.h"
#include "touches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// Loops inside of loops, and phis behind phis.
constexpr unsigned MaxDepth = 8;
/// Blocks that are looked at behind a check that fails.
constexpr unsigned MostBlocks = 512;

/// A variable, and the accesses of a loop to it.
struct Cell {
  Value *At;
  Type *Ty;
  Align Alignment;
  AAMDNodes Tags;
  SmallVector<Instruction *, 8> Accesses;
  /// Nobody else can look at it meanwhile.
  bool IsOwn = false;
};

/// Both lead to the same place, each by its own way.
bool isSamePlace(const Value *X, const Value *Y, const DataLayout &DL) {
  auto Of = [&](const Value *At) {
    APInt Offset(DL.getIndexTypeSizeInBits(At->getType()), 0);
    const Value *Base =
        At->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    return std::pair(Base, Offset.getSExtValue());
  };
  return X == Y || Of(X) == Of(Y);
}

/// It is made from what the variable was, and not from what lies elsewhere: members that are
/// exchanged with others are followed as such.
bool goesOnFrom(const Value *V, const Value *At, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return true;
  if (auto *Load = dyn_cast<LoadInst>(I))
    return isSamePlace(Load->getPointerOperand(), At, Load->getDataLayout());
  return Depth && isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I) &&
         all_of(I->operands(), [&](const Use &U) { return goesOnFrom(U, At, Depth - 1); });
}

/// A number that an inner loop leaves, or what is computed of it.
bool isLeft(const Value *V, const Loop &L, const LoopInfo &LI,
            SmallPtrSetImpl<const Value *> &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || !Seen.insert(I).second)
    return false;
  return LI.getLoopFor(I->getParent()) != &L || any_of(I->operands(), [&](const Use &U) {
           return isLeft(U, L, LI, Seen);
         });
}

/// The loop is left when a comparison of such a number says so.
bool isDecided(const Loop &L, const LoopInfo &LI) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const BasicBlock *B) {
    auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    if (!Branch || !Branch->isConditional() || LI.getLoopFor(B) != &L)
      return false;
    SmallSetVector<const Value *, 16> Work;
    Work.insert(Branch->getCondition());
    for (size_t At = 0; At < Work.size() && At < 2 * MaxDepth; ++At) {
      auto *I = dyn_cast<Instruction>(Work[At]);
      if (!I || LI.getLoopFor(I->getParent()) != &L)
        continue;
      SmallPtrSet<const Value *, 16> Seen;
      if (isa<FCmpInst>(I) && isLeft(I, L, LI, Seen))
        return true;
      if (isa<BinaryOperator, SelectInst, CastInst, ICmpInst, PHINode>(I))
        Work.insert_range(I->operand_values());
    }
    return false;
  });
}

/// It is what a variable in a register is at the start of a step.
bool isStepsOwn(const Value *V, const Loop &L) {
  auto *Phi = dyn_cast<PHINode>(V);
  return Phi && Phi->getParent() == L.getHeader();
}

/// A place in what the function has been handed by reference: it is there until the function
/// returns, so that no block which a step frees holds it.
bool isHanded(const Value *At, const DataLayout &DL) {
  auto *Handed = dyn_cast<Argument>(getUnderlyingObject(At));
  bool MayBeNull, MayBeFreed;
  return Handed && Handed->getPointerDereferenceableBytes(DL, MayBeNull, MayBeFreed) > 0 &&
         !MayBeNull && isDereferenceablePointer(At, Type::getInt8Ty(At->getContext()), DL);
}

/// Each step puts a pointer that it has in a register into a local structure, or into one that the
/// function was handed: a pointer that it had from there, most often, two steps ago.
bool takesTurns(const Loop &L, const LoopInfo &LI) {
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return LI.getLoopFor(B) == &L && any_of(*B, [&](const Instruction &I) {
             auto *Store = dyn_cast<StoreInst>(&I);
             return Store && Store->getValueOperand()->getType()->isPointerTy() &&
                    isStepsOwn(Store->getValueOperand(), L) &&
                    (isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand())) ||
                     isHanded(Store->getPointerOperand(), Store->getDataLayout()));
           });
  });
}

/// What becomes of members of structures.
enum class Members {
  /// They stay in memory but for counters.
  Stay,
  /// Members that are exchanged with one another are followed.
  Exchanged,
  /// They are whatever a step says, which allocates and frees.
  Renewed
};

bool isStorageCall(const Instruction &I, const TargetLibraryInfo &TLI) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (isAllocLikeFn(Call, &TLI) || getFreedOperand(Call, &TLI) || isMarkOfRust(Call));
}

/// Each step may allocate what it works in, and free it or what another one did.
bool isRenewed(const Loop &L, const LoopInfo &LI, const TargetLibraryInfo &TLI) {
  auto Any = [&](auto Is) {
    return any_of(L.blocks(), [&](const BasicBlock *B) {
      return LI.getLoopFor(B) == &L && any_of(*B, Is);
    });
  };
  return Any([&](const Instruction &I) { return isAllocLikeFn(&I, &TLI); }) &&
         Any([&](const Instruction &I) {
           auto *Call = dyn_cast<CallBase>(&I);
           return Call && getFreedOperand(Call, &TLI);
         });
}

/// Has an allocation that may throw out of the function go through a landing pad, behind which
/// what is kept in registers meanwhile is written. True if there was one in `L`.
bool landThrows(Loop &L, LoopInfo &LI, const TargetLibraryInfo &TLI, DomTreeUpdater &DTU) {
  Function &F = *L.getHeader()->getParent();
  Function *Personality = F.getParent()->getFunction("__gxx_personality_v0");
  if (!Personality || F.doesNotThrow() ||
      (F.hasPersonalityFn() && F.getPersonalityFn() != Personality) ||
      none_of(L.blocks(), [&](const BasicBlock *B) {
        return LI.getLoopFor(B) == &L && any_of(*B, [&](const Instruction &I) {
                 auto *Store = dyn_cast<StoreInst>(&I);
                 return Store && isHanded(Store->getPointerOperand(), F.getDataLayout());
               });
      }))
    return false;
  SmallVector<CallInst *, 2> Throwing;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && isAllocLikeFn(Call, &TLI) && Call->mayThrow())
        Throwing.push_back(Call);
  for (CallInst *Call : Throwing) {
    Loop *In = LI.getLoopFor(Call->getParent());
    F.setPersonalityFn(Personality);
    auto *Pad = BasicBlock::Create(F.getContext(), "thrown", &F);
    IRBuilder<> B(Pad);
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    Type *Thrown = StructType::get(B.getPtrTy(), B.getInt32Ty());
    LandingPadInst *Landed = B.CreateLandingPad(Thrown, 0);
    Landed->setCleanup(true);
    B.CreateResume(Landed);
    In->addBasicBlockToLoop(changeToInvokeAndSplitBasicBlock(Call, Pad, &DTU), LI);
  }
  return !Throwing.empty();
}

/// What stands behind it is reached, as behind the library's output.
bool comesBack(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return (!I.mayThrow() && I.willReturn()) || (Call && touchesArgumentsOnly(*Call));
}

/// Nobody but the loop's own loads and stores of the whole touches it there. `Touching`: what
/// touches memory in the loop, or may not come back, calls first.
std::optional<Cell> cellAt(const Loop &L, StoreInst &First, ArrayRef<Instruction *> Touching,
                           const LoopInfo &LI, BatchAAResults &AA, const TargetLibraryInfo &TLI,
                           Members Followed) {
  Value *At = First.getPointerOperand();
  Type *Ty = First.getValueOperand()->getType();
  bool IsChange = Ty->isFloatingPointTy();
  if (!Ty->isIntegerTy() && !IsChange && !(Followed != Members::Stay && Ty->isPointerTy()))
    return std::nullopt;
  bool Moved = false;
  if (isa<GetElementPtrInst>(At) && cast<GetElementPtrInst>(At)->hasAllConstantIndices())
    L.makeLoopInvariant(At, Moved);
  Cell Found{At, Ty, At->getPointerAlignment(First.getDataLayout()), First.getAAMetadata(), {}};
  auto *Local = dyn_cast<AllocaInst>(At);
  auto *Global = dyn_cast<GlobalVariable>(At);
  Found.IsOwn = isa<AllocaInst>(getUnderlyingObject(At));
  // A structure's first member begins where the structure does.
  const DataLayout &DL = First.getDataLayout();
  bool IsWhole = (Local && Local->getAllocationSize(DL) == DL.getTypeStoreSize(Ty)) ||
                 (Global && Global->getValueType() == Ty);
  if (!IsWhole)
    Found.Alignment = First.getAlign();
  // One that the loop itself makes is another in each iteration.
  if (!L.isLoopInvariant(At) || (Global && Global->isThreadLocal()))
    return std::nullopt;
  SmallVector<const Instruction *, 8> Doubtful;
  // Where a call does not come back, nobody is left who could look at a local variable, but behind
  // the landing pad of one that throws, and the loop is left there.
  bool IsHidden = Found.IsOwn && Followed != Members::Stay;
  // Neither in a block that is freed, nor of the library's.
  bool IsApart = Followed == Members::Renewed &&
                 (isIdentifiedFunctionLocal(getUnderlyingObject(At)) || isHanded(At, DL));
  // Of a structure's members only those that the steps themselves change.
  auto Follows = [&](const StoreInst &Store) {
    if (IsWhole)
      return true;
    Value *Stored = const_cast<Value *>(Store.getValueOperand());
    if (LI.getLoopFor(Store.getParent()) != &L)
      return false;
    SmallPtrSet<const Value *, 16> Seen;
    return IsChange ? isLeft(Stored, L, LI, Seen)
                    : Followed != Members::Stay || goesOnFrom(Stored, At, MaxDepth);
  };
  if (!Follows(First))
    return std::nullopt;
  for (Instruction *I : Touching) {
    if (auto *Pointer = getLoadStorePointerOperand(I);
        Pointer && isSamePlace(Pointer, At, DL)) {
      if (I->isVolatile() || I->isAtomic() || getLoadStoreType(I) != Ty)
        return std::nullopt;
      Found.Accesses.push_back(I);
      auto *Store = dyn_cast<StoreInst>(I);
      if (Store && !Follows(*Store))
        return std::nullopt;
      if (!IsWhole)
        Found.Alignment = std::min(Found.Alignment, getLoadStoreAlignment(I));
      Found.Tags = Found.Tags.merge(I->getAAMetadata());
    } else if (IsApart && isStorageCall(*I, TLI) &&
               (isa<InvokeInst>(I) || !I->mayThrow() || Found.IsOwn ||
                I->getFunction()->doesNotThrow())) {
      continue;
    } else if (!(comesBack(*I) || IsHidden)) {
      return std::nullopt;
    } else if (mayTouch(*I, MemoryLocation::get(&First), AA)) {
      // Types say nothing of what a call does.
      if (!IsWhole || (isa<CallBase>(I) && !I->hasMetadata(LLVMContext::MD_tbaa)))
        return std::nullopt;
      Doubtful.push_back(I);
    }
  }
  // What types say of one access to a variable as it was declared holds for all of them.
  for (const Instruction *I : Doubtful)
    if (none_of(Found.Accesses, [&](const Instruction *Access) {
          return !mayTouch(*I, MemoryLocation::get(Access), AA);
        }))
      return std::nullopt;
  // Of what a sweep computes, only those that a later step asks for.
  auto IsComputed = [&](const Instruction *I) {
    auto *Store = dyn_cast<StoreInst>(I);
    SmallPtrSet<const Value *, 16> Seen;
    return Store && isLeft(Store->getValueOperand(), L, LI, Seen);
  };
  if (IsChange && any_of(Found.Accesses, IsComputed) &&
      none_of(Found.Accesses, [](const Instruction *I) { return isa<LoadInst>(I); }))
    return std::nullopt;
  return Found;
}

/// Each iteration comes there, but for one that ends with the header's test.
bool isMetAtOnce(ArrayRef<Instruction *> Accesses, const Loop &L, const DominatorTree &DT) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Accesses, [&](const Instruction *I) {
    const BasicBlock *B = I->getParent();
    return DT.dominates(B, L.getLoopLatch()) && all_of(Exiting, [&](const BasicBlock *E) {
             return E == L.getHeader() ? B != E : DT.dominates(B, E);
           });
  });
}

/// Reads before the loop what nothing in it changes: of variables that everybody knows, which
/// LLVM can't say of those that output may not know; and, if `All`, the sizes that storage is
/// asked for by, whoever has them. What types say of one access to a variable as it was declared,
/// or of one in each iteration, holds for the place, whatever they say of others that were inlined.
bool readBeforehand(Loop &L, BatchAAResults &AA, const TargetLibraryInfo &TLI,
                    const DominatorTree &DT, bool All) {
  BasicBlock *Preheader = L.getLoopPreheader();
  if (!Preheader || !L.getLoopLatch())
    return false;
  auto Stays = [&](const MemoryLocation &Place) {
    return all_of(L.blocks(), [&](const BasicBlock *B) {
      return all_of(*B, [&](const Instruction &I) {
        return !I.mayWriteToMemory() || (All && isStorageCall(I, TLI)) || !mayTouch(I, Place, AA);
      });
    });
  };
  auto IsOf = [&](const Value *Object) {
    auto *Global = dyn_cast<GlobalVariable>(Object);
    return Global ? !Global->isThreadLocal() : All && isa<AllocaInst, Argument>(Object);
  };
  MapVector<std::pair<Value *, Type *>, SmallVector<LoadInst *, 4>> Places;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (Load->isSimple() && Load->getType()->isIntegerTy() &&
            IsOf(getUnderlyingObject(Load->getPointerOperand())) &&
            isDereferenceableAndAlignedPointer(Load->getPointerOperand(), Load->getType(),
                                               Load->getAlign(), Load->getDataLayout()))
          Places[{Load->getPointerOperand(), Load->getType()}].push_back(Load);
  bool Changed = false;
  for (auto &[Place, Loads] : Places) {
    auto IsSteady = [&](LoadInst *Load) { return Stays(MemoryLocation::get(Load)); };
    auto *Global = dyn_cast<GlobalVariable>(Place.first);
    bool IsDeclared = Global && Global->getValueType() == Place.second;
    auto *Witness = find_if(Loads, [&](LoadInst *Load) {
      return (IsDeclared || isMetAtOnce({Load}, L, DT)) && IsSteady(Load);
    });
    MDNode *Said = Witness == Loads.end() ? nullptr : (*Witness)->getMetadata(LLVMContext::MD_tbaa);
    for (LoadInst *Load : Loads) {
      bool Moved = false, Steady = IsSteady(Load);
      if (!(Witness != Loads.end() || Steady) ||
          !L.makeLoopInvariant(Load->getPointerOperand(), Moved))
        continue;
      Load->moveBefore(Preheader->getTerminator()->getIterator());
      Load->dropUBImplyingAttrsAndMetadata({LLVMContext::MD_tbaa});
      if (!Steady)
        Load->setMetadata(LLVMContext::MD_tbaa, Said);
      Changed = true;
    }
  }
  return Changed;
}

/// What is exchanged with something else stays with it in memory.
void dropOthers(SmallVectorImpl<Cell> &Cells, const Loop &L) {
  auto IsHere = [&](const LoadInst &Load) {
    return any_of(Cells, [&](const Cell &C) {
      return isSamePlace(C.At, Load.getPointerOperand(), Load.getDataLayout());
    });
  };
  auto GoesOn = [&](const Cell &C) {
    return C.Ty->isFloatingPointTy() || all_of(C.Accesses, [&](const Instruction *I) {
      auto *Store = dyn_cast<StoreInst>(I);
      if (!Store || goesOnFrom(Store->getValueOperand(), C.At, MaxDepth) ||
          ((C.IsOwn || isHanded(C.At, Store->getDataLayout())) &&
           isStepsOwn(Store->getValueOperand(), L)))
        return true;
      auto *Load = dyn_cast<LoadInst>(Store->getValueOperand());
      return Load && IsHere(*Load);
    });
  };
  for (bool Again = true; Again;) {
    size_t Before = Cells.size();
    auto Others = make_filter_range(Cells, GoesOn);
    SmallVector<Cell, 4> Kept(Others.begin(), Others.end());
    Cells.assign(Kept.begin(), Kept.end());
    Again = Cells.size() < Before;
  }
}

/// Loads and stores become values; what is there in the end is stored behind the loop.
class Promoter : public LoadAndStorePromoter {
public:
  Promoter(const Cell &Of, SSAUpdater &Updater, ArrayRef<BasicBlock *> Exits)
      : LoadAndStorePromoter(Of.Accesses, Updater, Of.At->getName()), Of(Of), Updater(Updater),
        Exits(Exits) {}

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

  /// What it is in the last iterations of the loops that are being followed.
  Value *expandedAtLast(const SCEV *S) {
    return expanded(isa<SCEVCouldNotCompute>(S)
                        ? S
                        : SCEVLoopAddRecRewriter::rewrite(S, Iterations, SE));
  }

  /// `At`: the loop in whose iterations it is asked for; loops inside have ended then.
  std::optional<Change> change(Value *V, Loop *At, unsigned Depth) {
    if (V == Before || is_contained(Open, V))
      return Change{nullptr, nullptr, V};
    if (!SE.isSCEVable(V->getType()))
      return std::nullopt;
    if (Value *Known = expandedAtLast(SE.getSCEVAtScope(V, At)))
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
    // How often an inner loop runs does not depend on the iteration of the one around it.
    const SCEV *Turns = SE.getBackedgeTakenCount(Of);
    Value *Count = expanded(Turns);
    if (!Count || Iterations.contains(Of))
      return std::nullopt;
    std::optional<Change> Start = change(Phi->getIncomingValueForBlock(Of->getLoopPreheader()),
                                         Of->getParentLoop(), Depth - 1);
    Open.push_back(Phi);
    Iterations[Of] = SE.getMinusSCEV(Turns, SE.getOne(Turns->getType()));
    std::optional<Change> Last =
        change(Phi->getIncomingValueForBlock(Of->getLoopLatch()), Of, Depth - 1);
    Iterations.erase(Of);
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
  /// Which iteration is meant of the loops that hold what is asked for.
  LoopToScevMapT Iterations;
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

/// What a value of the header is before the first iteration; null where that takes more than
/// arithmetic and comparisons.
Value *atFirst(Value *V, const Loop &L, IRBuilderBase &B, unsigned Depth) {
  if (L.isLoopInvariant(V))
    return V;
  auto *I = cast<Instruction>(V);
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Phi->getParent() == L.getHeader() ? Phi->getIncomingValueForBlock(L.getLoopPreheader())
                                             : nullptr;
  if (!Depth || !isa<BinaryOperator, CmpInst, SelectInst, CastInst>(I) ||
      !isSafeToSpeculativelyExecute(I))
    return nullptr;
  SmallVector<Value *, 3> Operands;
  for (Value *Operand : I->operands()) {
    Operands.push_back(atFirst(Operand, L, B, Depth - 1));
    if (!Operands.back())
      return nullptr;
  }
  Instruction *Copy = I->clone();
  for (auto [At, Operand] : enumerate(Operands))
    Copy->setOperand(At, Operand);
  return B.Insert(Copy);
}

/// What the header's test says before the first iteration; null where that can't be said.
Value *isEntered(const Loop &L, IRBuilderBase &B) {
  auto *Branch = dyn_cast<BranchInst>(L.getHeader()->getTerminator());
  if (!Branch || !Branch->isConditional())
    return nullptr;
  Value *Says = atFirst(Branch->getCondition(), L, B, MaxDepth);
  return Says && !L.contains(Branch->getSuccessor(0)) ? B.CreateNot(Says) : Says;
}

/// The variable before the loop: it may be read where it is known to be there, and where the
/// loop is about to read it.
Value *readBefore(const Cell &Of, Loop &L, LoopInfo &LI, DomTreeUpdater &DTU) {
  Instruction *End = L.getLoopPreheader()->getTerminator();
  IRBuilder<> B(End);
  bool IsThere = isDereferenceableAndAlignedPointer(
      Of.At, Of.Ty, Of.Alignment, End->getDataLayout(), End, nullptr, &DTU.getDomTree());
  bool IsReadFirst = any_of(Of.Accesses, [&](const Instruction *I) {
    return I->getParent() == L.getHeader();
  });
  if (!IsThere && !IsReadFirst && !isMetAtOnce(Of.Accesses, L, DTU.getDomTree()))
    return nullptr;
  IsThere |= !L.isLoopExiting(L.getHeader()) || IsReadFirst;
  Instruction *At = End;
  if (!IsThere) {
    Value *Entered = isEntered(L, B);
    if (!Entered)
      return nullptr;
    At = SplitBlockAndInsertIfThen(Entered, End->getIterator(), false, nullptr, &DTU, &LI);
  }
  B.SetInsertPoint(At);
  LoadInst *Before = B.CreateAlignedLoad(Of.Ty, Of.At, Of.Alignment);
  Before->setAAMetadata(Of.Tags);
  if (IsThere)
    return Before;
  B.SetInsertPoint(End->getParent(), End->getParent()->begin());
  PHINode *Either = B.CreatePHI(Of.Ty, 2);
  for (BasicBlock *From : predecessors(End->getParent()))
    Either->addIncoming(From == At->getParent() ? cast<Value>(Before)
                                                : Constant::getNullValue(Of.Ty),
                        From);
  return Either;
}

/// Where a loop is left for `Exit`, a check has failed, and nobody looks at the variable any more.
bool isLost(const Cell &Of, const Loop &L, const BasicBlock &Exit, CaptureAnalysis &Told) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  auto LooksAt = [&](const User *U, const BasicBlock &B) {
    auto *I = cast<Instruction>(U);
    return I->getParent() == &B && !I->isLifetimeStartOrEnd();
  };
  // Nor by another name.
  auto IsPlain = [](const User *U) {
    return isa<LoadInst, StoreInst>(U) || (isa<CallBase>(U) && !U->getType()->isPointerTy());
  };
  return isa<AllocaInst>(Of.At) && all_of(Of.At->users(), IsPlain) && isFailure(Exit, L) &&
         capturesNothing(Told.getCapturesBefore(Of.At, &Exit.front(), /*OrAt=*/false)) &&
         walkOut(Exit, L, MostBlocks, Seen, [&](const BasicBlock &B) {
           return none_of(Of.At->users(), [&](const User *U) { return LooksAt(U, B); });
         });
}

/// Numbers that a loop only leaves behind: what it counts with, in a variable of a module.
bool isOnlyLeft(const Cell &C) {
  return C.Ty->isIntegerTy() &&
         all_of(C.Accesses, [](const Instruction *I) { return isa<StoreInst>(I); });
}

bool promote(Loop &L, ScalarEvolution &SE, LoopInfo &LI, AAResults &AA,
             const TargetLibraryInfo &TLI, DomTreeUpdater &DTU) {
  auto Followed = L.isInnermost()                         ? Members::Stay
                  : isRenewed(L, LI, TLI)                 ? Members::Renewed
                  : isDecided(L, LI) || takesTurns(L, LI) ? Members::Exchanged
                                                              : Members::Stay;
  bool Changed = Followed == Members::Renewed && landThrows(L, LI, TLI, DTU);
  SmallVector<BasicBlock *, 2> Exits;
  L.getUniqueExitBlocks(Exits);
  if (!L.isLoopSimplifyForm() || any_of(Exits, [&](BasicBlock *B) {
        return B->isEHPad() && !(Followed != Members::Stay && B->isLandingPad());
      }))
    return Changed;
  SmallVector<Cell, 4> Cells;
  SmallPtrSet<Value *, 8> Seen;
  // Who prints a counter behind the loop is told of it then.
  EarliestEscapeAnalysis Told(DTU.getDomTree(), &LI);
  BatchAAResults Apart(AA, &Told);
  if (!L.isInnermost())
    Changed |= readBeforehand(L, Apart, TLI, DTU.getDomTree(), Followed == Members::Renewed);
  SmallVector<Instruction *, 64> Touching;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (I.mayReadOrWriteMemory() || !comesBack(I))
        Touching.push_back(&I);
  std::stable_partition(Touching.begin(), Touching.end(),
                        [](const Instruction *I) { return isa<CallBase>(I); });
  for (Instruction *I : Touching)
    if (auto *Store = dyn_cast<StoreInst>(I))
      if (Store->isSimple() && Seen.insert(Store->getPointerOperand()).second &&
          none_of(Cells, [&](const Cell &C) { return is_contained(C.Accesses, Store); }))
        if (std::optional<Cell> Found =
                cellAt(L, *Store, Touching, LI, Apart, TLI, Followed))
          Cells.push_back(std::move(*Found));
  if (Followed == Members::Exchanged)
    dropOthers(Cells, L);
  // What it adds up in memory is a sweep's.
  if (L.isInnermost())
    erase_if(Cells, [](const Cell &C) { return !isOnlyLeft(C); });
  for (const Cell &Each : Cells) {
    Value *Before = readBefore(Each, L, LI, DTU);
    if (!Before)
      continue;
    Changed = true;
    SmallVector<BasicBlock *, 2> Behind = Exits;
    erase_if(Behind, [&](BasicBlock *Exit) { return isLost(Each, L, *Exit, Told); });
    SmallVector<Value *, 2> Written;
    if (!Each.IsOwn)
      Written = written(Each, L, Behind);
    SSAUpdater Updater;
    // It begins with an updater that knows nothing.
    Promoter Uses(Each, Updater, Behind);
    Updater.AddAvailableValue(L.getLoopPreheader(), Before);
    Uses.run(Each.Accesses);
    SE.forgetLoop(&L);
    for (auto [Index, Store] : enumerate(Uses.Stores)) {
      if (SE.isSCEVable(Each.Ty))
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
  return Changed;
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
      RecursivelyDeleteDeadPHINode(Counter);
      Changed = true;
    }
  }
  return Changed;
}

/// What an innermost loop has counted is said by how often it runs, where no check has failed: the
/// length of a vector that a sweep has made, which the checks of another one ask for.
bool sayCounted(Loop &L, const LoopInfo &LI, ScalarEvolution &SE, const TargetTransformInfo &TTI) {
  constexpr unsigned MostCost = 4;
  auto IsAskedFor = [&](const PHINode &Phi) {
    return any_of(Phi.users(), [&](const User *U) {
      const Loop *In = LI.getLoopFor(cast<Instruction>(U)->getParent());
      return isa<ICmpInst>(U) && In && In != &L && In != L.getParentLoop() &&
             L.getParentLoop()->contains(In);
    });
  };
  if (!L.isLoopSimplifyForm())
    return false;
  SmallVector<Loop::Edge, 4> Edges;
  L.getExitEdges(Edges);
  bool Changed = false;
  SCEVExpander Expander(SE, "counted");
  for (auto [From, Exit] : Edges) {
    if (Exit->getUniquePredecessor() != From || Exit->isEHPad())
      continue;
    const SCEV *Rounds = SE.getExitCount(&L, From);
    if (isa<SCEVCouldNotCompute>(Rounds))
      continue;
    Instruction *Behind = &*Exit->getFirstInsertionPt();
    for (PHINode &Phi : make_early_inc_range(Exit->phis())) {
      Value *V = Phi.getIncomingValue(0);
      auto *Counter = Phi.getType()->isIntegerTy()
                          ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V))
                          : nullptr;
      if (!Counter || Counter->getLoop() != &L || !Counter->isAffine() || !IsAskedFor(Phi))
        continue;
      const SCEV *Left = Counter->evaluateAtIteration(Rounds, SE);
      if (!SE.isLoopInvariant(Left, &L) || !Expander.isSafeToExpandAt(Left, Behind) ||
          Expander.isHighCostExpansion(Left, &L, MostCost, &TTI, Behind))
        continue;
      Value *Known = Expander.expandCodeFor(Left, Phi.getType(), Behind->getIterator());
      Phi.replaceAllUsesWith(Known);
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
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  DomTreeUpdater DTU(DT, DomTreeUpdater::UpdateStrategy::Eager);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (!L->isInnermost()) {
      // Once the change is a value, it is known what decides.
      if (promote(*L, SE, LI, AA, TLI, DTU)) {
        Changed = true;
        promote(*L, SE, LI, AA, TLI, DTU);
      }
      Changed |= replaceLeft(*L, SE, LI);
    } else if (L->getParentLoop()) {
      Changed |= promote(*L, SE, LI, AA, TLI, DTU);
      Changed |= sayCounted(*L, LI, SE, TTI);
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses SayWhatIsLeft::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (!L->isInnermost())
      Changed |= replaceLeft(*L, SE, LI);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
