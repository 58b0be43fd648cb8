//===- step_storage.cpp - Storage that each step allocates -----------------===//
//
// Consumes: a working copy with loops in simplified and closed form, in which each step of a loop
// allocates what it works with, and frees that or what the step before allocated:
//
//     for (t = 0; t < steps; t++) {            for (t = 0; t < steps; t++) {
//         double *v = malloc(size);                double *w = malloc(size);
//         sweep(u, v);                             sweep(u, w), sweep(w, u);
//         free(u);                                 free(w);
//         u = v;                               }
//     }
//
// Produces: the same loops, in which what a step frees is kept for the next one:
//
//     for (...) {                              for (...) {
//         v = have ? kept : malloc(size);          w = have ? kept : malloc(size);
//         sweep(u, v);                             sweep(u, w), sweep(w, u);
//         if (mine) kept = u; else free(u);        kept = w;
//         u = v;                               }
//     }                                        if (have) free(kept);
//     if (have) free(kept);
//
// `have`: something is kept, and of the size that is asked for. `mine`: `u` is of this loop's
// allocation, and no array of another size that was there before. Both hold from the second or
// third step on, which is what rare_paths.cpp makes of the branches that are marked here.
//
// Why it may: what has been allocated holds nothing yet, a block that has been freed is nobody's,
// and no more blocks live at once than did. An allocation that fails does so in the same step or
// never. Refuses storage that is freed by other means than it was allocated by, or in an inner
// loop.
//
//===----------------------------------------------------------------------===//

#include "step_storage.h"
#include "turns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <memory>
#include <optional>
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Of a branch: the number of the way that is hardly ever gone.
constexpr char SeldomMark[] = "hexpass.seldom";
/// Of a call that is hardly ever made.
constexpr char SeldomCallMark[] = "hexpass.seldom.call";

/// Whose block is freed.
enum class Block { Foreign, OfThisStep, OfTheLast };

/// An allocation of a loop, and what the loop does with its blocks.
class Storage {
public:
  Storage(CallBase &Allocates, Loop &L, LoopInfo &LI, const TargetLibraryInfo &TLI)
      : Allocates(Allocates), L(L), LI(LI), TLI(TLI), B(Allocates.getContext()) {}

  /// False: its blocks are not freed in this loop, or not in a way that can be kept.
  bool find();
  void keep();

private:
  bool isBlock(Value &V, SmallPtrSetImpl<Value *> &Seen) const;
  bool isBlock(Value &V) const {
    SmallPtrSet<Value *, 8> Seen;
    return isBlock(V, Seen);
  }
  bool comesAfter(BasicBlock &B) const;
  Block whose(Value &Freed) const;
  bool findSize();
  bool canFree(const CallBase &Free) const;
  void markNone(Value &V) const;
  void markNothingToFree(CallBase &Free) const;
  BasicBlock *testOfNull(CallBase &Free) const;

  AllocaInst *local(Type *T, Value *Start);
  Value *get(AllocaInst *Local) { return B.CreateLoad(Local->getAllocatedType(), Local); }
  void free(Value *Block);
  void allocate();
  void release(CallBase &Free);
  void leave(BasicBlock &Exit);
  BasicBlock *split(Instruction *At, const Twine &Name = "") {
    return SplitBlock(At->getParent(), At, static_cast<DominatorTree *>(nullptr), &LI, nullptr,
                      Name);
  }
  Instruction *splitIf(Value *If, BasicBlock::iterator At) {
    return SplitBlockAndInsertIfThen(If, At, /*Unreachable=*/false, nullptr,
                                     static_cast<DomTreeUpdater *>(nullptr), &LI);
  }
  BasicBlock *block(const Twine &Name) {
    return BasicBlock::Create(B.getContext(), Name, Allocates.getFunction());
  }

  CallBase &Allocates;
  Loop &L;
  LoopInfo &LI;
  const TargetLibraryInfo &TLI;
  IRBuilder<> B;
  SmallVector<CallBase *, 2> Frees;
  Block Which = Block::Foreign;
  /// Bytes.
  Value *Size = nullptr;
  bool IsZeroed = false, Varies = false;
  /// The block that is kept; whether there is one; what that will be when the one in use is freed;
  /// whether the block of the last step, and that of this one, are of this size. Its size.
  AllocaInst *Kept = nullptr, *Have = nullptr, *Will = nullptr, *Mine = nullptr, *Next = nullptr,
             *Bytes = nullptr;
  SmallVector<AllocaInst *, 6> Locals;
};

