//===- stack_arrays.cpp - Arrays that each step has on the stack -----------===//
//
// Consumes: a working copy with loops in simplified form, in which each step of a loop makes
// arrays on the stack, as C's arrays of variable length and Fortran's automatic ones are, and as
// the host's inliner leaves those of a function that each step calls:
//
//     for (t = 0; t < steps; t++) {
//         s = stacksave();
//         w = alloca(size);
//         sweep(u, w), sweep(w, u);
//         stackrestore(s);
//     }
//
// Produces: two loops, of which the first has its arrays from the heap, for all of its steps. The
// second one is the loop as it was, for the case that there is no such memory:
//
//     w = malloc(size);
//     if (w) {
//         for (...)
//             sweep(u, w), sweep(w, u);
//         free(w);
//     } else
//         for (...) ...
//
// The same of what a step has from `malloc` and gives back, as flang's temporaries are, where
// step_storage.cpp has not kept it, or that did not help: there the first step is a rare one, which
// a loop that also calls something has no place for.
//
// Why it may: an array holds nothing when it is made, and is nobody's when the stack has been
// restored; a step makes it once. Where what is read in a step (a size that is handed on by its
// address) is needed before the first one, it is read only if there is a first one, which does so
// before anything else.
//
// Refuses arrays whose sizes are not known before the loop or may change in it, those that are
// still there when a step is done, and loops that an exception may leave past the memory's end.
//
//===----------------------------------------------------------------------===//

#include "stack_arrays.h"
#include "copied_blocks.h"
#include "rare_paths.h"
#include "taken.h"
#include "turns.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <utility>

using namespace llvm;

namespace hexpass {
namespace {

/// Instructions of a loop that is copied.
constexpr unsigned MaxLoop = 6000;
/// Operations that a size is made of, at most.
constexpr unsigned MaxOfSize = 64;
/// What `malloc` aligns to.
constexpr uint64_t HeapAlign = 16;

bool isStack(const Instruction &I, Intrinsic::ID Does) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getIntrinsicID() == Does;
}

/// Does nothing, but that something is known of it.
bool saysOnly(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->isAssumeLikeIntrinsic();
}

/// The stack arrays of one loop.
class StackArrays {
public:
  StackArrays(Loop &L, Function &F, FunctionAnalysisManager &FAM)
      : L(L), F(F), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), AA(FAM.getResult<AAManager>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)), B(F.getContext()) {}

  /// False: there are none, or they can't be kept.
  bool find();
  /// The header of the loop as it was.
  BasicBlock *keep();

private:
  bool isDirect(const Instruction &I) const { return LI.getLoopFor(I.getParent()) == &L; }
  bool comesRound(const BasicBlock &At) const;
  bool isLent(const Instruction &I) const;
  bool alwaysMeets(const Instruction &Array, ArrayRef<Instruction *> Ends) const;
  bool endsWithStep(const Instruction &Array) const;
  bool findRestores(Instruction &Save);
  bool staysInside(const Instruction &Array) const;
  bool isPlain(const Instruction &Array);
  bool mayThrow() const;
  void findFirst();
  bool isReadFirst(const LoadInst &Load) const;
  bool isSteady(const LoadInst &Load) const;
  bool findSize(Value *V);
  bool canEnter() const;

  Value *before(Value *V) const;
  Value *sizeOf(const Instruction &Array);
  void compute();
  void free(Value &Made);
  void enter(BasicBlock *Plain);
  void leave();

  Loop &L;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  AAResults &AA;
  const TargetLibraryInfo &TLI;
  IRBuilder<> B;
  SmallVector<Instruction *, 4> Arrays;
  SmallVector<Instruction *, 4> Saves, Restores;
  /// What sizes are computed by in the loop, in order.
  SmallSetVector<Instruction *, 16> Sizes;
  /// What the first step reads in any case, before it does anything else.
  SmallVector<const LoadInst *, 16> First;
  /// One of `Sizes` may be read only if there is a first step.
  bool Asks = false;
  /// In the heap.
  SmallVector<Value *, 4> Kept;
  DenseMap<Value *, Value *> Before;
};

