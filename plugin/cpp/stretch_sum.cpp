//===- stretch_sum.cpp - Sums that decide ------------------------------------===//
//
// Consumes: sweeps of a time loop that end in a sum, which is compared with something
// that the loop does not change, as for `while (sqrt(sum) > tolerance)`. Produces: the
// host's part of running ahead with them (stretch_reduce.cpp). The runtime, which adds
// up in another order, gives bounds between which the loop's own sum lies. Roots,
// products with constants and the like keep an order, so that where a comparison says
// the same of both bounds, it says that of the sum; else, and where somebody wants the
// sum itself, the step is taken back and executed as it was written:
//
//     low, high = results[ahead.taken++];
//     if ((f(low) < tolerance) != (f(high) < tolerance)) {
//       --ahead.taken; hexrt_settle(&ahead); stretch(1, ..., &low); high = low; }
//     sum = low;
//
// Sums that stay near what they are compared with are added up as they were written
// for a while. Refuses comparisons for equality, and of what keeps no order.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Steps that are executed as they were written after a sum that decided nothing.
constexpr uint64_t MostAlone = 64;

bool isRoot(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getIntrinsicID() == Intrinsic::sqrt ||
                    Callee->getName() == "sqrt" || Callee->getName() == "sqrtf");
}

} // namespace

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

/// What makes the new value of the old one: the update itself, or what it chooses under
/// conditions instead of the value as it was.
Instruction *ShimStretches::findOperation(const Reduction &R) const {
  SmallPtrSet<Value *, 4> New;
  if (auto *Select = dyn_cast<SelectInst>(R.Update))
    New = {Select->getTrueValue(), Select->getFalseValue()};
  else if (auto *Phi = dyn_cast<PHINode>(R.Update); Phi && !A.LI.isLoopHeader(Phi->getParent()))
    New.insert_range(Phi->incoming_values());
  else
    return R.Update;
  if (!New.erase(R.Chain.back()) || New.size() != 1)
    return nullptr;
  auto *Found = dyn_cast<Instruction>(*New.begin());
  if (!Found ||
      A.LI.getLoopFor(Found->getParent()) != A.LI.getLoopFor(R.Update->getParent()))
    return nullptr;
  return Found;
}

/// `sum + x`, `sum - x`, and `sum + a * b` rounded once or twice; or, under a condition,
/// the sum as it was.
bool ShimStretches::matchSum(Reduction &R) const {
  const Value *Sum = R.Chain.back();
  R.Operation = findOperation(R);
  if (!R.Operation)
    return false;
  if (auto *Call = dyn_cast<IntrinsicInst>(R.Operation)) {
    if (Call->getIntrinsicID() != Intrinsic::fmuladd &&
        Call->getIntrinsicID() != Intrinsic::fma)
      return false;
    const Value *X = Call->getArgOperand(0), *Y = Call->getArgOperand(1);
    R.IsSum = Call->getArgOperand(2) == Sum && X != Sum && Y != Sum;
    R.SignOfZero = X != Y;
    return R.IsSum;
  }
  bool Minus = R.Operation->getOpcode() == Instruction::FSub;
  if (R.Operation->getOpcode() != Instruction::FAdd && !Minus)
    return false;
  R.Operand = R.Operation->getOperand(0) == Sum ? 1 : 0;
  Value *X = R.Operation->getOperand(R.Operand);
  if (X == Sum || R.Operation->getOperand(1 - R.Operand) != Sum || (Minus && R.Operand == 0))
    return false;
  R.SignOfZero = Minus || !isMagnitude(X);
  return R.IsSum = true;
}

/// Of something that is larger or smaller than what the loop does not change.
bool ShimStretches::decidesBetween(const FCmpInst &Compare) const {
  switch (Compare.getPredicate()) {
  case CmpInst::FCMP_OGT:
  case CmpInst::FCMP_OGE:
  case CmpInst::FCMP_OLT:
  case CmpInst::FCMP_OLE:
  case CmpInst::FCMP_UGT:
  case CmpInst::FCMP_UGE:
  case CmpInst::FCMP_ULT:
  case CmpInst::FCMP_ULE:
    return L.isLoopInvariant(Compare.getOperand(0)) ||
           L.isLoopInvariant(Compare.getOperand(1));
  default:
    return false;
  }
}

/// It never falls where the sum grows, or never rises: each of its operations, rounded as
/// it is, keeps an order or turns it round.
bool ShimStretches::isMonotone(Value *V, const PHINode &Exit, const Followed &In) const {
  if (V == &Exit)
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !In.Derived.contains(I))
    return false;
  auto Of = [&](unsigned Operand) {
    return isMonotone(I->getOperand(Operand), Exit, In);
  };
  auto IsFixed = [&](unsigned Operand) { return L.isLoopInvariant(I->getOperand(Operand)); };
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Phi->getParent() == L.getHeader()
               ? isMonotone(Phi->getIncomingValueForBlock(L.getLoopLatch()), Exit, In)
               : Of(0);
  switch (I->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return (IsFixed(0) && Of(1)) || (IsFixed(1) && Of(0));
  case Instruction::FDiv:
    return IsFixed(1) && Of(0);
  case Instruction::FNeg:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return Of(0);
  default:
    return isRoot(*I) && Of(0);
  }
}

