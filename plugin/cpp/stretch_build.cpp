//===- stretch_build.cpp - The sweeps of several steps as a function -------===//
//
// Consumes: a plan. Produces: an internal function
//
//     stretch(count, values known before the loop, phis at the first step,
//             queues, frame)
//
// that executes the sweeps of `count` steps in a plain counted loop: integers and
// pointers that go on from step to step are computed again, other values are read
// from the queues. Refuses sweeps that need what can't be had in either way.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "canonicalise.h"
#include "small_numbers.h"
#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Of an argument that was read from memory: the number of the object, and the bytes from its
/// beginning.
constexpr StringLiteral HeldAt = "hexpass-held-at";
/// Of an argument: what it was when the time loop began.
constexpr StringLiteral FirstValue = "hexpass-first-value";
/// Bytes of all queues together, on the stack.
constexpr uint64_t QueueBytes = 32768;
/// Instructions from before the loop that the stretch repeats.
constexpr size_t MostOuter = 200;
/// Steps of one stretch: the runtime takes fewer than 2^30.
constexpr uint64_t MostSteps = 1 << 29;

bool canQueue(Type *T) {
  return T->isFloatTy() || T->isDoubleTy() || T->isIntegerTy(8) ||
         T->isIntegerTy(16) || T->isIntegerTy(32) || T->isIntegerTy(64);
}

/// Says something about one iteration, or to the optimiser alone.
bool isLeftOut(const Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  return Intrinsic && Intrinsic->isAssumeLikeIntrinsic();
}

} // namespace

//===----------------------------------------------------------------------===//
// What it needs
//===----------------------------------------------------------------------===//

/// `V` is made of integers and pointers of this step, of what goes on from step
/// to step in that way, and of what is known before the loop.
bool ShimStretches::closes(Value *V, SmallSetVector<Value *, 16> &Seen) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Seen.contains(V))
    return true;
  if (!isDirect(I->getParent()) ||
      !(V->getType()->isIntegerTy() || V->getType()->isPointerTy()))
    return false;
  Seen.insert(V);
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    if (Phi->getParent() == L.getHeader())
      return closes(Phi->getIncomingValueForBlock(L.getLoopLatch()), Seen);
    return Phi->getNumIncomingValues() == 1 &&
           closes(Phi->getIncomingValue(0), Seen);
  }
  return isPlain(*I) &&
         all_of(I->operand_values(), [&](Value *O) { return closes(O, Seen); });
}

/// Arithmetic that may be done anywhere, and twice.
bool ShimStretches::isPlain(const Instruction &I) const {
  return !isa<PHINode>(I) && !isa<FreezeInst>(I) && !I.mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(&I);
}

bool ShimStretches::note(Value *V) {
  if (isa<Constant>(V) || isa<MetadataAsValue>(V) || isa<InlineAsm>(V) ||
      isa<Block>(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I)) {
    if (I && isPlain(*I) && Outer.size() < MostOuter) {
      if (Outer.insert(V).second)
        return noteOperands(*I);
      return true;
    }
    LiveIns.insert(V);
    return true;
  }
  if (isInSweep(*I) || InPlace.contains(I) || Recomputed.contains(V) ||
      Queued.contains(V))
    return true;
  if (!isDirect(I->getParent()))
    return refuse(ShimStretchValue, I);
  if (isUnalarmed(*I)) {
    LiveIns.insert(V);
    return true;
  }
  if (dependsOnSweeps(V)) {
    bool Kept = SpineOf.contains(I->getParent()) ||
                isKept(SegmentOf.lookup(I->getParent()));
    if (!Kept || isa<PHINode>(I))
      return refuse(ShimStretchValue, I);
    InPlace.insert(I);
    return noteOperands(*I);
  }
  if (Apart)
    return noteNow(*I);
  SmallSetVector<Value *, 16> Seen;
  if (closes(V, Seen)) {
    for (Value *Part : Seen) {
      Recomputed.insert(Part);
      auto *Phi = dyn_cast<PHINode>(Part);
      if (Phi && Phi->getParent() == L.getHeader())
        Carried.insert(Phi);
    }
    for (Value *Part : Seen)
      for (Value *Operand : cast<Instruction>(Part)->operands())
        if (auto *By = dyn_cast<Instruction>(Operand); !By || !L.contains(By))
          if (!isa<PHINode>(Part) && !note(Operand))
            return false;
    // What a phi of the header starts with is the host's to say.
    for (Value *Part : Seen)
      if (auto *Phi = dyn_cast<PHINode>(Part))
        for (auto [Block_, Incoming] : zip(Phi->blocks(), Phi->incoming_values()))
          if (L.contains(Block_) && !note(Incoming))
            return false;
    return true;
  }
  if (!canQueue(V->getType()) || !isThereInTime(*I))
    return refuse(V->getType()->isPointerTy() ? ShimStretchPointer : ShimStretchValue, I);
  Queued.insert(V);
  return true;
}