/// Within one step, a block may run twice.
bool StackArrays::comesRound(const BasicBlock &At) const {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work(successors(&At));
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (!L.contains(Next) || Next == L.getHeader() || !Seen.insert(Next).second)
      continue;
    if (Next == &At)
      return true;
    append_range(Work, successors(Next));
  }
  return false;
}

/// A step has it from the heap.
bool StackArrays::isLent(const Instruction &I) const {
  auto *Call = dyn_cast<CallInst>(&I);
  LibFunc Known;
  return Call && Call->getCalledFunction() &&
         TLI.getLibFunc(*Call->getCalledFunction(), Known) && Known == LibFunc_malloc;
}

/// From the array on, a step always comes to one of `Ends`.
bool StackArrays::alwaysMeets(const Instruction &Array, ArrayRef<Instruction *> Ends) const {
  SmallPtrSet<const BasicBlock *, 16> Ending, Seen;
  for (const Instruction *End : Ends)
    if (End->getParent() != Array.getParent() || Array.comesBefore(End))
      Ending.insert(End->getParent());
  SmallVector<const BasicBlock *, 16> Work{Array.getParent()};
  while (!Work.empty()) {
    const BasicBlock *At = Work.pop_back_val();
    if (Ending.contains(At) || !L.contains(At) || !Seen.insert(At).second)
      continue;
    if (At == L.getLoopLatch())
      return false;
    append_range(Work, successors(At));
  }
  return true;
}

/// When a step is done, the stack has always been restored to where it was before the array, or
/// that has been given back.
bool StackArrays::endsWithStep(const Instruction &Array) const {
  if (isLent(Array)) {
    SmallVector<Instruction *, 4> Frees;
    for (const User *U : Array.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && getFreedOperand(Call, &TLI) == &Array)
        Frees.push_back(const_cast<CallBase *>(Call));
    return all_of(Frees, [&](Instruction *Free) {
      LibFunc Known;
      auto *Call = dyn_cast<CallInst>(Free);
      return Call && isDirect(*Call) && TLI.getLibFunc(*Call->getCalledFunction(), Known) &&
             Known == LibFunc_free;
    }) && alwaysMeets(Array, Frees);
  }
  return any_of(Saves, [&](Instruction *Save) {
    SmallVector<Instruction *, 4> Ends;
    copy_if(Restores, std::back_inserter(Ends),
            [&](Instruction *Restore) { return Restore->getOperand(0) == Save; });
    return DT.dominates(Save, &Array) && alwaysMeets(Array, Ends);
  });
}

/// In the loop it serves nothing but to restore the stack.
bool StackArrays::findRestores(Instruction &Save) {
  return all_of(Save.users(), [&](User *U) {
    auto *I = cast<Instruction>(U);
    if (!L.contains(I))
      return true;
    if (!isStack(*I, Intrinsic::stackrestore))
      return false;
    Restores.push_back(I);
    return true;
  });
}

/// Nobody looks at the array behind the loop.
bool StackArrays::staysInside(const Instruction &Array) const {
  return all_of(Array.users(), [&](const User *U) { return L.contains(cast<Instruction>(U)); });
}

/// The heap has such an array, of a size that is known before the loop.
bool StackArrays::isPlain(const Instruction &Array) {
  auto *OnStack = dyn_cast<AllocaInst>(&Array);
  if (!OnStack)
    return findSize(Array.getOperand(0));
  return !OnStack->isUsedWithInAlloca() && !OnStack->isSwiftError() &&
         OnStack->getAddressSpace() == 0 && OnStack->getAlign().value() <= HeapAlign &&
         !OnStack->getAllocatedType()->isScalableTy() && findSize(OnStack->getOperand(0));
}