bool ShimStretches::isDecided(PHINode &Exit) const {
  Followed To;
  return follow(Exit, To, /*Decides=*/true) && all_of(To.Compares, [&](auto &Entry) {
           return isMonotone(Entry.first->getOperand(Entry.second), Exit, To);
         });
}

/// What is made of sums is looked at when the sweeps of the step are done; until then,
/// it can wait.
bool ShimStretches::sumsAfter() {
  auto IsLate = [&](const Instruction *I) {
    return I == AppendBefore || A.DT.dominates(AppendBefore, I) || Wanted.Late.contains(I);
  };
  for (const auto &[Compare, Of] : Wanted.Compares)
    if (!IsLate(Compare) && !Wanted.Late.contains(cast<Instruction>(Compare->getOperand(Of))))
      return false;
  for (Block *B : Spine)
    for (Instruction &I : *B)
      if (Wanted.Derived.contains(&I) && !IsLate(&I) && !isa<PHINode>(I))
        Early.push_back(&I);
  return all_of(Wanted.Derived, [&](Instruction *I) {
    return IsLate(I) || is_contained(Early, I);
  });
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// What an instance adds, in double precision, at the end of its block.
Value *ShimStretches::term(const Reduction &R, Instruction &At, ValueToValueMapTy &VMap) {
  auto *Update = cast<Instruction>(VMap[Map[R.Update]]);
  auto *Operation = cast<Instruction>(VMap[Map[R.Operation]]);
  IRBuilder<> B(Update == Operation || isa<SelectInst>(Update)
                    ? &At
                    : Operation->getParent()->getTerminator());
  auto Wide = [&](unsigned Operand) {
    Value *X = Operation->getOperand(Operand);
    return X->getType()->isDoubleTy() ? X : B.CreateFPExt(X, B.getDoubleTy());
  };
  Value *X = isa<IntrinsicInst>(Operation) ? B.CreateFMul(Wide(0), Wide(1)) : Wide(R.Operand);
  if (Operation->getOpcode() == Instruction::FSub)
    X = B.CreateFNeg(X);
  return chosen(R, X, ConstantFP::get(X->getType(), 0.0), At, VMap);
}

/// `X` where the instance adds something, else `Nothing`.
Value *ShimStretches::chosen(const Reduction &R, Value *X, Value *Nothing, Instruction &At,
                             ValueToValueMapTy &VMap) {
  auto *Update = cast<Instruction>(VMap[Map[R.Update]]);
  auto *Operation = cast<Instruction>(VMap[Map[R.Operation]]);
  if (Update == Operation)
    return X;
  IRBuilder<> B(&At);
  if (auto *Select = dyn_cast<SelectInst>(Update)) {
    bool Then = Select->getTrueValue() == Operation;
    return B.CreateSelect(Select->getCondition(), Then ? X : Nothing, Then ? Nothing : X);
  }
  auto *Phi = cast<PHINode>(Update);
  B.SetInsertPoint(Phi);
  PHINode *Chosen = B.CreatePHI(X->getType(), 2);
  for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks()))
    Chosen->addIncoming(V == Operation ? X : Nothing, From);
  return Chosen;
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// What the host keeps of them, as before the first step.
void ShimStretches::boundSums() {
  IRBuilder<> B(&*A.F.getEntryBlock().getFirstInsertionPt());
  IRBuilder<> Before(L.getLoopPreheader()->getTerminator());
  auto Make = [&](Type *T, const Twine &Name) {
    AllocaInst *Made = makeOwn(B, T, nullptr, Name);
    Before.CreateStore(Constant::getNullValue(T), Made);
    return Made;
  };
  for (PHINode *Exit : KeptExits) {
    Slots.push_back(Make(Exit->getType(), "low"));
    Highs.push_back(Make(Exit->getType(), "high"));
  }
  for (PHINode *Phi : Carried)
    Lasts.push_back(makeOwn(B, Phi->getType(), nullptr, "last"));
  Stepped = Make(B.getInt1Ty(), "stepped");
  Alone = Make(B.getInt64Ty(), "alone");
  Span = Make(B.getInt64Ty(), "span");
}

/// The bounds are not one number.
Value *ShimStretches::isInexact(IRBuilderBase &B) {
  Value *Any = B.getFalse();
  for (auto [Low, High] : zip(Slots, Highs)) {
    Type *Bits = B.getIntNTy(Low->getAllocatedType()->getScalarSizeInBits());
    Value *Differ = B.CreateICmpNE(B.CreateLoad(Bits, Low), B.CreateLoad(Bits, High));
    Any = B.CreateOr(Any, Differ);
  }
  return Any;
}

