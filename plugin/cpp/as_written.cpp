//===- as_written.cpp - The original loop as the host would have it --------===//
//
// Consumes: a working copy, in which nests were taken whole, and a fresh copy of the
// same function. Produces: the fresh copy with the calls of the runtime, so that the
// original loop is what the host makes of the source: calls in it are inlined by the
// host's inliner, after their callees have been optimised, and nothing is hoisted,
// widened or joined by canonicalise.cpp.
//
// How: both copies are prepared in the same way, from the function as it is behind the
// host's first clean-up. In the working copy, marks then hold on to what each outermost loop
// needs when it begins, and what is asked for when it has ended. What the call of the
// runtime is handed there is computed from such values, and can be computed from those
// of the fresh copy that correspond.
//
// Refuses, and leaves the working copy to be committed: loops inside others, nests
// before which anything happens that can't be repeated, calls that are handed a value
// which no mark knows, ends of which a mark knows nothing, and loops that leave in memory
// what the working copy had in registers. Functions that lose nothing by what was done to
// their copy are neither prepared nor marked: of most, the host makes the same as of the
// source, or better code, since loops of few iterations are unrolled before it looks.
//
//===----------------------------------------------------------------------===//

#include "as_written.h"
#include "taken.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace hexpass {
namespace {

/// A function that does nothing, of its module's own.
constexpr StringLiteral MarkName = "hexpass.mark";

/// An outermost loop: what is needed when it begins, and the blocks behind it, whose
/// phis are what is asked for.
struct Place {
  BasicBlock *Preheader;
  BasicBlock *Header;
  SmallVector<Instruction *, 8> Needed;
  SmallVector<BasicBlock *, 2> Exits;
  SmallPtrSet<const BasicBlock *, 16> Body;
};

/// A local whose address is handed on stays in memory.
bool isAddressOfLocal(const Value &V) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&V, Objects);
  return any_of(Objects, [](const Value *O) { return isa<AllocaInst>(O); });
}

bool isNeeded(const Instruction &I, const Loop &L, const DominatorTree &DT) {
  Type *T = I.getType();
  if (isa<AllocaInst>(I) || !(T->isIntegerTy() || T->isFloatingPointTy() || T->isPointerTy()) ||
      L.contains(&I) || !DT.dominates(&I, L.getLoopPreheader()->getTerminator()))
    return false;
  // The working copy may find that the loop loads the same again.
  bool Used = isa<LoadInst>(I) || any_of(I.users(), [&](const User *U) {
    return L.contains(cast<Instruction>(U));
  });
  return Used && !(T->isPointerTy() && isAddressOfLocal(I));
}

/// Nothing but an unreachable end, or an exception's, lies behind.
bool isAside(const BasicBlock &Exit) {
  const BasicBlock *B = &Exit;
  while (B->getSingleSuccessor() && B->getSingleSuccessor() != B && B->size() < 8)
    B = B->getSingleSuccessor();
  return Exit.isEHPad() || isa<UnreachableInst>(B->getTerminator());
}

/// The outermost loops of a function, in its order: the same in all that have been
/// made alike.
SmallVector<Place, 4> places(Function &F, FunctionAnalysisManager &FAM) {
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Place, 4> Found;
  for (BasicBlock &B : F) {
    Loop *L = LI.getLoopFor(&B);
    if (!L || L->getHeader() != &B || L->getParentLoop() || !L->getLoopPreheader())
      continue;
    Place P = {L->getLoopPreheader(), &B, {}, {}, {}};
    P.Body.insert(L->block_begin(), L->block_end());
    for (Instruction &I : instructions(F))
      if (isNeeded(I, *L, DT))
        P.Needed.push_back(&I);
    L->getUniqueExitBlocks(P.Exits);
    erase_if(P.Exits, [&](BasicBlock *Exit) {
      return isAside(*Exit) || any_of(predecessors(Exit), [&](BasicBlock *Pred) {
               return !L->contains(Pred);
             });
    });
    Found.push_back(std::move(P));
  }
  return Found;
}

