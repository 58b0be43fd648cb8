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
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace hexpass;

namespace {

constexpr StringLiteral MarkName = "hexpass.home";
constexpr StringLiteral RangeName = "hexpass.look";
constexpr StringLiteral FrameKind = "hexpass.frame";
constexpr StringLiteral OwnKind = "hexpass.own";

/// The frame of a function, if it has one.
AllocaInst *findFrame(Function &F) {
  for (Instruction &I : F.getEntryBlock())
    if (I.hasMetadata() && I.getMetadata(FrameKind))
      return cast<AllocaInst>(&I);
  return nullptr;
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

FunctionCallee weak(Module &M, StringRef Name, ArrayRef<Type *> Arguments) {
  auto *T = FunctionType::get(Type::getVoidTy(M.getContext()), Arguments, false);
  FunctionCallee Callee = M.getOrInsertFunction(Name, T);
  cast<Function>(Callee.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  return Callee;
}

/// The address is only compared: nobody else gets to know an object by it, and what is
/// read of the object stays known.
FunctionCallee look(Module &M) {
  LLVMContext &C = M.getContext();
  Type *P = PointerType::getUnqual(C);
  FunctionCallee Look = weak(M, "hexrt_look", {P, Type::getInt32Ty(C), P, Type::getInt64Ty(C)});
  cast<Function>(Look.getCallee())
      ->addParamAttr(2, Attribute::getWithCaptureInfo(C, CaptureInfo::none()));
  return Look;
}

FunctionCallee home(Module &M) {
  LLVMContext &C = M.getContext();
  return weak(M, "hexrt_home", {PointerType::getUnqual(C), Type::getInt32Ty(C)});
}

using Group = SmallVector<Instruction *, 4>;

/// Nothing from `First` to `Last`, in one block, writes or leaves.
bool isQuietBetween(const Instruction &First, const Instruction &Last) {
  return std::none_of(std::next(First.getIterator()), Last.getIterator(),
                      [](const Instruction &I) { return I.mayHaveSideEffects(); });
}

/// Instructions, in the order of their blocks, in groups that the first one's place does
/// for: what they use is known there, and nothing happens until the last. Loads that
/// one way leads to are one value; behind a way round each they would not be.
SmallVector<Group, 8> inGroups(ArrayRef<Instruction *> All) {
  SmallVector<Group, 8> Groups;
  for (Instruction *I : All) {
    auto IsKnownAt = [&](const Instruction &Place) {
      return none_of(I->operand_values(), [&](const Value *V) {
        auto *Of = dyn_cast<Instruction>(V);
        return Of && Of->getParent() == Place.getParent() && !Of->comesBefore(&Place);
      });
    };
    bool Joins = !Groups.empty() && Groups.back().front()->getParent() == I->getParent() &&
                 isQuietBetween(*Groups.back().back(), *I) &&
                 IsKnownAt(*Groups.back().front());
    if (!Joins)
      Groups.emplace_back();
    Groups.back().push_back(I);
  }
  return Groups;
}

/// A way round, before `Next`, for when something is on a device; the builder goes there.
void goWhereSome(IRBuilderBase &B, Instruction *Next, Value *Frame, DebugLoc At) {
  B.SetInsertPoint(Next);
  Value *Some = B.CreateIsNotNull(B.CreateLoad(B.getPtrTy(), Frame));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Some, Next, false));
  B.SetCurrentDebugLocation(At);
}

void lower(const Group &Marks) {
  auto *First = cast<CallInst>(Marks.front());
  Module &M = *First->getModule();
  IRBuilder<> B(First);
  goWhereSome(B, First, First->getArgOperand(0), First->getDebugLoc());
  for (Instruction *I : Marks) {
    auto *Mark = cast<CallInst>(I);
    SmallVector<Value *, 4> Arguments(Mark->args());
    B.CreateCall(isRange(*Mark) ? look(M) : home(M), Arguments)->setDoesNotThrow();
    Mark->eraseFromParent();
  }
}

/// The marks' declarations, when the last has gone.
void removeUnused(Module &M) {
  for (StringRef Name : {MarkName, RangeName})
    if (Function *Declared = M.getFunction(Name))
      if (Declared->use_empty())
        Declared->eraseFromParent();
}

} // namespace

bool hexpass::isHomeMark(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName() == MarkName || Callee->getName() == RangeName);
}

AllocaInst *hexpass::makeFrame(Function &F) {
  if (AllocaInst *Known = findFrame(F))
    return Known;
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Made = B.CreateAlloca(B.getPtrTy(), nullptr, "frame");
  Made->setMetadata(FrameKind, MDNode::get(F.getContext(), {}));
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()), Made);
  return Made;
}

