//===- stretch_host.cpp - The time loop without its sweeps -------------------===//
//
// Consumes: a plan whose stretch has been made. Produces: the time loop that
// counts pending steps where its sweeps were, and calls the stretch before
// whoever may look at what they touch, and where the loop is left. The counter
// lies in memory; the host's own passes put it into a register.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "joined_copies.h"
#include "plain_flags.h"
#include "stretches.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace hexpass;

/// What the stretch is handed for so many steps from the phis in `From` on; `Before` of those
/// whose values are queued have gone before.
SmallVector<Value *, 16> ShimStretches::arguments(IRBuilderBase &B, Value *Count,
                                                  ArrayRef<AllocaInst *> From, Value *Before) {
  SmallVector<Value *, 16> Arguments{Count};
  append_range(Arguments, LiveIns);
  for (auto [Phi, Base] : zip(Carried, From))
    Arguments.push_back(B.CreateLoad(Phi->getType(), Base));
  for (auto [V, Queue] : zip(Queued, Queues))
    Arguments.push_back(Before ? B.CreateInBoundsGEP(V->getType(), Queue, Before) : Queue);
  append_range(Arguments, Slots);
  handBoxes(B, Arguments);
  Arguments.push_back(frame());
  return Arguments;
}

void ShimStretches::call(IRBuilderBase &B, Value *Count) {
  auto Steps = [&](Function *Of, Value *Many, ArrayRef<AllocaInst *> From,
                   Value *Before) {
    CallInst *Call = B.CreateCall(Of, arguments(B, Many, From, Before));
    if (!mayThrow())
      Call->setDoesNotThrow();
  };
  if (Records) {
    Instruction *Rest = &*B.GetInsertPoint();
    if (Whole) {
      Instruction *Beside = nullptr, *Among = nullptr;
      Value *Is = mayRecordLater(B, Count);
      SplitBlockAndInsertIfThenElse(Is, Rest, &Beside, &Among);
      B.SetInsertPoint(Among);
      B.SetCurrentDebugLocation(L.getStartLoc());
      Home.markHome(Among, HomeWrites);
      Steps(Whole, Count, Bases, nullptr);
      B.SetInsertPoint(Beside);
      B.SetCurrentDebugLocation(L.getStartLoc());
    }
    Steps(Model, Count, Bases, nullptr);
    bringLinesHome(B, Count);
    Steps(Stretch, Count, Bases, nullptr);
    B.SetInsertPoint(Rest);
    B.SetCurrentDebugLocation(L.getStartLoc());
  } else if (KeptExits.empty()) {
    Steps(Stretch, Count, Bases, nullptr);
  } else {
    // The last step leaves its values, as it was written.
    Value *Others = B.CreateSub(Count, B.getInt64(1), "", true, true);
    Instruction *Last_ = &*B.GetInsertPoint();
    Value *Several = B.CreateICmpNE(Others, B.getInt64(0));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Several, Last_, false));
    Steps(Model, Others, Bases, nullptr);
    B.SetInsertPoint(Last_);
    B.SetCurrentDebugLocation(L.getStartLoc());
    if (mayRepeat()) {
      // A device that has the arrays does the step too: they need not go there again.
      Home.callHome(B, HomeRepeats);
      Steps(Model, B.getInt64(1), Lasts, Others);
    } else {
      Home.markHome(Last_, HomeWrites);
    }
    B.SetInsertPoint(Last_);
    B.SetCurrentDebugLocation(L.getStartLoc());
    Steps(Stretch, B.getInt64(1), Lasts, Others);
  }
  B.CreateStore(B.getInt64(0), Pending);
}

void ShimStretches::flush(Instruction *Before, bool MayStandBy) {
  if (!Reductions.empty())
    return settle(Before);
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Count = B.CreateLoad(B.getInt64Ty(), Pending);
  Value *Some = B.CreateICmpNE(Count, B.getInt64(0));
  if (MayStandBy)
    Some = B.CreateAnd(Some, mayMeet(B));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Some, Before, false));
  call(B, Count);
}

/// One more step is pending; the first one's phis and everyone's queued values
/// are kept. A full queue is flushed.
void ShimStretches::append() {
  IRBuilder<> B(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Count = B.CreateLoad(B.getInt64Ty(), Pending);
  Value *Empty = B.CreateICmpEQ(Count, B.getInt64(0));
  for (auto [Phi, Base] : zip(Carried, Bases)) {
    Value *Kept = B.CreateLoad(Phi->getType(), Base);
    B.CreateStore(B.CreateSelect(Empty, Phi, Kept), Base);
  }
  for (auto [Phi, Last_] : zip(Carried, Lasts))
    B.CreateStore(Phi, Last_);
  if (Stepped)
    B.CreateStore(B.getTrue(), Stepped);
  for (auto [V, Queue] : zip(Queued, Queues))
    B.CreateStore(V, B.CreateInBoundsGEP(V->getType(), Queue, Count));
  Value *More = B.CreateAdd(Count, B.getInt64(1), "", true, true);
  B.CreateStore(More, Pending);
  ask(Empty);
  B.SetInsertPoint(AppendBefore);
  if (Records)
    learnBoxes(B);
  Value *Most_ = Records ? B.CreateLoad(B.getInt64Ty(), Fill) : cast<Value>(B.getInt64(Capacity));
  Value *Full = B.CreateICmpUGE(More, Most_);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Full, AppendBefore, false));
  call(B, More);
}