/// In C++, where what the heap has lent would not come back. Other languages' functions don't say
/// that they must come to an end.
bool StackArrays::mayThrow() const {
  if (F.doesNotThrow() || !F.mustProgress())
    return false;
  return any_of(L.blocks(), [](const BasicBlock *In) {
    return any_of(*In, [](const Instruction &I) { return I.mayThrow(); });
  });
}

/// What is read on the way that the first step takes in any case.
void StackArrays::findFirst() {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  const BasicBlock *At = L.getHeader();
  while (At && L.contains(At) && Seen.insert(At).second) {
    for (const Instruction &I : *At) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        First.push_back(Load);
      if (!isGuaranteedToTransferExecutionToSuccessor(&I))
        return;
    }
    const BasicBlock *Next = At->getSingleSuccessor();
    if (At == L.getHeader() && !Next) {
      auto Inside = make_filter_range(successors(At), [&](auto *To) { return L.contains(To); });
      Next = range_size(Inside) == 1 ? *Inside.begin() : nullptr;
    }
    At = Next;
  }
}

bool StackArrays::isReadFirst(const LoadInst &Load) const {
  return any_of(First, [&](const LoadInst *One) {
    return One->getPointerOperand() == Load.getPointerOperand() &&
           One->getType() == Load.getType() && One->getAlign() >= Load.getAlign();
  });
}

/// Nothing in the loop writes what is read.
bool StackArrays::isSteady(const LoadInst &Load) const {
  if (!Load.isSimple())
    return false;
  MemoryLocation Place = MemoryLocation::get(&Load);
  return none_of(L.blocks(), [&](BasicBlock *In) {
    return any_of(*In, [&](Instruction &I) {
      return I.mayWriteToMemory() && !is_contained(Saves, &I) && !is_contained(Restores, &I) &&
             !saysOnly(I) && isModSet(AA.getModRefInfo(&I, Place));
    });
  });
}

/// What `V` is computed by can be computed before the loop.
bool StackArrays::findSize(Value *V) {
  auto *I = dyn_cast<Instruction>(throughExits(V));
  if (!I || L.isLoopInvariant(I) || Sizes.contains(I))
    return true;
  if (isa<PHINode>(I) || Sizes.size() >= MaxOfSize ||
      !all_of(I->operands(), [&](Value *Of) { return findSize(Of); }))
    return false;
  Instruction *At = L.getLoopPreheader()->getTerminator();
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!isSteady(*Load))
      return false;
    if (!isSafeToSpeculativelyExecute(Load, At, /*AC=*/nullptr, &DT, &TLI)) {
      Asks = true;
      if (!isReadFirst(*Load))
        return false;
    }
  } else if (I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I))
    return false;
  Sizes.insert(I);
  return true;
}

/// Whether there is a first step can be asked before the loop: what its head computes may be
/// computed twice.
bool StackArrays::canEnter() const {
  if (!Asks)
    return true;
  BasicBlock *Header = L.getHeader();
  auto *Ends = dyn_cast<BranchInst>(Header->getTerminator());
  return Ends && all_of(*Header, [](const Instruction &I) {
    return saysOnly(I) || !(I.mayHaveSideEffects() || isa<CallBase>(I));
  });
}

bool StackArrays::find() {
  if (L.isInnermost() || !L.isLoopSimplifyForm())
    return false;
  unsigned Length = 0;
  for (BasicBlock *In : L.blocks()) {
    Length += In->sizeWithoutDebug();
    for (Instruction &I : *In) {
      if (!isDirect(I)) {
        // It may count on what is restored here.
        if (isa<AllocaInst>(I))
          return false;
        continue;
      }
      if (isStack(I, Intrinsic::stacksave))
        Saves.push_back(&I);
      else if (isa<AllocaInst>(I) || isLent(I))
        Arrays.push_back(&I);
    }
  }
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  if (Arrays.empty() || Length > MaxLoop || mayThrow() ||
      any_of(Exits, [](BasicBlock *Exit) { return Exit->isEHPad(); }) ||
      !isLibFuncEmittable(F.getParent(), &TLI, LibFunc_malloc) ||
      !isLibFuncEmittable(F.getParent(), &TLI, LibFunc_free) ||
      !all_of(Saves, [&](Instruction *Save) { return findRestores(*Save); }))
    return false;
  findFirst();
  return all_of(Arrays, [&](Instruction *Array) {
    return !comesRound(*Array->getParent()) && staysInside(*Array) && endsWithStep(*Array) &&
           isPlain(*Array);
  }) && canEnter();
}