AllocaInst *hexpass::argumentsOf(const CallBase &Call) {
  // Pointers follow that the arguments hold as numbers (plugin/src/emit/splice.rs).
  bool Ours = callsRuntime(Call) && Call.arg_size() >= 2;
  return Ours ? dyn_cast<AllocaInst>(Call.getArgOperand(1)) : nullptr;
}

bool hexpass::isFrame(const Value *V) {
  auto *Slot = dyn_cast<AllocaInst>(V);
  return Slot && Slot->hasMetadata() && Slot->getMetadata(FrameKind);
}

bool hexpass::isRange(const CallInst &Mark) {
  return Mark.getCalledFunction()->getName() == RangeName;
}

SmallVector<CallInst *, 8> hexpass::trailingMarks(BasicBlock &B) {
  SmallVector<CallInst *, 8> Found;
  for (Instruction *I = B.getTerminator()->getPrevNode(); I; I = I->getPrevNode()) {
    if (isHomeMark(*I))
      Found.push_back(cast<CallInst>(I));
    else if (I->mayReadOrWriteMemory() || I->mayHaveSideEffects() || isa<PHINode>(I))
      break;
  }
  return Found;
}

bool hexpass::hasFrame(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  AllocaInst *Arguments = argumentsOf(*Call);
  if (!Arguments)
    return any_of(Call->args(), [](const Use &U) { return isFrame(U.get()); });
  return any_of(Arguments->users(), [](const User *Field) {
    return isa<GetElementPtrInst>(Field) && any_of(Field->users(), [](const User *U) {
      auto *Store = dyn_cast<StoreInst>(U);
      return Store && isFrame(Store->getValueOperand());
    });
  });
}

bool hexpass::isOwn(const AllocaInst &Slot) { return Slot.getMetadata(OwnKind); }

AllocaInst *hexpass::makeOwn(IRBuilderBase &B, Type *T, Value *Count, const Twine &Name) {
  AllocaInst *Made = B.CreateAlloca(T, Count, Name);
  Made->setMetadata(OwnKind, MDNode::get(B.getContext(), {}));
  return Made;
}

void hexpass::forgetFrames(Function &F) {
  for (Instruction &I : F.getEntryBlock())
    if (isa<AllocaInst>(I))
      for (StringRef Kind : {FrameKind, OwnKind})
        I.setMetadata(Kind, nullptr);
}

void hexpass::lowerHomeMarks(Function &F) {
  AllocaInst *Frame = findFrame(F);
  if (!Frame)
    return;
  SmallVector<Instruction *, 16> Kept, Gone;
  for (BasicBlock &B : F) {
    unsigned Known = 0;
    SmallVector<CallInst *, 8> Ranges;
    for (Instruction &I : B) {
      if (!isHomeMark(I)) {
        if (isa<CallBase>(I) && (hasOperand(I, Frame) || hasFrame(I))) {
          Known = 0;
          Ranges.clear();
        }
        continue;
      }
      auto *Mark = cast<CallInst>(&I);
      bool Again = any_of(Ranges, [&](const CallInst *Other) {
        return equal(Mark->args(), Other->args());
      });
      (level(*Mark) > Known && !Again ? Kept : Gone).push_back(Mark);
      if (isRange(*Mark))
        Ranges.push_back(Mark);
      else
        Known = std::max(Known, level(*Mark));
    }
  }
  for (Instruction *Mark : Gone)
    Mark->eraseFromParent();
  for (const Group &Marks : inGroups(Kept))
    lower(Marks);
  removeUnused(*F.getParent());
}

void hexpass::lowerHandedMarks(Function &Stretch) {
  SmallVector<Instruction *, 4> Marks;
  for (Instruction &I : instructions(Stretch))
    if (isHomeMark(I))
      Marks.push_back(&I);
  for (Instruction *Mark : Marks)
    lower({Mark});
  removeUnused(*Stretch.getParent());
}

//===----------------------------------------------------------------------===//
// Who may look
//===----------------------------------------------------------------------===//

/// A pointer in it is read again where it is used, after the pending sweeps: what it
/// has been before says nothing.
bool HomeMarks::isRelayed(const SCEV *S) const {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && Relayed && Relayed->contains(I);
  });
}