/// It is known before the step's sweeps wait, or can be: arithmetic, functions of libm too, that
/// stands under a condition further down.
bool ShimStretches::isThereInTime(Instruction &I) {
  if (any_of(Reductions, [&](const Reduction &R) { return R.result() == &I; }))
    return false;
  if (A.DT.dominates(&I, AppendBefore) || Raised.contains(&I))
    return true;
  auto *Call = dyn_cast<CallInst>(&I);
  if (Raised.size() >= MostOuter || !(isPlain(I) || (Call && isMathematics(*Call))))
    return false;
  bool There = all_of(I.operand_values(), [&](Value *O) {
    auto *By = dyn_cast<Instruction>(O);
    return !By || !L.contains(By) || isThereInTime(*By);
  });
  if (There)
    Raised.insert(&I);
  return There;
}

/// What the step has computed by then is passed.
bool ShimStretches::noteNow(Instruction &I) {
  // Addresses that a program keeps as numbers: what is known of a pointer can be said of an
  // argument.
  bool IsAddress = isa<IntToPtrInst>(I) && A.DT.dominates(&I, AppendBefore);
  if (isPlain(I) && !IsAddress && Outer.size() < MostOuter)
    return !Outer.insert(&I).second || noteOperands(I);
  if (!A.DT.dominates(&I, AppendBefore))
    return refuse(ShimStretchValue, &I);
  LiveIns.insert(&I);
  return true;
}

bool ShimStretches::noteOperands(const Instruction &I) {
  return all_of(I.operands(), [&](Value *O) { return note(O); });
}

/// What a failing check says; others than the sweeps' may lead there too.
bool ShimStretches::noteFailing(const Instruction &I) {
  for (const Use &U : I.operands()) {
    auto *Phi = dyn_cast<PHINode>(&I);
    if (Phi && !isFromSweep(Phi->getIncomingBlock(U)))
      continue;
    auto *From = dyn_cast<Instruction>(U.get());
    if (From && Failing.contains(From->getParent()))
      continue;
    if (!note(U.get()))
      return false;
  }
  return true;
}