/// What has been computed before the loop, as has a size.
Value *StackArrays::before(Value *V) const {
  V = throughExits(V);
  Value *Known = Before.lookup(V);
  return Known ? Known : V;
}

/// Bytes.
Value *StackArrays::sizeOf(const Instruction &Array) {
  Value *Bytes = before(Array.getOperand(0));
  if (auto *OnStack = dyn_cast<AllocaInst>(&Array)) {
    const DataLayout &DL = F.getDataLayout();
    Type *Word = DL.getIntPtrType(F.getContext());
    uint64_t One = DL.getTypeAllocSize(OnStack->getAllocatedType());
    Bytes = B.CreateMul(B.CreateZExtOrTrunc(Bytes, Word), ConstantInt::get(Word, One));
  }
  return B.CreateFreeze(Bytes);
}

/// Computes the sizes before the loop.
void StackArrays::compute() {
  for (Instruction *I : Sizes) {
    Instruction *Copy = I->clone();
    Copy->setName(I->getName());
    for (Use &Of : Copy->operands())
      Of.set(before(Of));
    B.Insert(Copy);
    Copy->dropUBImplyingAttrsAndMetadata();
    // They speak of a step.
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      Copy->setMetadata(Kind, nullptr);
    Before[I] = Copy;
  }
}

void StackArrays::free(Value &Made) {
  CallInst *Free = B.CreateFree(&Made);
  inferNonMandatoryLibFuncAttrs(*Free->getCalledFunction(), TLI);
}

/// Asks for the arrays; where there is none for one of them, the loop runs as it was.
void StackArrays::enter(BasicBlock *Plain) {
  BasicBlock *From = L.getLoopPreheader(), *Header = L.getHeader();
  BasicBlock *Enter = SplitEdge(From, Header, &DT, &LI);
  Enter->setName("kept");
  B.SetInsertPoint(From->getTerminator());
  B.SetCurrentDebugLocation(Arrays.front()->getDebugLoc());
  if (Asks) {
    ValueToValueMapTy Now;
    for (Instruction &I : *Header) {
      if (auto *Phi = dyn_cast<PHINode>(&I)) {
        Now[Phi] = Phi->getIncomingValueForBlock(Enter);
        continue;
      }
      if (I.isTerminator() || saysOnly(I))
        continue;
      Instruction *Copy = I.clone();
      RemapInstruction(Copy, Now, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      B.Insert(Copy);
      Now[&I] = Copy;
    }
    auto *Ends = cast<BranchInst>(Header->getTerminator());
    BasicBlock *Make = SplitBlock(From, From->getTerminator(), &DT, &LI);
    if (Ends->isConditional()) {
      Value *If = Ends->getCondition();
      if (auto Found = Now.find(If); Found != Now.end())
        If = Found->second;
      bool GoesOn = L.contains(Ends->getSuccessor(0));
      if (GoesOn != L.contains(Ends->getSuccessor(1))) {
        B.SetInsertPoint(From->getTerminator());
        B.CreateCondBr(If, GoesOn ? Make : Plain, GoesOn ? Plain : Make);
        From->getTerminator()->eraseFromParent();
      }
    }
    From = Make;
    B.SetInsertPoint(From->getTerminator());
  }
  compute();
  Value *All = B.getTrue();
  for (Instruction *Array : Arrays) {
    Value *Bytes = sizeOf(*Array);
    Value *Made = emitMalloc(Bytes, B, F.getDataLayout(), &TLI);
    All = B.CreateAnd(All, B.CreateIsNotNull(Made));
    Made->takeName(Array);
    Kept.push_back(Made);
  }
  BasicBlock *Back = BasicBlock::Create(F.getContext(), "none", &F, Plain);
  B.CreateCondBr(All, Enter, Back);
  From->getTerminator()->eraseFromParent();
  B.SetInsertPoint(BranchInst::Create(Plain, Back));
  for (Value *Made : Kept)
    free(*Made);
}

/// Behind the loop nobody needs them.
void StackArrays::leave() {
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    if (isa<UnreachableInst>(Exit->getTerminator()))
      continue;
    SmallVector<BasicBlock *, 4> From;
    copy_if(predecessors(Exit), std::back_inserter(From),
            [&](BasicBlock *In) { return L.contains(In); });
    BasicBlock *Gives = SplitBlockPredecessors(Exit, From, ".given");
    B.SetInsertPoint(Gives->getTerminator());
    for (Value *Made : Kept)
      free(*Made);
  }
}