void ShimStretches::removeSweeps() {
  SmallVector<Block *, 16> Dead;
  for (Loop *C : SweepLoops) {
    passBy(*C->getLoopPreheader(), *C->getHeader(), *ExitOf.lookup(C));
    append_range(Dead, C->blocks());
  }
  DeleteDeadBlocks(Dead);
  SmallVector<WeakTrackingVH, 16> Unused;
  for (Block *B : Checks) {
    auto *Check = cast<BranchInst>(B->getTerminator());
    unsigned On = wayOn(*Check);
    Unused.push_back(Check->getCondition());
    Check->getSuccessor(1 - On)->removePredecessor(B);
    BranchInst::Create(Check->getSuccessor(On), B);
    Check->eraseFromParent();
  }
  for (Instruction *Store : Stores) {
    for (Value *Operand : Store->operands())
      Unused.push_back(Operand);
    Store->eraseFromParent();
  }
  for (const Reduction &R : Reductions)
    if (R.Probe)
      Unused.push_back(R.Probe);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
}

/// What the pending steps need, as before the first of them.
void ShimStretches::prepare() {
  IRBuilder<> B(&*A.F.getEntryBlock().getFirstInsertionPt());
  Pending = makeOwn(B, B.getInt64Ty(), nullptr, "pending");
  for (PHINode *Phi : Carried)
    Bases.push_back(makeOwn(B, Phi->getType(), nullptr, "first"));
  for (Value *V : Queued)
    Queues.push_back(makeOwn(B, V->getType(), B.getInt64(Capacity), "queue"));
  for (PHINode *Exit : KeptExits)
    Slots.push_back(makeOwn(B, Exit->getType(), nullptr, "kept"));
  if (!KeptExits.empty()) {
    for (PHINode *Phi : Carried)
      Lasts.push_back(makeOwn(B, Phi->getType(), nullptr, "last"));
    Stepped = makeOwn(B, B.getInt1Ty(), nullptr, "stepped");
  }
  IRBuilder<> Before(L.getLoopPreheader()->getTerminator());
  prepareQuestion(B, Before);
  prepareBoxes(B, Before);
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  B.CreateStore(B.getInt64(0), Pending);
  if (Stepped)
    B.CreateStore(B.getFalse(), Stepped);
  for (AllocaInst *Slot : Slots)
    B.CreateStore(Constant::getNullValue(Slot->getAllocatedType()), Slot);
  for (auto [Phi, Base] : zip(Carried, Bases))
    B.CreateStore(
        Phi->getIncomingValueForBlock(L.getLoopPreheader()), Base);
}

/// Whether an alarm was raised is the runtime's to know.
void ShimStretches::eraseHeard() {
  for (const Reduction &R : Reductions)
    while (R.IsAlarm && !R.Exit->use_empty()) {
      auto *Hears = cast<Instruction>(R.Exit->user_back());
      if (Hears == AppendBefore)
        AppendBefore = Hears->getNextNode();
      Hears->eraseFromParent();
    }
}