/// The instruction touches a few bytes, or others that it says.
bool HomeMarks::noteRange(Instruction &I) {
  Type *I64 = Type::getInt64Ty(I.getContext());
  if (any_of(I.operand_values(), [&](Value *V) {
        return A.SE.isSCEVable(V->getType()) && isRelayed(A.SE.getSCEV(V));
      }))
    return false;
  auto Note = [&](HomeKind How, Value *At, Value *Bytes, Value *Count = nullptr) {
    Looks.push_back({&I, How, At, Bytes, Count, nullptr, nullptr});
    return true;
  };
  if (auto *Pointer = getLoadStorePointerOperand(&I)) {
    TypeSize Size = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
    if (I.isVolatile() || I.isAtomic() || Size.isScalable())
      return false;
    return Note(isa<LoadInst>(I) ? HomeReads : HomeWrites, const_cast<Value *>(Pointer),
                ConstantInt::get(I64, Size.getFixedValue()));
  }
  if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
    if (Mem->isVolatile() || !Mem->getLength()->getType()->isIntegerTy(64))
      return false;
    if (auto *Transfer = dyn_cast<MemTransferInst>(Mem))
      Note(HomeReads, Transfer->getRawSource(), Mem->getLength());
    return Note(HomeWrites, Mem->getRawDest(), Mem->getLength());
  }
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (auto *Any = dyn_cast<CallBase>(&I); Any && !hasFrame(I) && !isFork(I))
    if (noteObjects(*Any))
      return true;
  if (!Callee || !Callee->isDeclaration() || Callee->getName() != "fwrite" ||
      Call->arg_size() != 4 || !Call->getArgOperand(1)->getType()->isIntegerTy(64) ||
      !Call->getArgOperand(2)->getType()->isIntegerTy(64))
    return false;
  return Note(HomeReads, Call->getArgOperand(0), Call->getArgOperand(1),
              Call->getArgOperand(2));
}

/// Of a call that nothing is known of, it is known which objects it can reach, and how
/// large these are: globals, or memory that the function has got itself.
bool HomeMarks::noteObjects(CallBase &Call) {
  SmallVector<const Value *, 8> Roots;
  unsigned How = Nests.touch(Call, Roots);
  Type *I64 = Type::getInt64Ty(Call.getContext());
  const DataLayout &DL = Call.getDataLayout();
  SmallVector<LookAt, 4> Found;
  for (const Value *Root : Roots) {
    LookAt At{&Call, (How & TouchWrites) ? HomeWrites : HomeReads, const_cast<Value *>(Root)};
    auto *Made = dyn_cast_or_null<Instruction>(Root);
    auto *Slot = dyn_cast_or_null<AllocaInst>(Root);
    // There may be several of it, from several iterations.
    const Loop *Around = Made ? A.LI.getLoopFor(Made->getParent()) : nullptr;
    bool Ends = Call.getIntrinsicID() == Intrinsic::stackrestore;
    if (Around && !(Ends && Around == A.LI.getLoopFor(Call.getParent())))
      return false;
    if (Made && !A.DT.dominates(Made, &Call))
      return false;
    if (Slot) {
      At.Bytes = ConstantInt::get(I64, DL.getTypeAllocSize(Slot->getAllocatedType()));
      At.Count = const_cast<Value *>(Slot->getArraySize());
    } else if (auto *Heap = dyn_cast_or_null<CallBase>(Root)) {
      Attribute Size = Heap->getFnAttr(Attribute::AllocSize);
      if (!isNoAliasCall(Heap) || !Size.isValid())
        return false;
      auto [Bytes, Count] = Size.getAllocSizeArgs();
      At.Bytes = Heap->getArgOperand(Bytes);
      At.Count = Count ? Heap->getArgOperand(*Count) : nullptr;
    } else {
      auto *Global = dyn_cast_or_null<GlobalVariable>(Root);
      // Another unit may have more of it.
      if (!Global || !Global->hasExactDefinition() || !Global->getValueType()->isSized())
        return false;
      At.Bytes = ConstantInt::get(I64, DL.getTypeAllocSize(Global->getValueType()));
    }
    Found.push_back(At);
  }
  Looks.append(Found);
  return !Found.empty();
}