bool isRead(const Instruction &I, const Use &U) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !Call->isArgOperand(&U))
    return isa<LoadInst>(I) && !I.isVolatile();
  unsigned Argument = Call->getArgOperandNo(&U);
  return Call->onlyReadsMemory(Argument) && Call->doesNotCapture(Argument);
}

/// Nothing that the loop `P` of `F` leaves in this memory, a local or a static array, is
/// looked at outside of it.
bool isApart(const Value &Memory, const Function &F, const Place &P) {
  bool Outside = false, Written = false;
  SmallVector<const Value *, 8> Work = {&Memory};
  SmallPtrSet<const Value *, 8> Visited;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Visited.insert(V).second)
      continue;
    for (const Use &U : V->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      if (!I || isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(I))
        Work.push_back(U.getUser());
      else if (I->getFunction() != &F || I->isLifetimeStartOrEnd())
        continue;
      else if (!P.Body.contains(I->getParent()))
        Outside = true;
      else
        Written |= !isRead(*I, U);
    }
  }
  return !Outside || !Written;
}

FunctionCallee markIn(Module &M) {
  LLVMContext &C = M.getContext();
  auto *T = FunctionType::get(Type::getVoidTy(C), {Type::getInt32Ty(C), Type::getInt32Ty(C)},
                              /*isVarArg=*/true);
  FunctionCallee Mark = M.getOrInsertFunction(MarkName, T);
  auto *F = cast<Function>(Mark.getCallee());
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  F->setDoesNotThrow();
  F->setWillReturn();
  F->setDoesNotFreeMemory();
  F->addFnAttr(Attribute::NoSync);
  F->addFnAttr(Attribute::NoCallback);
  return Mark;
}

bool isMark(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == MarkName;
}

/// Of which loop, and of which of its ends: 0 is its beginning.
std::pair<uint64_t, uint64_t> idOf(const CallInst &Mark) {
  return {cast<ConstantInt>(Mark.getArgOperand(0))->getZExtValue(),
          cast<ConstantInt>(Mark.getArgOperand(1))->getZExtValue()};
}