/// This step's block, or none where nothing was allocated.
bool Storage::isBlock(Value &V, SmallPtrSetImpl<Value *> &Seen) const {
  if (&V == &Allocates || !Seen.insert(&V).second)
    return true;
  auto *Phi = dyn_cast<PHINode>(&V);
  return Phi && L.contains(Phi) && Phi->getParent() != L.getHeader() &&
         all_of(zip(Phi->blocks(), Phi->incoming_values()), [&](const auto &Way) {
           auto [From, Value] = Way;
           return isa<Constant>(Value) ? !comesAfter(*From) : isBlock(*Value, Seen);
         });
}

/// The allocation may be executed before `B` in the same step.
bool Storage::comesAfter(BasicBlock &B) const {
  SmallPtrSet<BasicBlock *, 16> Before;
  SmallVector<BasicBlock *, 16> Work{&B};
  while (!Work.empty()) {
    BasicBlock *At = Work.pop_back_val();
    if (At == Allocates.getParent())
      return true;
    if (At != L.getHeader() && L.contains(At) && Before.insert(At).second)
      append_range(Work, predecessors(At));
  }
  return false;
}

Block Storage::whose(Value &Freed) const {
  if (isBlock(Freed))
    return Block::OfThisStep;
  auto *Phi = dyn_cast<PHINode>(throughExits(&Freed));
  if (!Phi || Phi->getParent() != L.getHeader())
    return Block::Foreign;
  return isBlock(*Phi->getIncomingValueForBlock(L.getLoopLatch())) ? Block::OfTheLast
                                                                   : Block::Foreign;
}

/// The number of bytes that are asked for, which is what those are told that free them.
bool Storage::findSize() {
  std::pair<unsigned, std::optional<unsigned>> Args{0, std::nullopt};
  const Function *Callee = Allocates.getCalledFunction();
  LibFunc Known;
  if (Attribute Says = Allocates.getFnAttr(Attribute::AllocSize); Says.isValid())
    Args = Says.getAllocSizeArgs();
  else if (!TLI.getLibFunc(*Callee, Known))
    return false;
  else if (Known == LibFunc_calloc)
    Args = {0, 1};
  else if (Known != LibFunc_malloc)
    return false;
  for (auto [At, Arg] : enumerate(Allocates.args()))
    if (At != Args.first && At != Args.second && !L.isLoopInvariant(Arg))
      return false;
  Size = Allocates.getArgOperand(Args.first);
  if (!all_of(Frees, [&](CallBase *Free) { return canFree(*Free); }))
    return false;
  bool Moved = false;
  Varies = !L.makeLoopInvariant(Size, Moved);
  if (!Args.second)
    return true;
  Value *Times = Allocates.getArgOperand(*Args.second);
  if (Varies || !L.makeLoopInvariant(Times, Moved))
    return false;
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  // Of a product that overflows there is no block to keep.
  Size = B.CreateMul(Size, Times);
  return true;
}

/// With another block in the place of the one that it frees: its size, if it is told that, is the
/// one that was asked for.
bool Storage::canFree(const CallBase &Free) const {
  return isa<CallInst>(Free) && all_of(Free.args(), [&](const Use &Arg) {
    return Arg == getFreedOperand(&Free, &TLI) || isa<Constant>(Arg) ||
           Arg->getType() == Size->getType();
  });
}

bool Storage::find() {
  auto Family = getAllocationFamily(&Allocates, &TLI);
  const Constant *Holds =
      getInitialValueOfAllocation(&Allocates, &TLI, Type::getInt8Ty(B.getContext()));
  if (!Family || !Holds || !Allocates.getCalledFunction() || L.isInnermost() ||
      !L.isLoopSimplifyForm())
    return false;
  IsZeroed = Holds->isNullValue();
  for (BasicBlock *In : L.blocks())
    for (Instruction &I : *In) {
      auto *Call = dyn_cast<CallBase>(&I);
      Value *Freed = Call ? getFreedOperand(Call, &TLI) : nullptr;
      Block Whose = Freed ? whose(*Freed) : Block::Foreign;
      if (Whose == Block::Foreign)
        continue;
      if (LI.getLoopFor(In) != &L || getAllocationFamily(Call, &TLI) != Family ||
          (!Frees.empty() && Whose != Which))
        return false;
      Which = Whose;
      Frees.push_back(Call);
    }
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  return !Frees.empty() && none_of(Exits, [](BasicBlock *Exit) {
    return Exit->isEHPad() && !isa<LandingPadInst>(Exit->getFirstNonPHIIt());
  }) && findSize();
}