/// The access of a loop goes up or down by fixed distances in it and the loops in it.
bool HomeMarks::findRange(Instruction &I, Loop &C, SmallVectorImpl<LookAt> &To) {
  Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I));
  if (!Pointer || I.isVolatile() || I.isAtomic() ||
      I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).isScalable())
    return false;
  ScalarEvolution &SE = A.SE;
  const SCEV *Base = SE.getSCEV(Pointer);
  Type *Wide = SE.getEffectiveSCEVType(Base->getType());
  const SCEV *Zero = SE.getZero(Wide), *Low = Zero, *High = Zero;
  for (Loop *X = A.LI.getLoopFor(I.getParent());; X = X->getParentLoop()) {
    auto *Moves = dyn_cast<SCEVAddRecExpr>(Base);
    if (Moves && Moves->getLoop() == X) {
      const SCEV *Times = SE.getBackedgeTakenCount(X);
      if (isa<SCEVCouldNotCompute>(Times) || !Moves->isAffine() ||
          SE.getTypeSizeInBits(Times->getType()) > SE.getTypeSizeInBits(Wide))
        return false;
      const SCEV *Way = SE.getMulExpr(SE.getNoopOrZeroExtend(Times, Wide),
                                      Moves->getStepRecurrence(SE));
      if (!SE.isLoopInvariant(Way, &C))
        return false;
      Low = SE.getAddExpr(Low, SE.getSMinExpr(Zero, Way));
      High = SE.getAddExpr(High, SE.getSMaxExpr(Zero, Way));
      Base = Moves->getStart();
    }
    if (!SE.isLoopInvariant(Base, X))
      return false;
    if (X == &C)
      break;
  }
  uint64_t Size = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  const SCEV *From = SE.getAddExpr(Base, Low);
  if (isRelayed(From))
    return false;
  const SCEV *Bytes = SE.getAddExpr(SE.getMinusSCEV(High, Low), SE.getConstant(Wide, Size));
  HomeKind How = isa<LoadInst>(I) ? HomeReads : HomeWrites;
  auto Same = [&](const LookAt &Other) {
    return Other.Lowest == From && Other.Length == Bytes && Other.How == How;
  };
  if (none_of(To, Same))
    To.push_back({nullptr, How, nullptr, nullptr, nullptr, From, Bytes});
  return true;
}

/// All of the loop's accesses that matter are of that kind, and there are few.
bool HomeMarks::noteRanges(Loop &C, ArrayRef<Instruction *> Who) {
  constexpr size_t MostRanges = 8;
  SmallVector<LookAt, 8> Found;
  for (Instruction *I : Who)
    if (!hasFrame(*I) && (isFork(*I) || Nests.conflicts(*I)))
      if (!findRange(*I, C, Found) || Found.size() > MostRanges)
        return false;
  for (LookAt &Each : Found) {
    Each.Before = C.getLoopPreheader()->getTerminator();
    Looks.push_back(Each);
  }
  return true;
}

/// Before anything changes.
void HomeMarks::expand() {
  SCEVExpander Expander(A.SE, "look");
  for (LookAt &Each : Looks) {
    if (!Each.Lowest)
      continue;
    // Else everything comes home.
    if (!Expander.isSafeToExpandAt(Each.Lowest, Each.Before) ||
        !Expander.isSafeToExpandAt(Each.Length, Each.Before))
      continue;
    Type *I64 = Type::getInt64Ty(A.F.getContext());
    Each.At = Expander.expandCodeFor(Each.Lowest, Each.Lowest->getType(), Each.Before);
    Each.Bytes = Expander.expandCodeFor(Each.Length, I64, Each.Before);
  }
}

/// The instruction, or the loop that it stands before, may look at what sweeps touch.
void HomeMarks::noteLook(Instruction *Before, ArrayRef<Instruction *> Who) {
  unsigned How = 0;
  for (Instruction *I : Who) {
    if (hasFrame(*I) || isHomeMark(*I))
      continue;
    if (isFork(*I))
      How |= TouchWrites;
    else if (Nests.conflicts(*I))
      How |= Nests.touch(*I);
  }
  if (How)
    Looks.push_back({Before, (How & TouchWrites) ? HomeWrites : HomeReads, nullptr, nullptr,
                     nullptr, nullptr, nullptr});
}

void HomeMarks::note(Instruction &I) {
  if (!(Nests.conflicts(I) && noteRange(I)))
    noteLook(&I, {&I});
}

void HomeMarks::note(Loop &C, function_ref<bool(const Instruction &)> Counts) {
  SmallVector<Instruction *, 32> Who;
  for (BasicBlock *B : C.blocks())
    for (Instruction &I : *B)
      if (Counts(I) && (I.mayReadOrWriteMemory() || I.mayHaveSideEffects()))
        Who.push_back(&I);
  if (BasicBlock *Before = C.getLoopPreheader()) {
    if (!noteRanges(C, Who))
      noteLook(Before->getTerminator(), Who);
  } else
    for (Instruction *I : Who)
      noteLook(I, {I});
}