BasicBlock *StackArrays::keep() {
  formLCSSARecursively(L, DT, &LI, nullptr);
  BasicBlock *Preheader = L.getLoopPreheader(), *Header = L.getHeader();
  CopiedBlocks Copied;
  SmallVector<BasicBlock *, 16> Blocks(L.blocks());
  Copied.add(Blocks, ".plain");
  BasicBlock *Plain = BasicBlock::Create(F.getContext(), "plain", &F, Copied.of(Header));
  BranchInst::Create(Copied.of(Header), Plain)
      ->setDebugLoc(Preheader->getTerminator()->getDebugLoc());
  for (PHINode &Phi : Copied.of(Header)->phis())
    Phi.replaceIncomingBlockWith(Preheader, Plain);
  for (BasicBlock *In : Blocks)
    for (BasicBlock *Exit : SmallPtrSet<BasicBlock *, 4>(succ_begin(In), succ_end(In)))
      if (!L.contains(Exit))
        Copied.enter(*Exit, In);
  enter(Plain);
  leave();
  for (Instruction *Restore : Restores)
    Restore->eraseFromParent();
  // Behind the loop the stack is restored to where it was when it began.
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  for (Instruction *Save : Saves) {
    if (!Save->use_empty())
      Save->replaceAllUsesWith(B.CreateStackSave());
    Save->eraseFromParent();
  }
  for (auto [Array, Made] : zip(Arrays, Kept)) {
    for (User *U : make_early_inc_range(Array->users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (Call && (Call->isLifetimeStartOrEnd() || getFreedOperand(Call, &TLI) == Array))
        Call->eraseFromParent();
    }
    Array->replaceAllUsesWith(Made);
    Array->eraseFromParent();
  }
  return Copied.of(Header);
}

/// The innermost loop around others that can keep its arrays.
bool keepOne(Function &Copy, FunctionAnalysisManager &FAM) {
  auto Loops = FAM.getResult<LoopAnalysis>(Copy).getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (isTaken(*L) || any_of(L->getLoopsInPreorder(), [](Loop *In) { return isSettled(*In); }))
      continue;
    StackArrays Of(*L, Copy, FAM);
    if (!Of.find())
      continue;
    BasicBlock *Header = L->getHeader(), *Plain = Of.keep();
    FAM.invalidate(Copy, PreservedAnalyses::none());
    auto &Now = FAM.getResult<LoopAnalysis>(Copy);
    markSettled(*Now.getLoopFor(Header));
    // The loop as it was is never looked at.
    markTaken(*Now.getLoopFor(Plain));
    return true;
  }
  return false;
}

} // namespace

bool keepStackArrays(Function &Copy, FunctionAnalysisManager &FAM) {
  bool Any = false;
  while (keepOne(Copy, FAM))
    Any = true;
  return Any;
}

} // namespace hexpass