AllocaInst *Storage::local(Type *T, Value *Start) {
  Function &F = *Allocates.getFunction();
  B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Local = B.CreateAlloca(T);
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  B.CreateStore(Start, Local);
  Locals.push_back(Local);
  return Local;
}

/// Frees a block that was kept.
void Storage::free(Value *Block) {
  CallBase &Like = *Frees.front();
  auto *Free = cast<CallInst>(B.Insert(Like.clone()));
  for (Use &Arg : Free->args())
    if (Arg == getFreedOperand(&Like, &TLI))
      Arg.set(Block);
    else if (!isa<Constant>(Arg))
      Arg.set(Varies ? get(Bytes) : Size);
}

/// Takes the block that is kept, or makes one.
void Storage::allocate() {
  BasicBlock *Before = Allocates.getParent();
  Instruction *First = &Allocates;
  while (isMarkOfRust(First->getPrevNode()))
    First = First->getPrevNode();
  BasicBlock *Fresh = split(First, "fresh");
  BasicBlock *Behind;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Allocates)) {
    FoldSingleEntryPHINodes(Invoke->getNormalDest());
    Behind = SplitEdge(Fresh, Invoke->getNormalDest(), nullptr, &LI);
  } else
    Behind = split(Allocates.getNextNode());
  // What is done about a new block must not be done in `Behind`, which an invoke enters.
  BasicBlock *Join = split(&*Behind->getFirstInsertionPt());
  BasicBlock *Take = block("kept");
  L.addBasicBlockToLoop(Take, LI);

  B.SetInsertPoint(Before->getTerminator());
  B.SetCurrentDebugLocation(Allocates.getDebugLoc());
  Value *May = get(Have);
  if (Varies)
    May = B.CreateAnd(May, B.CreateICmpEQ(get(Bytes), Size));
  markSeldom(*B.CreateCondBr(May, Take, Fresh), 1);
  Before->getTerminator()->eraseFromParent();

  B.SetInsertPoint(Take);
  Value *Old = get(Kept);
  if (IsZeroed)
    B.CreateMemSet(Old, B.getInt8(0), Size, Allocates.getRetAlign());
  // As it is, not as it is known to be here: so it stays the same in all steps that come here.
  B.CreateStore(get(Have), Will);
  B.CreateStore(get(Mine), Next);
  B.CreateBr(Join);

  B.SetInsertPoint(First);
  if (Varies) {
    // A block of another size.
    Instruction *Wrong = splitIf(get(Have), First->getIterator());
    B.SetInsertPoint(Wrong);
    free(get(Kept));
    // The allocation may throw.
    B.CreateStore(B.getFalse(), Have);
    B.SetInsertPoint(First);
    B.CreateStore(B.CreateAnd(get(Mine), B.CreateICmpEQ(get(Bytes), Size)), Mine);
    B.CreateStore(Size, Bytes);
  }
  B.SetInsertPoint(Behind->getTerminator());
  Value *IsNew = B.CreateICmpNE(&Allocates, Constant::getNullValue(Allocates.getType()));
  // A block of the last step has been there whatever becomes of this one.
  B.CreateStore(Which == Block::OfThisStep ? IsNew : B.getTrue(), Will);
  B.CreateStore(IsNew, Next);

  B.SetInsertPoint(Join, Join->begin());
  PHINode *Now = B.CreatePHI(Allocates.getType(), 2, "storage");
  Allocates.replaceUsesWithIf(Now, [&](Use &U) { return U.getUser() != IsNew; });
  PHINode *Fails = B.CreatePHI(B.getInt1Ty(), 2);
  Now->addIncoming(&Allocates, Behind);
  Now->addIncoming(Old, Take);
  B.SetInsertPoint(Behind->getTerminator());
  Fails->addIncoming(B.CreateNot(IsNew), Behind);
  Fails->addIncoming(B.getFalse(), Take);
  B.SetInsertPoint(Join, Join->getFirstInsertionPt());
  B.CreateStore(B.getFalse(), Have);
  // What was kept is no failure.
  Value *Succeeds = B.CreateNot(Fails);
  for (User *U : make_early_inc_range(Now->users())) {
    CmpPredicate P;
    if (match(U, m_ICmp(P, m_Specific(Now), m_Zero())) && ICmpInst::isEquality(P))
      U->replaceAllUsesWith(P == ICmpInst::ICMP_EQ ? Fails : Succeeds);
  }
}