/// A comparison does not say the same of both bounds, or can't.
Value *ShimStretches::isOpen(IRBuilderBase &B) {
  DenseMap<Value *, Value *> Low, High;
  for (auto [Exit, Lower, Upper] : zip(KeptExits, Slots, Highs)) {
    Low[Exit] = B.CreateLoad(Exit->getType(), Lower);
    High[Exit] = B.CreateLoad(Exit->getType(), Upper);
  }
  for (auto &[Phi, Turn] : Turns) {
    Value *Next = Turn.second;
    Value *AtLow = kept(Next, B, Low), *AtHigh = kept(Next, B, High);
    Low[Phi] = AtLow;
    High[Phi] = AtHigh;
  }
  Value *Any = B.getFalse();
  for (auto [Compare, Of] : Wanted.Compares) {
    Value *Fixed = Compare->getOperand(1 - Of);
    Value *AtLow = kept(Compare->getOperand(Of), B, Low);
    Value *AtHigh = kept(Compare->getOperand(Of), B, High);
    auto Says = [&, Compare = Compare, Of = Of](Value *X) {
      return Of ? B.CreateFCmp(Compare->getPredicate(), Fixed, X)
                : B.CreateFCmp(Compare->getPredicate(), X, Fixed);
    };
    Any = B.CreateOr(Any, B.CreateXor(Says(AtLow), Says(AtHigh)));
    // Infinities and NaNs may stand between others.
    for (Value *X : {AtLow, AtHigh}) {
      Value *Size = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
      Any = B.CreateOr(Any, B.CreateFCmpUGE(Size, ConstantFP::getInfinity(X->getType())));
    }
  }
  return Any;
}

/// Takes the last step back, and executes it as it was written.
void ShimStretches::sumExactly(Instruction *Before) {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(L.getStartLoc());
  auto Move = [&](unsigned Field, int64_t By) {
    Value *Now = B.CreateLoad(B.getInt64Ty(), aheadField(B, Field));
    B.CreateStore(B.CreateAdd(Now, B.getInt64(By)), aheadField(B, Field));
  };
  Move(Taken, -1);
  Move(Credit, 1);
  callSettle(B);
  B.CreateStore(B.getInt64(0), aheadField(B, Credit));
  SmallVector<Value *, 4> Now = takeBackWords(B);
  callAhead(B, Stretch, 1, /*Now=*/false);
  bringBackWords(B, Now);
  unsigned I = 0;
  for (const Reduction &R : Reductions) {
    if (!R.isBounded())
      continue;
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Results, R.Word);
    Value *Sum = B.CreateLoad(R.Exit->getType(), At);
    B.CreateStore(Sum, Slots[I]);
    B.CreateStore(Sum, Highs[I++]);
  }
}

/// The sums of the step that was just taken, whose results begin at `First`.
void ShimStretches::readSums(IRBuilderBase &B, Value *First) {
  unsigned I = 0;
  for (const Reduction &R : Reductions) {
    if (!R.isBounded())
      continue;
    auto Word = [&](unsigned Which) {
      Value *At = B.CreateAdd(First, B.getInt64(R.Word + Which));
      return B.CreateLoad(R.Exit->getType(),
                          B.CreateInBoundsGEP(B.getInt64Ty(), Results, At));
    };
    B.CreateStore(Word(0), Slots[I]);
    B.CreateStore(Word(1), Highs[I++]);
  }
  for (auto [Phi, Last_] : zip(Carried, Lasts))
    B.CreateStore(Phi, Last_);
  rememberWords(B);
  B.CreateStore(B.getTrue(), Stepped);

  Value *Inexact = isInexact(B);
  Value *Open = B.CreateAnd(Inexact, isOpen(B));
  Value *Kept_ = B.CreateLoad(B.getInt64Ty(), Span);
  Value *Wait = B.CreateBinaryIntrinsic(Intrinsic::umax, Kept_, B.getInt64(1));
  Value *Longer = B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateShl(Wait, 1),
                                          B.getInt64(MostAlone));
  Value *Settled = B.CreateSelect(Inexact, B.getInt64(1), Kept_);
  B.CreateStore(B.CreateSelect(Open, Longer, Settled), Span);
  Instruction *Again = SplitBlockAndInsertIfThen(Open, AppendBefore, false);
  B.SetInsertPoint(Again);
  B.SetCurrentDebugLocation(L.getStartLoc());
  B.CreateStore(Wait, Alone);
  sumExactly(Again);

  B.SetInsertPoint(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  for (auto [Exit, Low] : zip(KeptExits, Slots))
    Sums.push_back(B.CreateLoad(Exit->getType(), Low));
}