void ShimStretches::commit() {
  findLooks();
  Home.expand();
  A.Stale = true;
  if (Reductions.empty() && !Apart)
    prepare();
  SmallVector<Block *, 4> Exits = splitExits();
  removeMarks();
  for (Instruction *Marker : Lifetimes) {
    if (!Sweeps.touches(Marker->getOperand(0)))
      continue;
    if (Marker == AppendBefore)
      AppendBefore = Marker->getNextNode();
    Marker->eraseFromParent();
  }
  eraseHeard();
  for (Instruction *I : Raised) {
    I->moveBefore(AppendBefore->getIterator());
    I->dropUBImplyingAttrsAndMetadata();
  }
  if (!Reductions.empty())
    runAhead();
  else if (Apart)
    callNow();
  else
    append();
  for (Instruction *Before : Syncs)
    flush(Before);
  for (Instruction *Before : Doubtful)
    flush(Before, /*MayStandBy=*/true);
  for (const Relay &R : Relays) {
    flush(R.Before);
    IRBuilder<> After(R.Before);
    LoadInst *Load = After.CreateLoad(R.Of->get()->getType(), R.Store->getPointerOperand());
    R.Of->set(Load);
    // The elements of a trace may be a device's.
    if (!isWord(*R.Store))
      Home.note(*Load);
  }
  handOut();
  Home.mark();
  for (Block *Exit : Exits) {
    Instruction *At = &*Exit->getFirstInsertionPt();
    if (!Apart || !Reductions.empty())
      flush(At);
    freeLines(*At);
    Home.markHome(At, HomeLeaves);
    if (!Apart)
      handOut(*At);
  }
  if (isLean())
    removeDerived();
  for (auto [Exit, Sum] : zip(KeptExits, Sums))
    Exit->replaceAllUsesWith(Sum);
  removeSweeps();
  // What only the sweeps' checks led to.
  EliminateUnreachableBlocks(A.F);
  if (Ahead)
    leaveToOriginal();
  lookBeforeLoads();
  makeQuestion();
  for (Function *Own : {Stretch, Model, Bounds, Whole, Question}) {
    if (!Own)
      continue;
    lowerHandedMarks(*Own);
    A.Ctx.FAM.invalidate(*Own, PreservedAnalyses::none());
    JoinCopies().run(*Own, A.Ctx.FAM);
    A.Ctx.FAM.invalidate(*Own, NumbersToFlags().run(*Own, A.Ctx.FAM));
    stripDebugInfo(*Own);
    Own->addFnAttr(SeenAttribute);
    Own->addFnAttr(TakenAttribute);
  }
}

//===----------------------------------------------------------------------===//
// The face to Rust
//===----------------------------------------------------------------------===//

ShimStretches *shim_stretches_new(ShimAnalyses *A, ShimLoopRef In,
                                  bool WithStores, bool Keeps, bool Records,
                                  bool *Reductions, ShimStretchRefusal *Why,
                                  LLVMValueRef *Culprit) {
  auto &L = *const_cast<Loop *>(hexpass::unwrap(In));
  auto D =
      std::make_unique<ShimStretches>(*A, L, WithStores, *Reductions, Keeps, Records);
  bool Made = D->plan() && D->build();
  *Reductions = D->Reduces;
  if (Made)
    return D.release();
  *Why = D->Refusal;
  *Culprit = llvm::wrap(const_cast<Instruction *>(D->Culprit));
  return nullptr;
}

LLVMValueRef shim_stretches_function(const ShimStretches *D) {
  return llvm::wrap(static_cast<Value *>(D->Model ? D->Model : D->Stretch));
}

LLVMValueRef shim_stretches_ahead(const ShimStretches *D) {
  return D->Ahead ? llvm::wrap(static_cast<Value *>(D->Ahead)) : nullptr;
}

LLVMValueRef shim_stretches_frame(const ShimStretches *D) {
  return llvm::wrap(static_cast<Value *>(D->frameArgument()));
}

size_t shim_stretches_reductions(const ShimStretches *D,
                                 ShimReduction *To, size_t Capacity) {
  SmallVector<ShimReduction, 8> Found;
  auto Add = [&](const Reduction &R, unsigned Word, ShimReductionKind Kind) {
    Found.push_back({llvm::wrap(static_cast<Value *>(D->Grids[Word])), Kind,
                     R.CountsNaNs, R.Yields, R.SignOfZero, R.Strict,
                     R.result()->getType()->isFloatTy(), R.IsAlarm});
  };
  for (const Reduction &R : D->Reductions) {
    Add(R, R.Word, R.IsOrdered ? ShimReductionTerms
                   : R.IsSum   ? ShimReductionSum
                   : R.Largest ? ShimReductionLargest
                               : ShimReductionSmallest);
    if (R.IsWide)
      Add(R, R.Word + 1, ShimReductionTerms);
    if (R.Product)
      Add(R, R.Word + !R.isSquare(), ShimReductionFactors);
    // Of magnitudes, one array says both.
    if (R.isBounded())
      Add(R, R.Word + R.SignOfZero, ShimReductionMagnitudes);
  }
  return hexpass::fill(Found, To, Capacity, [](const ShimReduction &R) { return R; });
}

ShimPace shim_stretches_pace(const ShimStretches *D, LLVMValueRef *Culprit) {
  *Culprit = llvm::wrap(const_cast<Instruction *>(D->PaceCulprit));
  return D->Pace;
}

void shim_stretches_commit(ShimStretches *D) {
  D->commit();
  delete D;
}

void shim_stretches_drop(ShimContext *Ctx, ShimStretches *D) {
  for (Function *Made : {D->Model, D->Bounds, D->Whole, D->Stretch}) {
    if (!Made)
      continue;
    Ctx->FAM.clear(*Made, Made->getName());
    Made->eraseFromParent();
  }
  delete D;
}