/// Where nothing is done but that the block is freed if it is not null: the block that asks.
BasicBlock *Storage::testOfNull(CallBase &Free) const {
  BasicBlock *In = Free.getParent(), *Asks = In->getSinglePredecessor();
  BasicBlock *Behind = In->getSingleSuccessor();
  auto *Branch = Asks ? dyn_cast<BranchInst>(Asks->getTerminator()) : nullptr;
  CmpPredicate P;
  if (!Behind || !Branch || !Branch->isConditional() || LI.getLoopFor(Asks) != &L ||
      !match(Branch->getCondition(),
             m_ICmp(P, m_Specific(getFreedOperand(&Free, &TLI)), m_Zero())) ||
      !ICmpInst::isEquality(P) ||
      !is_contained(successors(Asks), Behind) ||
      any_of(*In, [&](Instruction &I) { return &I != &Free && I.mayHaveSideEffects(); }) ||
      any_of(Behind->phis(), [&](PHINode &Phi) {
        return Phi.getIncomingValueForBlock(In) != Phi.getIncomingValueForBlock(Asks);
      }))
    return nullptr;
  return Asks;
}

/// Keeps the block.
void Storage::release(CallBase &Free) {
  Value *Freed = getFreedOperand(&Free, &TLI);
  B.SetInsertPoint(&Free);
  B.SetCurrentDebugLocation(Free.getDebugLoc());
  if (Which == Block::OfTheLast) {
    BasicBlock *Before = Free.getParent(), *Behind = nullptr, *Really;
    if (BasicBlock *Asks = testOfNull(Free)) {
      Behind = Before->getSingleSuccessor();
      Before = Asks;
      Really = split(Before->getTerminator(), "foreign");
    } else {
      Really = split(&Free, "foreign");
      Behind = split(Free.getNextNode());
    }
    BasicBlock *Keep = block("keep");
    L.addBasicBlockToLoop(Keep, LI);
    for (PHINode &Phi : Behind->phis())
      Phi.addIncoming(Phi.getIncomingValue(0), Keep);
    B.SetInsertPoint(Before->getTerminator());
    markSeldom(*B.CreateCondBr(get(Mine), Keep, Really), 1);
    Before->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Keep);
    B.SetInsertPoint(B.CreateBr(Behind));
  }
  B.CreateStore(Freed, Kept);
  B.CreateStore(get(Will), Have);
  if (Which == Block::OfThisStep)
    Free.eraseFromParent();
}

void Storage::leave(BasicBlock &Exit) {
  BasicBlock::iterator At = Exit.getFirstInsertionPt();
  B.SetInsertPoint(&Exit, At);
  B.SetCurrentDebugLocation(Frees.front()->getDebugLoc());
  Instruction *Then = splitIf(get(Have), At);
  B.SetInsertPoint(Then);
  free(get(Kept));
}

/// Where a step without a block goes its way: it asks for none.
void Storage::markNone(Value &V) const {
  for (User *U : V.users()) {
    auto *Phi = dyn_cast<PHINode>(U);
    if (!Phi || !isBlock(*Phi) || Phi == &V)
      continue;
    for (auto [From, Value] : zip(Phi->blocks(), Phi->incoming_values())) {
      if (!isa<Constant>(Value))
        continue;
      BasicBlock *To = Phi->getParent(), *Asks = From;
      if (BasicBlock *Above = Asks->getSinglePredecessor(); Above && Asks->getSingleSuccessor())
        To = std::exchange(Asks, Above);
      auto *Branch = dyn_cast<BranchInst>(Asks->getTerminator());
      if (Branch && Branch->isConditional() && LI.getLoopFor(Asks) == &L)
        markSeldom(*Branch, Branch->getSuccessor(0) == To ? 0 : 1);
    }
  }
}