template <typename Range>
void putMark(IRBuilder<> Builder, unsigned Loop, unsigned End, Range &&Values) {
  SmallVector<Value *, 8> Args = {Builder.getInt32(Loop), Builder.getInt32(End)};
  for (auto &&V : Values)
    Args.push_back(V);
  Module &M = *Builder.GetInsertBlock()->getModule();
  CallInst *Mark = Builder.CreateCall(markIn(M), Args);
  for (unsigned I = 2; I < Args.size(); ++I)
    if (Args[I]->getType()->isPointerTy())
      Mark->addParamAttr(
          I, Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
}

SmallVector<Instruction *, 8> phisOf(BasicBlock &B) {
  SmallVector<Instruction *, 8> Phis;
  for (PHINode &Phi : B.phis())
    Phis.push_back(&Phi);
  return Phis;
}

/// One nest's call of the runtime, from the working copy to the fresh one.
class Transfer {
public:
  Transfer(Function &Fresh, const Marks &Of, DenseMap<Value *, Value *> Known,
           ArrayRef<const Value *> Gone)
      : Fresh(Fresh), Of(Of), Same(std::move(Known)), Gone(Gone) {}

  /// The header of the loop that has the call now; null: that can't be had.
  BasicBlock *run(BasicBlock &Nest, ArrayRef<Place> Places);

private:
  bool findCall(BasicBlock &Nest);
  bool isRepeated(const LoadInst &Load) const;
  CallInst *markBefore();
  CallInst *markBehind();
  bool learn(const CallInst &Mark, const Place &P);
  bool copyAll(BasicBlock &From, BasicBlock &To);
  void copyEarly(Value *V, BasicBlock &To);
  Value *copy(Instruction &I, BasicBlock &To);
  Value *find(Value *V, BasicBlock &To);

  Function &Fresh;
  const Marks &Of;
  /// Values of the working copy → of the fresh one.
  DenseMap<Value *, Value *> Same;
  /// Memory of the fresh copy that the working copy had in registers.
  ArrayRef<const Value *> Gone;
  /// Blocks of the working copy that run one after the other, from the mark to the call.
  SmallPtrSet<const BasicBlock *, 4> Straight;
  const CallInst *Begin = nullptr;
  /// The fresh copy's call is there; what is loaded from now on is what it has left.
  bool Called = false;
  BasicBlock *Entry = nullptr, *Done = nullptr, *Exit = nullptr;
};

/// The blocks that splice.rs has made.
bool Transfer::findCall(BasicBlock &Nest) {
  for (BasicBlock *Original : predecessors(&Nest)) {
    BasicBlock *From = Original->getSinglePredecessor();
    auto *Asks = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
    if (!Original->getSingleSuccessor() || !Asks || Asks->isUnconditional() ||
        Asks->getSuccessor(1) != Original)
      continue;
    bool Calls = any_of(*From, [](Instruction &I) {
      auto *Call = dyn_cast<CallInst>(&I);
      return Call && Call->hasFnAttr("call-threshold-bonus");
    });
    if (!Calls || Original->size() != 1)
      continue;
    Entry = From;
    Done = Asks->getSuccessor(0);
    Exit = Done->getSingleSuccessor();
  }
  return Entry && Exit && Done->getSinglePredecessor() == Entry;
}

/// The mark of the loop's beginning, from which the call is always reached, with nothing
/// in between that can't be repeated.
CallInst *Transfer::markBefore() {
  for (BasicBlock *B = Entry; B; B = B->getSinglePredecessor()) {
    if (B != Entry && !B->getSingleSuccessor())
      return nullptr;
    Straight.insert(B);
    if (B == Entry)
      continue;
    for (Instruction &I : reverse(*B)) {
      if (isMark(I)) {
        auto *Mark = cast<CallInst>(&I);
        return idOf(*Mark).second == 0 ? Mark : nullptr;
      }
      if (I.mayWriteToMemory() || (!I.isTerminator() && I.mayHaveSideEffects()))
        return nullptr;
    }
  }
  return nullptr;
}

/// The mark of an end.
CallInst *Transfer::markBehind() {
  for (Instruction &I : *Exit) {
    if (isMark(I)) {
      auto *Mark = cast<CallInst>(&I);
      return idOf(*Mark).second != 0 ? Mark : nullptr;
    }
    if (!isa<PHINode>(I) && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
      return nullptr;
  }
  return nullptr;
}

bool Transfer::learn(const CallInst &Mark, const Place &P) {
  if (Mark.arg_size() != P.Needed.size() + 2)
    return false;
  for (auto [I, V] : enumerate(P.Needed)) {
    Value *Here = Mark.getArgOperand(I + 2);
    if (Here->getType() != V->getType())
      return false;
    if (!isa<Constant>(Here))
      Same.try_emplace(Here, V);
  }
  return true;
}

/// What `V` is in the fresh copy; computed at the end of `To` where it is not there yet.
/// Null: it can't be told.
Value *Transfer::find(Value *V, BasicBlock &To) {
  if (isa<Constant>(V) || isa<InlineAsm>(V) || isa<MetadataAsValue>(V))
    return V;
  if (Value *Known = Same.lookup(V))
    return Known;
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return nullptr;
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getParent() != Exit)
      return nullptr;
    return find(Phi->getIncomingValueForBlock(Done), To);
  }
  if (auto *Local = dyn_cast<AllocaInst>(I)) {
    if (Of.Known.contains(Local) || !isa<Constant>(Local->getArraySize()))
      return nullptr;
    Instruction *New = Local->clone();
    New->insertBefore(Fresh.getEntryBlock().getFirstInsertionPt());
    return Same[V] = New;
  }
  if (auto *Load = dyn_cast<LoadInst>(I))
    return isRepeated(*Load) && !Called ? copy(*I, To) : nullptr;
  if (I->mayReadOrWriteMemory() || I->mayHaveSideEffects() || I->isTerminator() || I->isEHPad())
    return nullptr;
  return copy(*I, To);
}

