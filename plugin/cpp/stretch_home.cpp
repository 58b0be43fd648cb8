//===- stretch_home.cpp - Arrays that stay on a device ------------------------===//
//
// Consumes: a plan, and who may look at what its sweeps touch. Produces: a frame on
// the activation's stack, which every stretch of the function is handed, and calls
// that bring arrays home:
//
//     stretch(pending, u, v, ..., &frame);
//     if (step % 100 == 0) {
//       if (frame.state) hexrt_home(&frame, reads);
//       print(u);
//     }
//     ...
//     if (frame.state) hexrt_home(&frame, leaves);       // behind the loop
//
// The runtime knows what is newer on the device; here only who may read, and who may
// write. Until the function is complete, marks stand for the calls: sweeps that are
// taken later need none, and marks split no blocks.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace hexpass;

namespace {

constexpr StringLiteral MarkName = "hexpass.home";
constexpr StringLiteral FrameKind = "hexpass.frame";

/// The frame of a function, if it has one.
AllocaInst *findFrame(Function &F) {
  for (Instruction &I : F.getEntryBlock())
    if (I.hasMetadata() && I.getMetadata(FrameKind))
      return cast<AllocaInst>(&I);
  return nullptr;
}

AllocaInst *makeFrame(Function &F) {
  if (AllocaInst *Known = findFrame(F))
    return Known;
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Made = B.CreateAlloca(B.getPtrTy(), nullptr, "frame");
  Made->setMetadata(FrameKind, MDNode::get(F.getContext(), {}));
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Made);
  return Made;
}

bool isFork(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName() == "fork" || Callee->getName() == "vfork");
}

bool hasOperand(const Instruction &I, const Value *V) {
  return is_contained(I.operand_values(), V);
}

/// What makes arrays ready for the same, or for more.
unsigned level(const CallInst &Mark) {
  return 1 + cast<ConstantInt>(Mark.getArgOperand(1))->getZExtValue();
}

void lower(CallInst &Mark) {
  IRBuilder<> B(&Mark);
  Value *Frame = Mark.getArgOperand(0);
  Value *Some = B.CreateIsNotNull(B.CreateLoad(B.getPtrTy(), Frame));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Some, &Mark, false));
  B.SetCurrentDebugLocation(Mark.getDebugLoc());
  Module *M = Mark.getModule();
  auto Home = M->getOrInsertFunction("hexrt_home", B.getVoidTy(), B.getPtrTy(),
                                     B.getInt32Ty());
  cast<Function>(Home.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  B.CreateCall(Home, {Frame, Mark.getArgOperand(1)})->setDoesNotThrow();
  Mark.eraseFromParent();
}

} // namespace

bool hexpass::isHomeMark(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == MarkName;
}

bool hexpass::hasFrame(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && any_of(Call->args(), [](const Use &U) {
    auto *Slot = dyn_cast<AllocaInst>(U.get());
    return Slot && Slot->hasMetadata() && Slot->getMetadata(FrameKind);
  });
}

void hexpass::lowerHomeMarks(Function &F) {
  AllocaInst *Frame = findFrame(F);
  if (!Frame)
    return;
  SmallVector<CallInst *, 16> Kept, Gone;
  for (BasicBlock &B : F) {
    unsigned Known = 0;
    for (Instruction &I : B) {
      if (!isHomeMark(I)) {
        if (isa<CallBase>(I) && hasOperand(I, Frame))
          Known = 0;
        continue;
      }
      auto *Mark = cast<CallInst>(&I);
      (level(*Mark) > Known ? Kept : Gone).push_back(Mark);
      Known = std::max(Known, level(*Mark));
    }
  }
  for (CallInst *Mark : Gone)
    Mark->eraseFromParent();
  for (CallInst *Mark : Kept)
    lower(*Mark);
  if (Function *Declared = F.getParent()->getFunction(MarkName))
    if (Declared->use_empty())
      Declared->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Who may look
//===----------------------------------------------------------------------===//

/// The instruction, or the loop that it stands before, may look at what sweeps touch.
void ShimStretches::noteLook(Instruction *Before, ArrayRef<Instruction *> Who) {
  unsigned How = 0;
  for (Instruction *I : Who) {
    if (hasFrame(*I) || isHomeMark(*I))
      continue;
    if (isFork(*I))
      How |= TouchWrites;
    else if (Sweeps.conflicts(*I))
      How |= Sweeps.touch(*I);
  }
  if (How)
    Looks.push_back({Before, (How & TouchWrites) ? HomeWrites : HomeReads});
}

void ShimStretches::findLooks() {
  for (Block *B : L.blocks())
    if (isDirect(B))
      for (Instruction &I : *B)
        if (isSide(I))
          noteLook(&I, {&I});
  for (Loop *C : L.getSubLoops()) {
    if (SweepLoops.contains(C))
      continue;
    SmallVector<Instruction *, 32> Who;
    for (Block *B : C->blocks())
      for (Instruction &I : *B)
        if (isSide(I) && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
          Who.push_back(&I);
    if (Block *Before = C->getLoopPreheader())
      noteLook(Before->getTerminator(), Who);
    else
      for (Instruction *I : Who)
        noteLook(I, {I});
  }
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

AllocaInst *ShimStretches::frame() {
  if (!Frame)
    Frame = makeFrame(A.F);
  return Frame;
}

void ShimStretches::markHome(Instruction *Before, HomeKind How) {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Module *M = A.F.getParent();
  auto Callee = M->getOrInsertFunction(MarkName, B.getVoidTy(), B.getPtrTy(), B.getInt32Ty());
  auto *Mark = cast<Function>(Callee.getCallee());
  Mark->setDoesNotThrow();
  Mark->setWillReturn();
  Mark->setOnlyAccessesArgMemory();
  B.CreateCall(Callee, {frame(), B.getInt32(How)});
}

/// Sweeps that are taken now look at nothing any more.
void ShimStretches::removeMarks() {
  for (Loop *C : SweepLoops) {
    Instruction *End = C->getLoopPreheader()->getTerminator();
    while (Instruction *Mark = End->getPrevNode()) {
      if (!isHomeMark(*Mark))
        break;
      if (Mark == AppendBefore)
        AppendBefore = End;
      Mark->eraseFromParent();
    }
  }
}

/// What the stretch loads before its nest runs, sizes and addresses, another nest of
/// the frame may have written.
void ShimStretches::lookBeforeLoads() {
  Function &F = *frameArgument()->getParent();
  DominatorTree DT(F);
  LoopInfo LI(DT);
  SmallVector<LoadInst *, 16> Loads;
  for (Block &B : F) {
    if (LI.getLoopFor(&B))
      continue;
    for (Instruction &I : B)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (!isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())))
          Loads.push_back(Load);
  }
  Module *M = F.getParent();
  for (LoadInst *Load : Loads) {
    IRBuilder<> B(Load);
    Argument *Of = frameArgument();
    Value *Some = B.CreateIsNotNull(B.CreateLoad(B.getPtrTy(), Of));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Some, Load, false));
    auto Look = M->getOrInsertFunction("hexrt_look", B.getVoidTy(), B.getPtrTy(),
                                       B.getPtrTy(), B.getInt64Ty());
    cast<Function>(Look.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
    uint64_t Bytes = M->getDataLayout().getTypeStoreSize(Load->getType());
    Value *At = Load->getPointerOperand();
    B.CreateCall(Look, {Of, At, B.getInt64(Bytes)})->setDoesNotThrow();
  }
}

void ShimStretches::markLooks() {
  for (auto [Before, How] : Looks)
    markHome(Before, How);
}