/// Where a block of no bytes would not be freed. What else may be null, such as a file, is none of
/// its business, and a step that leaves the loop there is no rare one.
void Storage::markNothingToFree(CallBase &Free) const {
  BasicBlock *In = Free.getParent(), *Asks = In->getSinglePredecessor();
  auto *Branch = Asks ? dyn_cast<BranchInst>(Asks->getTerminator()) : nullptr;
  CmpPredicate P;
  Value *V;
  if (!Branch || !Branch->isConditional() || LI.getLoopFor(Asks) != &L ||
      !match(Branch->getCondition(), m_ICmp(P, m_Value(V), m_Zero())) ||
      !ICmpInst::isEquality(P) ||
      (V->getType()->isPointerTy() && throughExits(V) != throughExits(getFreedOperand(&Free, &TLI))))
    return;
  unsigned Otherwise = Branch->getSuccessor(0) == In ? 1 : 0;
  if (L.contains(Branch->getSuccessor(Otherwise)))
    markSeldom(*Branch, Otherwise);
}

void Storage::keep() {
  Type *Flag = B.getInt1Ty();
  markNone(Allocates);
  for (CallBase *Free : Frees)
    if (Which == Block::OfThisStep || !testOfNull(*Free))
      markNothingToFree(*Free);
  Kept = local(Allocates.getType(), Constant::getNullValue(Allocates.getType()));
  for (AllocaInst **Local : {&Have, &Will, &Mine, &Next})
    *Local = local(Flag, B.getFalse());
  if (Varies)
    Bytes = local(Size->getType(), ConstantInt::get(Size->getType(), 0));
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  B.CreateStore(B.getFalse(), Next);
  if (Which == Block::OfThisStep)
    B.CreateStore(B.getFalse(), Will);
  B.SetInsertPoint(Latch->getTerminator());
  B.CreateStore(get(Next), Mine);
  allocate();
  for (CallBase *Free : Frees)
    if (Free != Frees.front())
      release(*Free);
  for (BasicBlock *Exit : Exits)
    if (!isa<UnreachableInst>(Exit->getTerminator()))
      leave(*Exit);
  release(*Frees.front());
  DominatorTree DT(*Allocates.getFunction());
  PromoteMemToReg(Locals, DT);
}

/// An allocation of a loop that can keep its blocks.
std::unique_ptr<Storage> findStorage(Function &Copy, LoopInfo &LI, const TargetLibraryInfo &TLI,
                                   SmallPtrSetImpl<Instruction *> &Seen) {
  for (Instruction &I : instructions(Copy)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Loop *L = Call && isAllocLikeFn(Call, &TLI) ? LI.getLoopFor(Call->getParent()) : nullptr;
    if (!L || !Seen.insert(Call).second)
      continue;
    if (auto Of = std::make_unique<Storage>(*Call, *L, LI, TLI); Of->find())
      return Of;
  }
  return nullptr;
}

} // namespace

bool isMarkOfRust(const Function &F) {
  return F.getName().contains("__rust_no_alloc_shim_is_unstable");
}

bool isMarkOfRust(const Instruction *I) {
  auto *Call = dyn_cast_or_null<CallInst>(I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && isMarkOfRust(*Callee);
}

bool keepStorage(Function &Copy, FunctionAnalysisManager &FAM) {
  SmallPtrSet<Instruction *, 8> Seen;
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  bool Any = false;
  while (auto Of = findStorage(Copy, FAM.getResult<LoopAnalysis>(Copy), TLI, Seen)) {
    Of->keep();
    FAM.invalidate(Copy, PreservedAnalyses::none());
    Any = true;
  }
  return Any;
}

void markSeldom(BranchInst &Branch, unsigned Way) {
  LLVMContext &C = Branch.getContext();
  auto *Number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(C), Way));
  Branch.setMetadata(SeldomMark, MDNode::get(C, Number));
}

BasicBlock *seldomAfter(const BasicBlock &B) {
  const MDNode *Mark = B.getTerminator()->getMetadata(SeldomMark);
  return Mark ? B.getTerminator()->getSuccessor(
                    mdconst::extract<ConstantInt>(Mark->getOperand(0))->getZExtValue())
              : nullptr;
}

void markSeldomReached(CallBase &Call) {
  Call.setMetadata(SeldomCallMark, MDNode::get(Call.getContext(), {}));
}

bool isSeldomReached(const BasicBlock &B) {
  return any_of(B, [](const Instruction &I) { return I.hasMetadata(SeldomCallMark); });
}

} // namespace hexpass