/// From the mark to the call, nothing else is stored, and all is executed.
bool Transfer::isRepeated(const LoadInst &Load) const {
  const BasicBlock *B = Load.getParent();
  return Load.isSimple() && Straight.contains(B) &&
         (B != Begin->getParent() || Begin->comesBefore(&Load));
}

Value *Transfer::copy(Instruction &I, BasicBlock &To) {
  SmallVector<Value *, 4> Operands;
  for (Value *Operand : I.operands()) {
    Operands.push_back(find(Operand, To));
    if (!Operands.back())
      return nullptr;
  }
  Instruction *New = I.clone();
  for (auto [At, Operand] : enumerate(Operands))
    New->setOperand(At, Operand);
  New->dropUnknownNonDebugMetadata();
  New->insertInto(&To, To.end());
  return Same[&I] = New;
}

bool Transfer::copyAll(BasicBlock &From, BasicBlock &To) {
  return all_of(From, [&](Instruction &I) {
    return I.isTerminator() || Same.contains(&I) || (!isa<PHINode>(I) && copy(I, To));
  });
}

/// What is loaded before the call, and asked for behind it.
void Transfer::copyEarly(Value *V, BasicBlock &To) {
  auto *I = dyn_cast<Instruction>(V);
  if (I && I->getParent() == Exit && isa<PHINode>(I))
    return copyEarly(cast<PHINode>(I)->getIncomingValueForBlock(Done), To);
  if (I && I->getParent() != Exit && I->getParent() != Done && I->getParent() != Entry)
    find(I, To);
}

BasicBlock *Transfer::run(BasicBlock &Nest, ArrayRef<Place> Places) {
  CallInst *Behind = nullptr;
  if (!findCall(Nest) || !(Begin = markBefore()) || !(Behind = markBehind()))
    return nullptr;
  auto [Number, End] = idOf(*Behind);
  if (Number != idOf(*Begin).first || Number >= Places.size() ||
      End > Places[Number].Exits.size() || !learn(*Begin, Places[Number]))
    return nullptr;
  const Place &P = Places[Number];
  if (!all_of(Gone, [&](const Value *Memory) { return isApart(*Memory, Fresh, P); }))
    return nullptr;
  BasicBlock *Target = P.Exits[End - 1];
  SmallVector<Instruction *, 8> Asked = phisOf(*Target);
  if (Behind->arg_size() != Asked.size() + 2)
    return nullptr;

  LLVMContext &C = Fresh.getContext();
  auto *NewEntry = BasicBlock::Create(C, "hexpass.entry", &Fresh, P.Header);
  auto *NewDone = BasicBlock::Create(C, "hexpass.done", &Fresh, P.Header);
  auto *Original = BasicBlock::Create(C, "hexpass.original", &Fresh, P.Header);
  for (Value *Final : drop_begin(Behind->args(), 2))
    copyEarly(Final, *NewEntry);
  for (Instruction &I : *Done)
    for (Value *Operand : I.operands())
      copyEarly(Operand, *NewEntry);
  if (!copyAll(*Entry, *NewEntry))
    return nullptr;
  Called = true;
  Value *Ran = find(cast<BranchInst>(Entry->getTerminator())->getCondition(), *NewEntry);
  if (!Ran || !copyAll(*Done, *NewDone))
    return nullptr;
  for (auto [I, Phi] : enumerate(Asked)) {
    Value *Final = find(Behind->getArgOperand(I + 2), *NewDone);
    if (!Final || Final->getType() != Phi->getType())
      return nullptr;
    cast<PHINode>(Phi)->addIncoming(Final, NewDone);
  }
  IRBuilder<>(NewEntry).CreateCondBr(Ran, NewDone, Original);
  IRBuilder<>(NewDone).CreateBr(Target);
  IRBuilder<>(Original).CreateBr(P.Header);
  P.Preheader->getTerminator()->replaceSuccessorWith(P.Header, NewEntry);
  P.Header->replacePhiUsesWith(P.Preheader, Original);
  return P.Header;
}