bool ShimStretches::collect() {
  for (Loop *C : SweepLoops)
    for (Block *B : C->blocks())
      for (Instruction &I : *B)
        if (!isLeftOut(I) && !noteOperands(I))
          return false;
  for (Block *B : Failing)
    for (Instruction &I : *B)
      if (!isLeftOut(I) && !noteFailing(I))
        return false;
  for (Instruction *Store : Stores)
    if (!noteOperands(*Store))
      return false;
  for (StoreInst *Store : Words)
    if (!noteOperands(*Store))
      return false;
  for (const Reduction &R : Reductions)
    if (R.Probe && !note(R.Probe))
      return false;
  for (unsigned Segment : KeptSegments) {
    if (!noteOperands(*Spine[Segment]->getTerminator()))
      return false;
    for (Block *B : L.blocks())
      if (isDirect(B) && !SpineOf.contains(B) &&
          SegmentOf.lookup(B) == Segment && !noteOperands(*B->getTerminator()))
        return false;
  }
  if (Records && !recordsOnly())
    return refuse(ShimStretchValue, Receivers.front().Load);
  Capacity = MostSteps;
  if (!Reductions.empty())
    return keepsUp();
  if (!Queued.empty())
    Capacity = std::max<uint64_t>(QueueBytes / (8 * Queued.size()), 64);
  return true;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

namespace {

/// The attributes that decide what code means, without those that speak of the
/// caller's own memory and inlining.
AttributeList attributesOf(const Function &F) {
  AttrBuilder B(F.getContext(), F.getAttributes().getFnAttrs());
  for (auto Kind : {Attribute::Memory, Attribute::AlwaysInline,
                    Attribute::InlineHint, Attribute::NoReturn,
                    Attribute::NoRecurse, Attribute::WillReturn,
                    Attribute::StackProtect, Attribute::StackProtectReq,
                    Attribute::StackProtectStrong})
    B.removeAttribute(Kind);
  B.removeAttribute(SeenAttribute);
  B.addAttribute(Attribute::NoInline);
  return AttributeList::get(F.getContext(), AttributeList::FunctionIndex, B);
}

/// What is known of an argument is known of the same value as another's: that it
/// may be loaded from, so that loads leave the loops.
void passOn(const Value *V, Argument &As) {
  auto *Of = dyn_cast<Argument>(V);
  if (!Of)
    return;
  for (auto Kind : {Attribute::Dereferenceable, Attribute::DereferenceableOrNull,
                    Attribute::NonNull, Attribute::Alignment, Attribute::NoUndef})
    if (Attribute Known = Of->getAttribute(Kind); Known.isValid())
      As.addAttr(Known);
}

/// Where in memory values are held that are handed on: those of one object, as a descriptor,
/// belong together.
class Holders {
public:
  void passOn(const Value *V, Argument &As) {
    auto *Load = dyn_cast<LoadInst>(V);
    if (!Load || !Load->isSimple())
      return;
    int64_t Offset = 0;
    const Value *Object = GetPointerBaseWithConstantOffset(Load->getPointerOperand(), Offset,
                                                           Load->getDataLayout());
    unsigned Number = Numbers.try_emplace(Object, Numbers.size()).first->second;
    As.addAttr(Attribute::get(As.getContext(), HeldAt,
                              utostr(Number) + " " + itostr(Offset)));
  }

private:
  SmallDenseMap<const Value *, unsigned> Numbers;
};

void stripScopes(Instruction &I) {
  I.setMetadata(LLVMContext::MD_alias_scope, nullptr);
  I.setMetadata(LLVMContext::MD_noalias, nullptr);
  I.setMetadata(LLVMContext::MD_loop, nullptr);
  I.setMetadata(LLVMContext::MD_access_group, nullptr);
  I.dropDbgRecords();
}

} // namespace

Instruction *ShimStretches::copyOf(const Instruction &I, Block *To) {
  Instruction *New = I.clone();
  New->insertInto(To, To->end());
  if (!I.getType()->isVoidTy())
    New->setName(I.getName());
  stripScopes(*New);
  Map[&I] = New;
  return New;
}

/// The value in the stretch; what is recomputed is written at the start of the
/// body on first demand.
Value *ShimStretches::mapped(Value *V) {
  if (isa<Constant>(V) || isa<MetadataAsValue>(V) || isa<InlineAsm>(V))
    return V;
  auto It = Map.find(V);
  if (It != Map.end())
    return It->second;
  auto *I = cast<Instruction>(V);
  if (auto *Phi = dyn_cast<PHINode>(I)) {
    Value *Same = mapped(Phi->getIncomingValue(0));
    Map[V] = Same;
    return Same;
  }
  SmallVector<Value *, 4> Operands;
  for (Value *O : I->operands())
    Operands.push_back(mapped(O));
  Instruction *New = I->clone();
  for (auto [Index, Operand] : enumerate(Operands))
    New->setOperand(Index, Operand);
  Block *Where = Outer.contains(V) ? &Stretch->getEntryBlock() : Body;
  New->insertBefore(Where->getTerminator()->getIterator());
  New->setName(I->getName());
  stripScopes(*New);
  Map[V] = New;
  return New;
}

/// What it is when a time loop begins, or likely is: what a variable of a module begins with.
static const ConstantInt *firstValue(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    auto *Variable = dyn_cast<GlobalVariable>(Load->getPointerOperand());
    if (Variable && Variable->hasDefinitiveInitializer() &&
        Variable->getValueType() == Load->getType())
      V = Variable->getInitializer();
  }
  auto *Known = dyn_cast<ConstantInt>(V);
  return Known && Known->getBitWidth() <= 64 ? Known : nullptr;
}