void ShimStretches::findLooks() {
  for (Block *B : L.blocks())
    if (isDirect(B))
      for (Instruction &I : *B)
        if (isSide(I))
          Home.note(I);
  for (Loop *C : L.getSubLoops())
    if (!SweepLoops.contains(C))
      Home.note(*C, [&](const Instruction &I) { return isSide(I); });
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

AllocaInst *HomeMarks::frame() {
  if (!Frame)
    Frame = makeFrame(A.F);
  return Frame;
}

void hexpass::markHome(Instruction *Before, Value *Frame, HomeKind How, DebugLoc At) {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(At);
  Module *M = Before->getModule();
  auto Callee = M->getOrInsertFunction(MarkName, B.getVoidTy(), B.getPtrTy(), B.getInt32Ty());
  auto *Mark = cast<Function>(Callee.getCallee());
  Mark->setDoesNotThrow();
  Mark->setWillReturn();
  Mark->setOnlyAccessesInaccessibleMemory();
  B.CreateCall(Callee, {Frame, B.getInt32(How)});
}

void HomeMarks::markHome(Instruction *Before, HomeKind How) {
  hexpass::markHome(Before, frame(), How, At);
}

void HomeMarks::callHome(IRBuilderBase &B, HomeKind How) {
  goWhereSome(B, &*B.GetInsertPoint(), frame(), At);
  B.CreateCall(home(*A.F.getParent()), {frame(), B.getInt32(How)})->setDoesNotThrow();
}

/// Sweeps that are taken now look at nothing any more.
void ShimStretches::removeMarks() {
  for (Loop *C : SweepLoops) {
    Block *Before = C->getLoopPreheader();
    for (CallInst *Mark : trailingMarks(*Before)) {
      if (Mark == AppendBefore)
        AppendBefore = Mark->getNextNode();
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
  SmallVector<Instruction *, 16> Loads;
  for (Block &B : F) {
    if (LI.getLoopFor(&B))
      continue;
    for (Instruction &I : B)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (!isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())))
          Loads.push_back(Load);
  }
  Module &M = *F.getParent();
  for (const Group &Together : inGroups(Loads)) {
    IRBuilder<> B(Together.front());
    goWhereSome(B, Together.front(), frameArgument(), B.getCurrentDebugLocation());
    SmallSet<std::pair<Value *, uint64_t>, 8> Done;
    for (Instruction *Load : Together) {
      uint64_t Bytes = M.getDataLayout().getTypeStoreSize(Load->getType());
      Value *At = getLoadStorePointerOperand(Load);
      if (Done.insert({At, Bytes}).second)
        B.CreateCall(look(M), {frameArgument(), B.getInt32(HomeReads), At, B.getInt64(Bytes)})
            ->setDoesNotThrow();
    }
  }
}

/// Bytes, or everything.
void HomeMarks::markLook(const LookAt &Of) {
  if (!Of.At)
    return markHome(Of.Before, Of.How);
  IRBuilder<> B(Of.Before);
  B.SetCurrentDebugLocation(At);
  Value *Bytes = B.CreateZExtOrTrunc(Of.Bytes, B.getInt64Ty());
  if (Of.Count)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Of.Count, B.getInt64Ty()));
  Type *P = B.getPtrTy();
  auto Callee = A.F.getParent()->getOrInsertFunction(RangeName, B.getVoidTy(), P,
                                                     B.getInt32Ty(), P, B.getInt64Ty());
  auto *Mark = cast<Function>(Callee.getCallee());
  Mark->setDoesNotThrow();
  Mark->setWillReturn();
  // It touches nothing as yet, and nobody learns of an address by it.
  LLVMContext &C = A.F.getContext();
  Mark->addParamAttr(2, Attribute::getWithCaptureInfo(C, CaptureInfo::none()));
  Mark->setOnlyAccessesInaccessibleMemory();
  B.CreateCall(Callee, {frame(), B.getInt32(Of.How), Of.At, Bytes});
}

void HomeMarks::mark() {
  for (const LookAt &Each : Looks)
    markLook(Each);
}

//===----------------------------------------------------------------------===//
// The face to Rust
//===----------------------------------------------------------------------===//

bool shim_has_frame(LLVMValueRef F) {
  return findFrame(*cast<Function>(llvm::unwrap(F)));
}

void shim_drop_frame(LLVMValueRef F) {
  AllocaInst *Frame = findFrame(*cast<Function>(llvm::unwrap(F)));
  if (!Frame || !Frame->hasOneUse())
    return;
  Frame->user_back()->eraseFromParent();
  Frame->eraseFromParent();
}