SmallVector<CallInst *, 8> marksOf(Function &F) {
  SmallVector<CallInst *, 8> Found;
  for (Instruction &I : instructions(F))
    if (isMark(I))
      Found.push_back(cast<CallInst>(&I));
  return Found;
}

SmallVector<AllocaInst *, 16> localsOf(Function &F) {
  SmallVector<AllocaInst *, 16> Found;
  for (Instruction &I : instructions(F))
    if (auto *Local = dyn_cast<AllocaInst>(&I))
      Found.push_back(Local);
  return Found;
}

} // namespace

bool losesRanges(Function &F, Look &Cheap, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && !Callee->isDeclaration() && LI.getLoopFor(I.getParent()) &&
           Cheap.takesRemainders(*Callee);
  });
}

void prepare(Function &Copy, FunctionAnalysisManager &FAM, bool Clean) {
  FunctionPassManager FPM;
  if (!Clean) {
    FPM.addPass(LowerExpectIntrinsicPass());
    FPM.addPass(SimplifyCFGPass());
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(EarlyCSEPass());
  }
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  for (Loop *L : LI) {
    if (!L->getLoopPreheader())
      InsertPreheaderForLoop(L, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);
    formDedicatedExitBlocks(L, &DT, &LI, nullptr, /*PreserveLCSSA=*/false);
    formLCSSA(*L, DT, &LI, nullptr);
  }
  PreservedAnalyses Kept;
  Kept.preserve<DominatorTreeAnalysis>();
  Kept.preserve<LoopAnalysis>();
  FAM.invalidate(Copy, Kept);
}

Marks mark(Function &Copy, FunctionAnalysisManager &FAM) {
  Marks Of;
  for (AllocaInst *Local : localsOf(Copy))
    Of.Locals.push_back(Local);
  for (auto [Number, P] : enumerate(places(Copy, FAM))) {
    putMark(IRBuilder<>(P.Preheader->getTerminator()), Number, 0, P.Needed);
    for (auto [End, Exit] : enumerate(P.Exits))
      putMark(IRBuilder<>(Exit, Exit->getFirstInsertionPt()), Number, End + 1, phisOf(*Exit));
  }
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  FAM.invalidate(Copy, Kept);
  return Of;
}

void unmark(Module &M) {
  Function *Mark = M.getFunction(MarkName);
  if (!Mark)
    return;
  for (User *Call : make_early_inc_range(Mark->users()))
    cast<CallInst>(Call)->eraseFromParent();
  Mark->eraseFromParent();
}

bool callAsIn(Function &Fresh, Function &Copy, const Marks &Of, ArrayRef<BasicBlock *> Nests,
              FunctionAnalysisManager &FAM) {
  SmallVector<Place, 4> Places = places(Fresh, FAM);
  SmallVector<AllocaInst *, 16> Locals = localsOf(Fresh);
  SmallSet<std::pair<uint64_t, uint64_t>, 8> Once;
  if (Locals.size() != Of.Locals.size() || any_of(marksOf(Copy), [&](CallInst *Mark) {
        return !Once.insert(idOf(*Mark)).second;
      }))
    return false;
  DenseMap<Value *, Value *> Known;
  for (auto [There, Here] : zip(Copy.args(), Fresh.args()))
    Known[&There] = &Here;
  SmallVector<const Value *, 8> Gone(Of.Moved.begin(), Of.Moved.end());
  for (auto [There, Here] : zip(Of.Locals, Locals))
    if (There)
      Known[There] = Here;
    else
      Gone.push_back(Here);
  SmallVector<BasicBlock *, 4> Headers;
  bool All = all_of(Nests, [&](BasicBlock *Nest) {
    BasicBlock *Header = Transfer(Fresh, Of, Known, Gone).run(*Nest, Places);
    Headers.push_back(Header);
    return Header != nullptr;
  });
  FAM.invalidate(Fresh, PreservedAnalyses::none());
  if (!All || verifyFunction(Fresh))
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(Fresh);
  for (BasicBlock *Header : Headers)
    markTaken(*LI.getLoopFor(Header));
  return true;
}

} // namespace hexpass