bool shim_held_at(LLVMValueRef Of_, unsigned *Object, int64_t *Offset) {
  auto *Of = dyn_cast<Argument>(unwrap(Of_));
  if (!Of)
    return false;
  Attribute Known = Of->getParent()->getAttributes().getParamAttr(Of->getArgNo(), HeldAt);
  if (!Known.isValid())
    return false;
  auto [Number, Bytes] = Known.getValueAsString().split(' ');
  return !Number.getAsInteger(10, *Object) && !Bytes.getAsInteger(10, *Offset);
}

bool shim_first_value(LLVMValueRef Of_, int64_t *Value_) {
  Value *V = unwrap(Of_);
  if (const ConstantInt *Known = isa<LoadInst>(V) ? firstValue(V) : nullptr) {
    *Value_ = Known->getSExtValue();
    return true;
  }
  auto *Of = dyn_cast<Argument>(V);
  if (!Of)
    return false;
  Attribute Known = Of->getParent()->getAttributes().getParamAttr(Of->getArgNo(), FirstValue);
  return Known.isValid() && !Known.getValueAsString().getAsInteger(10, *Value_);
}

bool ShimStretches::build() {
  LLVMContext &Context = A.F.getContext();
  Type *I64 = Type::getInt64Ty(Context);
  SmallVector<Type *, 16> Types{I64};
  for (Value *V : LiveIns)
    Types.push_back(V->getType());
  for (PHINode *Phi : Carried)
    Types.push_back(Phi->getType());
  Types.append(Queued.size() + (isLean() ? KeptExits.size() : 0),
               PointerType::getUnqual(Context));
  if (!Reductions.empty()) {
    Types.append(1 + words(), PointerType::getUnqual(Context));
    Types.append(2, I64);
  }
  append_range(Types, boxTypes());
  Types.push_back(PointerType::getUnqual(Context));
  auto *FT = FunctionType::get(Type::getVoidTy(Context), Types, false);
  StringRef Name = A.F.getName();
  Name.consume_back(".hexpass");
  Stretch = Function::Create(FT, GlobalValue::InternalLinkage,
                             A.F.getAddressSpace(), Name + ".stretch",
                             A.F.getParent());
  Stretch->setAttributes(attributesOf(A.F));
  if (!mayThrow())
    Stretch->setDoesNotThrow();
  Stretch->setDSOLocal(true);
  if (A.F.hasGC())
    Stretch->setGC(A.F.getGC());
  if (any_of(Failing, [](const Block *B) { return B->isLandingPad(); }))
    Stretch->setPersonalityFn(A.F.getPersonalityFn());

  SmallPtrSet<const Value *, 16> Alone = findAlone();
  auto Argument_ = Stretch->arg_begin();
  Value *Count = &*Argument_++;
  Count->setName("count");
  Holders Held;
  for (Value *V : LiveIns) {
    Argument_->setName(V->getName());
    if (Alone.contains(V))
      Argument_->addAttr(Attribute::NoAlias);
    passOn(V, *Argument_);
    Held.passOn(V, *Argument_);
    passNumber(*V, A.F, *Argument_);
    Map[V] = &*Argument_++;
  }

  auto *Entry = Block::Create(Context, "entry", Stretch);
  auto *Header = Block::Create(Context, "step", Stretch);
  Body = Block::Create(Context, "body", Stretch);
  auto *Exit = Block::Create(Context, "done", Stretch);
  IRBuilder<> B(Entry);
  B.SetCurrentDebugLocation(L.getStartLoc());
  B.CreateBr(Header);
  B.SetInsertPoint(Exit);
  B.CreateRetVoid();
  B.SetInsertPoint(Header);
  PHINode *Step = B.CreatePHI(I64, 2, "k");
  Step->addIncoming(ConstantInt::get(I64, 0), Entry);
  Counter = Step;
  for (PHINode *Phi : Carried) {
    PHINode *New = B.CreatePHI(Phi->getType(), 2, Phi->getName());
    Argument_->setName(Phi->getName());
    if (Alone.contains(Phi))
      Argument_->addAttr(Attribute::NoAlias);
    // What it was when the loop began, which says how a group of them goes round.
    Value *First = Phi->getIncomingValueForBlock(L.getLoopPreheader());
    if (const ConstantInt *Known = firstValue(First))
      Argument_->addAttr(Attribute::get(Context, FirstValue, itostr(Known->getSExtValue())));
    New->addIncoming(&*Argument_++, Entry);
    Map[Phi] = New;
  }
  B.CreateCondBr(B.CreateICmpSLT(Step, Count), Body, Exit);
  Block *First_ = Block::Create(Context, "", Stretch);
  B.SetInsertPoint(Body);
  B.CreateBr(First_);
  B.SetInsertPoint(Body->getTerminator());
  for (Value *V : Queued) {
    Argument_->setName("queue");
    for (auto Kind : {Attribute::NoAlias, Attribute::ReadOnly})
      Argument_->addAttr(Kind);
    Value *At = B.CreateInBoundsGEP(V->getType(), &*Argument_++, Step);
    Map[V] = B.CreateLoad(V->getType(), At, V->getName());
  }
  for (PHINode *Value_ : isLean() ? ArrayRef<PHINode *>(KeptExits) : ArrayRef<PHINode *>()) {
    Argument_->setName(Value_->getName());
    Argument_->addAttr(Attribute::NoAlias);
    Places.push_back(&*Argument_++);
  }
  if (!Reductions.empty()) {
    Ahead = &*Argument_++;
    for (unsigned Word = 0; Word < words(); ++Word) {
      Argument_->addAttr(Attribute::NoAlias);
      Grids.push_back(&*Argument_++);
    }
    Plane = &*Argument_++;
    Row = &*Argument_++;
  }
  takeBoxes(Argument_);
  Argument_->setName("frame");
  Map[Spine[0]] = First_;
  cloneBlocks();
  // What says where a variable's value was assigned may not be shared by two functions.
  at::deleteAll(Stretch);
  if (!Reductions.empty())
    keepResults(*Stretch);
  else if (isLean())
    keepValues();

  auto *Latch = cast<Block>(Map[Spine.back()]);
  B.SetInsertPoint(Latch);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Next = B.CreateAdd(Step, ConstantInt::get(I64, 1), "", true, true);
  Step->addIncoming(Next, Latch);
  for (PHINode *Phi : Carried)
    cast<PHINode>(Map[Phi])->addIncoming(
        mapped(Phi->getIncomingValueForBlock(L.getLoopLatch())), Latch);
  B.CreateBr(Header);
  if (!Reductions.empty())
    makeModel();
  else if (isLean())
    makeLean();
  else if (Records && !makeRecorders()) {
    eraseMade();
    return refuse(ShimStretchValue, Receivers.front().Load);
  }
  sayAlarms();
  if (isBroken())
    return refuse(ShimStretchBroken);
  tidy(*Stretch, A.Ctx.FAM);
  canonicalise(*Stretch, A.Ctx.FAM);
  return true;
}

/// Neither clang nor what comes of the stretch looks at it again. Then nothing is left of it.
bool ShimStretches::isBroken() {
  if (!verifyFunction(*Stretch))
    return false;
  eraseMade();
  return true;
}

void ShimStretches::eraseMade() {
  for (Function **Made : {&Model, &Bounds, &Whole, &Stretch}) {
    if (!*Made)
      continue;
    A.Ctx.FAM.clear(**Made, (*Made)->getName());
    (*Made)->eraseFromParent();
    *Made = nullptr;
  }
}

/// In the stretch alarms are what the source makes of them: somebody may look at anything.
void ShimStretches::sayAlarms() {
  SmallVector<Block *, 2> Begin = alarmedBlocks(*Stretch);
  Argument *Frame = Stretch->getArg(Stretch->arg_size() - 1);
  for (Block *B : Begin)
    hexpass::markHome(&*B->getFirstInsertionPt(), Frame, HomeWrites, L.getStartLoc());
  if (!Begin.empty())
    for (Argument &Argument_ : Stretch->args())
      Argument_.removeAttr(Attribute::NoAlias);
  silenceAlarms(*Stretch);
}

/// The spine, with what lies between its blocks where a sweep does.
void ShimStretches::cloneBlocks() {
  SmallVector<Instruction *, 64> New;
  SmallVector<std::pair<Block *, Block *>, 16> Copies;
  auto Place = [&](Block *Old) {
    Value *&To = Map[Old];
    if (!To)
      To = Block::Create(Old->getContext(), Old->getName(), Stretch);
    Copies.push_back({Old, cast<Block>(To)});
  };
  for (Block *Old : L.blocks()) {
    bool Between = !SpineOf.contains(Old);
    if (!Between || isKept(SegmentOf.lookup(Old)))
      Place(Old);
  }
  for (Block *Old : Failing)
    Place(Old);
  placeWays();
  for (auto [Old, To] : Copies) {
    bool Sweep = !isDirect(Old);
    for (Instruction &I : *Old) {
      bool Wanted = Sweep ? !isLeftOut(I)
                          : InPlace.contains(&I) || Stores.contains(&I) ||
                                Words.contains(dyn_cast<StoreInst>(&I));
      if (Wanted && !I.isTerminator())
        New.push_back(copyOf(I, To));
    }
    auto At = SpineOf.find(Old);
    if (At == SpineOf.end() || isKept(At->second)) {
      New.push_back(copyOf(*Old->getTerminator(), To));
      continue;
    }
    if (At->second + 1 < Spine.size())
      BranchInst::Create(cast<Block>(Map[Spine[At->second + 1]]), To);
  }
  SmallPtrSet<const Block *, 16> Ends;
  for (Block *Old : Failing)
    Ends.insert(cast<Block>(Map[Old]));
  for (Instruction *I : New) {
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (unsigned N = Phi->getNumIncomingValues(); N-- > 0;) {
        // What fails elsewhere in the step may lead there too.
        const Block *Before = Phi->getIncomingBlock(N);
        Value *From = Map.lookup(Before);
        if (From && (!Ends.contains(Phi->getParent()) || isFromSweep(Before)))
          Phi->setIncomingBlock(N, cast<Block>(From));
        else
          Phi->removeIncomingValue(N, /*DeletePHIIfEmpty=*/false);
      }
    for (Use &U : I->operands())
      U.set(isa<Block>(U.get()) ? Map[U.get()] : mapped(U.get()));
  }
  noteWays();
}
